"""Verify a finished cup: ``python3 check_cup.py CUP-ledger.json``. It follows docs/reference/cup-ledger.md only.

Not verified: the pairings of Swiss rounds and of successive halving. The page of the cup verifies them.
"""

from __future__ import annotations

import hmac
import json
import sys
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from itertools import chain, permutations
from pathlib import Path
from typing import Any

ledger = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
NOBODY = -1
Pairing = tuple[list[list[int]], list[int]]


def expect(is_true: bool, fault: str) -> None:
    """Stop at the first fault: what follows from it would also be wrong."""
    if not is_true:
        sys.exit(f"Fault in {fault}.")


def canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def block_points(block: Any, gone: list[int]) -> list[int] | None:
    """The points of a block by place, or None if a game has no result."""
    points = [0] * seats
    for seating, game in zip(seatings, block["games"], strict=True):
        if game["ranks"] is None:
            return None
        ranks = {place: (place in gone, rank) for place, rank in zip(seating, game["ranks"], strict=True)}
        for place in ranks:
            points[place] += sum(2 * (ranks[place] < rank) + (ranks[place] == rank) for rank in ranks.values()) - 1
    return points


def table_points(blocks: Any, gone: list[int]) -> list[int] | None:
    if len(gone) >= seats - 1:
        won = 2 * (seats - 1) * len(seatings)
        return None if len(gone) == seats else [0 if place in gone else won for place in range(seats)]
    counted = [points for points in (block_points(block, gone) for block in blocks) if points]
    return [sum(column) for column in zip(*counted, strict=True)] if len(counted) >= frozen["blocks"] else None


def after_ruling(table: list[int], ruling: Any, points: list[int] | None) -> list[int] | None:
    if ruling["ruling"] == "void":
        return None
    if ruling["ruling"] == "bye" or points is None:
        points = [(seats - 1) * len(seatings)] * seats
    return [0 if entrant == ruling["entrant"] else own for entrant, own in zip(table, points, strict=True)]


def match_points(points: list[int]) -> list[int]:
    return [sum(2 * (own > other) + (own == other) for other in points) - 1 for own in points]


def ranked(table: list[int], points: list[int] | None) -> list[int]:
    """A knockout table, best first."""
    return [
        entrant for _, entrant in sorted((-own, one) for own, one in zip(points or [0] * seats, table, strict=True))
    ]


def standings() -> list[list[int]]:
    """Rank, entrant and match points, best first."""
    total, points, most, last, direct = (Counter[int]() for _ in range(5))
    met: dict[int, list[int]] = {one: [] for one in everyone}
    for number, (tables, byes, results) in enumerate(played, 1):
        for one in [*byes, *chain(*tables)]:
            last[one] = number
        total.update(dict.fromkeys(byes, -(-3 * (seats - 1) // 2)))
        for table, own in zip(tables, results, strict=True):
            if own:
                total.update(dict(zip(table, match_points(own), strict=True)))
                points.update(dict(zip(table, own, strict=True)))
                most.update(dict.fromkeys(table, 2 * sum(own) // seats))
                for one in table:
                    met[one] += [other for other in table if other != one]
    for tables, _, results in played:
        for table, own in zip(tables, results, strict=True):
            for group in {total[one] for one in table} if own else ():
                inside = [(one, won) for one, won in zip(table, own, strict=True) if total[one] == group]
                direct.update(
                    dict(zip([one for one, _ in inside], match_points([won for _, won in inside]), strict=True))
                )
    final = ranked(played[-1][0][0], played[-1][2][0]) if frozen["format"] == "knockout" else []
    place = {one: at for at, one in enumerate(final)}

    def key(one: int) -> tuple[Any, ...]:
        share = Fraction(points[one], most[one] or 1)
        opponents = Fraction(sum(total[other] for other in met[one]), len(met[one]) or 1)
        cut = (-last[one], place.get(one, 0)) if frozen["format"] in ("knockout", "halving") else ()
        return (*cut, -total[one], -direct[one], -share, -opponents, drawn["lot"].index(one))

    return [[rank, one, total[one]] for rank, one in enumerate(sorted(everyone, key=key), 1)]


def round_robin() -> list[Pairing]:
    if seats > 2:
        spread: list[list[list[int]]] = []
        for table in ([drawn["place"][at] for at in places] for places in frozen["design"]):
            free = (one for one in spread if not set(chain(*one)) & set(table))
            found = next(free, None)
            if found is None:
                spread.append(found := [])
            found.append(table)
        return [(tables, []) for tables in spread]
    ring, rounds = drawn["place"] + [NOBODY] * (len(everyone) % 2), list[Pairing]()
    for _ in ring[1:]:
        pairs = [[ring[at], ring[-1 - at]] for at in range(len(ring) // 2)]
        byes = [sum(pair) - NOBODY for pair in pairs if NOBODY in pair]
        rounds.append(([pair for pair in pairs if NOBODY not in pair], byes))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def leaving(count: int) -> int:
    """How many of ``count`` entrants leave in a round of a knockout."""
    target = int(seats)
    while target % stay == 0 and target // stay * seats < count:
        target = target // stay * seats
    return int(seats - 1 if count == seats else min(count - target, count // seats * (seats - stay)))


def beyond(table: list[int]) -> int:
    owners = Counter(frozen["entrants"][one]["owner"] for one in table)
    return sum(max(0, count - frozen["at_a_table"]) for owner, count in owners.items() if owner is not None)


def knockout() -> Pairing | None:
    """The next round, or None after the final."""
    alive = everyone
    for tables, byes, results in played:
        if len(alive) == seats:
            return None
        out, places = leaving(len(alive)), {alive.index(one): one for one in byes}
        for number, (table, points) in enumerate(zip(tables, results, strict=True)):
            on = ranked(table, points)[: seats - (out + number) // len(tables)]
            places |= dict(zip(sorted(map(alive.index, table)), on, strict=False))
        alive = [places[at] for at in sorted(places)]
    if len(alive) == seats:
        return [alive], []
    count = -(-leaving(len(alive)) // (seats - stay))
    byes, rest, tables = (
        alive[: len(alive) - count * seats],
        alive[len(alive) - count * seats :],
        [[] for _ in range(count)],
    )
    for row in range(seats):
        left = rest[row * count : row * count + count][:: -1 if row % 2 else 1]
        for table in tables:
            fitting = [one for one in left if beyond([*table, one]) == beyond(table)]
            table.append(left.pop(left.index((fitting or left)[0])))
    return [sorted(table) for table in tables], byes


previous = "0" * 64
for number, entry in enumerate(ledger["entries"], 1):
    fields = {
        "cup": ledger["cup"],
        **{name: entry[name] for name in ("number", "kind", "document")},
        "previous": previous,
    }
    previous = entry["hash"]
    expect(previous == sha256(canonical(fields)).hexdigest() and entry["number"] == number, f"entry {number}: hash")

frozen = next(entry["document"] for entry in ledger["entries"] if entry["kind"] == "entrants")
key = bytes.fromhex(ledger["key"] or sys.exit("The key is secret until the cup is over."))
list_hash = sha256(canonical(frozen["entrants"])).hexdigest()
expect(sha256(key).hexdigest() == frozen["key_hash"] == ledger["key_hash"], "key hash")
expect((list_hash, frozen["cup"]) == (ledger["entrants_hash"], ledger["cup"]), "entrant list")


def derived(purpose: str, number: int) -> bytes:
    return hmac.digest(key, f"{list_hash}/{purpose}/{number}".encode("ascii"), "sha256")


seats, everyone = frozen["seats"], list(range(len(frozen["entrants"])))
stay = 1 if seats % 2 else seats // 2
turns = [tuple((seat + turn) % seats for seat in range(seats)) for turn in range(seats)]
seatings = list(permutations(range(seats))) if seats < 4 else turns
drawn = {purpose: sorted(everyone, key=lambda one: derived(purpose, one)) for purpose in ("lot", "place")}
played: list[Any] = []  # tables, byes and points of each round
left, deals = set[int](), list[int]()
begun: Any = None
rulings: dict[int, Any] = {}
for entry in ledger["entries"]:
    document, where = entry["document"], f"entry {entry['number']} ({entry['kind']})"
    if entry["kind"] == "left":
        left.add(document["entrant"])
    elif entry["kind"] == "round":
        expect(document["round"] == len(played) + 1, f"{where}: number")
        begun, rulings = document, {}
        paired = (document["tables"], document["byes"])
        if frozen["format"] in ("round-robin", "knockout"):
            due = knockout() if frozen["format"] == "knockout" else round_robin()[len(played)]
            expect(paired == due, f"{where}: pairing")
        expect(len(document["deals"]) == frozen["blocks"], f"{where}: number of deals")
        for deal, commitment in document["deals"]:
            deals.append(deal)
            expect(sha256(derived("deal", deal)).hexdigest() == commitment, f"{where}: deal {deal}")
    elif entry["kind"] == "results":
        announced = [deal for deal, _ in begun["deals"]]
        for at, table in enumerate(begun["tables"]):
            points, gone, blocks = (document[name][at] for name in ("points", "gone", "blocks"))
            own = [block["deal"] for block in blocks]
            deals += own[len(announced) :]
            expect(not own or own[: len(announced)] == announced, f"{where}, table {at + 1}: deals")
            expect({table[place] for place in gone} <= left, f"{where}, table {at + 1}: entrants who left")
            right = rulings[at] if at in rulings else table_points(blocks, gone)
            expect(points == right, f"{where}, table {at + 1}: points")
        expect(sorted(deals) == list(range(1, len(deals) + 1)), f"{where}: a deal is missing or was used twice")
        played.append((begun["tables"], begun["byes"], document["points"]))
    elif entry["kind"] == "ruling":
        is_over, at = document["round"] <= len(played), document["table"]
        tables, _, results = played[document["round"] - 1] if is_over else (begun["tables"], [], rulings)
        known = results[at] if is_over else rulings.get(at)
        expect(document["points"] == after_ruling(tables[at], document, known), f"{where}: points")
        results[at] = document["points"]
    elif entry["kind"] == "end":
        expect(document["key"] == ledger["key"], f"{where}: key")
        expect(document["standings"] == standings(), f"{where}: standings")
print(f"Verified: {len(ledger['entries'])} entries.")
