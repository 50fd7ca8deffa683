"""Verify a cup that is over: ``python3 check_cup.py CUP-ledger.json [GAMES.jsonl]``.

It follows docs/reference/cup-ledger.md only. With the games of the ladder, as ``esr download`` writes them, it also
compares every game of the ledger with its record.
Of Swiss rounds and successive halving at two seats, it does not compute the matching: it verifies that everyone plays
once, that byes are fair, and the order. The page of the cup also verifies that no other round has a lower cost.
"""

from __future__ import annotations

import hmac
import json
import re
import sys
from collections import Counter
from fractions import Fraction
from hashlib import sha256
from itertools import chain, combinations, groupby, permutations, product
from pathlib import Path
from typing import Any


def explain(kind: type[BaseException], error: BaseException, _trace: object) -> None:
    """Say that the file has another form than the page describes, instead of showing a traceback."""
    print(f"Fault in the file: it does not follow cup-ledger/2 ({kind.__name__}: {error}).", file=sys.stderr)


if len(sys.argv) not in (2, 3):
    sys.exit("Name a ledger, and optionally a file of games: python3 check_cup.py CUP-ledger.json [GAMES.jsonl]")
sys.excepthook = explain
try:
    ledger = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines() if sys.argv[2:] else []
    records = {game["match"]: game for game in map(json.loads, lines)}
except (OSError, ValueError) as error:
    sys.exit(f"Cannot read {' or '.join(sys.argv[1:])} as JSON: {error}")
NOBODY = -1
MOST_REPLACEMENTS = 2
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


def is_over(blocks: Any, gone: list[int], out: int) -> bool:
    """Whether a table plays no further block. ``out`` entrants leave it in a knockout."""
    points = table_points(blocks, gone)
    if sum(any(game["status"] == "void" for game in block["games"]) for block in blocks) > MOST_REPLACEMENTS:
        return True
    if points is None or not out:
        return points is not None
    best, counted = sorted(points, reverse=True), sum(bool(block_points(block, gone)) for block in blocks)
    return best[-out - 1] > best[-out] or counted >= frozen["blocks"] + 2


def is_complete(blocks: Any, gone: list[int], out: int) -> bool:
    """Whether a table ended after its last block, and not before, unless an entrant had left."""
    ends = [is_over(blocks[:count], gone, out) for count in range(frozen["blocks"], len(blocks) + 1)]
    return len(gone) >= seats - 1 or (ends[-1:] == [True] and (bool(gone) or True not in ends[:-1]))


def after_ruling(table: list[int], ruling: Any, points: list[int] | None) -> list[int] | None:
    if ruling["ruling"] == "void":
        return None
    if ruling["ruling"] == "bye" or points is None:
        points = [(seats - 1) * len(seatings)] * seats
    return [0 if entrant == ruling["entrant"] else own for entrant, own in zip(table, points, strict=True)]


def verify_games(games: list[Any], table: list[int], seed: bytes, where: str) -> None:
    """Every match is there once, with possible ranks exactly if it is finished, as in its record if that is known."""
    for seating, game in zip(seatings, games, strict=True):
        match, ranks = game["match"], game["ranks"]
        expect(match not in matches, f"{where}: match {match} is there twice")
        matches.add(match)
        expect((game["status"] == "finished") == (ranks is not None), f"{where}: status of match {match}")
        if ranks is None:
            continue
        expect(ranks == [1 + sum(other < own for other in ranks) for own in ranks], f"{where}: ranks of match {match}")
        if not sys.argv[2:]:
            continue
        expect(match in records, f"{where}: match {match} is not in the file of games")
        expect(records[match]["record"]["seed"] == seed.hex(), f"{where}: seed in the record of match {match}")
        players = records[match]["players"]
        expect([one["rank"] for one in players] == ranks, f"{where}: ranks in the record of match {match}")
        for place, player in zip(seating, players, strict=True):
            entrant = table[place]
            is_entrant = player["digest"] == frozen["entrants"][entrant]["digest"]
            expect(is_entrant or entrant in left, f"{where}: player of match {match}")


def match_points(points: list[int]) -> list[int]:
    return [sum(2 * (own > other) + (own == other) for other in points) - 1 for own in points]


def ranked(table: list[int], points: list[int] | None) -> list[int]:
    """A knockout table, best first."""
    return [
        entrant for _, entrant in sorted((-own, one) for own, one in zip(points or [0] * seats, table, strict=True))
    ]


def final_key(one: int, last: int, rounds: list[Any]) -> tuple[int, ...]:
    """What comes before the match points of an entrant, whose last round was ``last``, in the final standings."""
    is_out = left.get(one) == "disqualified"
    if frozen["format"] == "knockout":
        best = ranked(rounds[-1][0][0], rounds[-1][2][0])
        return is_out, -last, best.index(one) if one in best else 0
    if frozen["format"] == "halving":
        return is_out, -last, last == len(rounds) and one in left
    return (is_out,)


def standings(rounds: list[Any], among: list[int], *, final: bool = False) -> list[list[int]]:
    """Rank, entrant and match points of ``among`` after ``rounds``, best first."""
    total, points, most, last, direct = (Counter[int]() for _ in range(5))
    met: dict[int, list[int]] = {one: [] for one in everyone}
    for number, (tables, byes, results) in enumerate(rounds, 1):
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
    for tables, _, results in rounds:
        for table, own in zip(tables, results, strict=True):
            for group in {total[one] for one in table if one in among} if own else ():
                inside = [at for at, one in enumerate(table) if one in among and total[one] == group]
                won = match_points([own[at] for at in inside])
                direct.update(dict(zip([table[at] for at in inside], won, strict=True)))

    def key(one: int) -> tuple[Any, ...]:
        share = Fraction(points[one], most[one] or 1)
        opponents = Fraction(sum(total[other] for other in met[one]), len(met[one]) or 1)
        cut = final_key(one, last[one], rounds) if final else ()
        return (*cut, -total[one], -direct[one], -share, -opponents, drawn["lot"].index(one))

    return [[rank, one, total[one]] for rank, one in enumerate(sorted(among, key=key), 1)]


def swiss(among: list[int]) -> Pairing | None:
    """The next round. At two seats, it is the announced one, without its matching."""
    rows = standings(played, among)
    order, total = [one for _, one, _ in rows], {one: points for _, one, points in rows}
    had = Counter(chain(*(byes for _, byes, _ in played)))
    lowest = sorted(order, key=lambda one: (had[one], -order.index(one)))[: len(order) % seats]
    byes = [one for one in order if one in lowest]
    if seats == 2:
        return announced(order, had) if begun else ([], [])
    tables, pool = list[list[int]](), list[int]()
    playing = [one for one in order if one not in byes]
    for _, group in groupby(playing, key=lambda one: total[one]):
        pool += group
        count = len(pool) // seats
        tables += [pool[number : count * seats : count] for number in range(count)]
        pool = pool[count * seats :]
    improve(tables, total)
    return tables, byes


def announced(order: list[int], had: Counter[int]) -> Pairing:
    """The announced round at two seats, in which everyone of ``order`` plays once or has a fair bye."""
    tables, byes = begun["tables"], begun["byes"]
    expect(sorted([*chain(*tables), *byes]) == sorted(order), f"{where}: players")
    expect(
        len(byes) == len(order) % 2 and {had[one] for one in byes} <= {min(had[one] for one in order)}, f"{where}: byes"
    )
    places = [[order.index(one) for one in table] for table in tables]
    expect(all(len(table) == 2 and table == sorted(table) for table in places), f"{where}: tables")
    expect(places == sorted(places), f"{where}: order of the tables")
    return tables, byes


def improve(tables: list[list[int]], total: dict[int, int]) -> None:
    """Make the best swaps, first with near tables, then with all."""
    met = {frozenset(pair) for those, _, _ in played for table in those for pair in combinations(table, 2)}

    def cost(table: list[int]) -> list[int]:
        spread = [total[one] for one in table]
        again = sum(frozenset(pair) in met for pair in combinations(table, 2))
        return [again, beyond(table), (max(spread) - min(spread)) ** 2]

    def is_swapped(number: int, reach: int) -> bool:
        options = []
        for other in range(max(0, number - reach), min(len(tables), number + reach + 1)):
            for at, place in product(range(seats), repeat=2) if other != number else ():
                mine, theirs = tables[number].copy(), tables[other].copy()
                mine[at], theirs[place] = theirs[place], mine[at]
                parts = zip(cost(mine), cost(theirs), cost(tables[number]), cost(tables[other]), strict=True)
                options.append(([a + b - c - d for a, b, c, d in parts], other, at, place, mine, theirs))
        gain, other, *_, mine, theirs = min(options, default=([0, 0, 0], 0, [], []))
        if gain < [0, 0, 0]:
            tables[number], tables[other] = mine, theirs
        return gain < [0, 0, 0]

    for reach in (8, len(tables)):
        for _ in range(6):
            bad = [number for number, table in enumerate(tables) if any(cost(table)[:2])]
            if not sum(any(cost(tables[number])[:2]) and is_swapped(number, reach) for number in bad):
                break


def halving() -> Pairing | None:
    """The next round, or None after the last."""
    alive, done = everyone, 0
    while True:
        if len(played) < done + (rounds := -(-(len(everyone) // seats) // (len(alive) // seats))):
            among = [one for one in alive if one not in left]
            return swiss(among) if len(among) >= seats else None
        done += rounds
        if len(alive) == seats:
            return None
        rows = standings(played[:done], alive)
        alive = sorted(one for _, one, _ in rows[: max(seats, -(-len(alive) // 2))])


def following() -> Pairing | None:
    """The next round, or None if the cup is over."""
    if frozen["format"] == "knockout":
        return knockout()
    if frozen["format"] == "halving":
        return halving()
    if frozen["format"] == "round-robin":
        return dict(enumerate(round_robin())).get(len(played))
    among = [one for one in everyone if one not in left]
    return swiss(among) if len(played) < frozen["rounds"] and len(among) >= seats else None


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


previous, removed = "0" * 64, 0
for number, entry in enumerate(ledger["entries"], 1):
    fields = {
        "cup": ledger["cup"],
        **{name: entry[name] for name in ("number", "kind", "document")},
        "previous": previous,
    }
    previous = entry["hash"]
    expect(previous == sha256(canonical(fields)).hexdigest() and entry["number"] == number, f"entry {number}: hash")
    known, text, salt = entry["document"].get("reason_hash"), entry["reason"], entry["salt"]
    if text is None and salt is None:
        removed += known is not None
    else:
        expect(re.fullmatch("[0-9a-f]{32}", str(salt)) is not None, f"entry {number}: salt of the reason")
        hashed = sha256(bytes.fromhex(salt) + str(text).encode()).hexdigest()
        expect(isinstance(text, str) and known == hashed, f"entry {number}: reason")

lists = [entry["document"] for entry in ledger["entries"] if entry["kind"] == "entrants"]
if not lists:
    kinds = {entry["kind"] for entry in ledger["entries"]}
    expect(not ledger["entrants_hash"] and not kinds & {"round", "results", "ruling", "end"}, "entrant list: missing")
    if "cancelled" not in kinds:
        sys.exit("Not finished: the entrant list is not frozen yet.")
    print("The cup was canceled before its entrant list was frozen. Only the hashes of the ledger were verified.")
    sys.exit()
frozen = lists[0]
key = bytes.fromhex(ledger["key"] or sys.exit("Not finished: the key is secret until the cup is over."))
list_hash = sha256(canonical(frozen["entrants"])).hexdigest()
expect(sha256(key).hexdigest() == frozen["key_hash"] == ledger["key_hash"], "key hash")
expect((list_hash, frozen["cup"]) == (ledger["entrants_hash"], ledger["cup"]), "entrant list")


def derived(purpose: str, *numbers: int) -> bytes:
    return hmac.digest(key, "/".join([list_hash, purpose, *map(str, numbers)]).encode("ascii"), "sha256")


seats, everyone = frozen["seats"], list(range(len(frozen["entrants"])))
stay = 1 if seats % 2 else seats // 2
turns = [tuple((seat + turn) % seats for seat in range(seats)) for turn in range(seats)]
seatings = list(permutations(range(seats))) if seats < 4 else turns
drawn = {purpose: sorted(everyone, key=lambda one: derived(purpose, one)) for purpose in ("lot", "place")}
design = frozen.get("design", [])
meetings = Counter(pair for table in design for pair in combinations(sorted(table), 2))
counts = [meetings[pair] for pair in combinations(everyone, 2)]
expect(all(len(set(table)) == seats and set(table) <= set(everyone) for table in design), "design: tables")
expect(max(counts) - min(counts) <= 1, "design: balance")
played: list[Any] = []  # tables, byes and points of each round
left, away, matches = dict[int, str](), set[int](), set[int]()
begun: Any = None
over = ""
rulings: dict[int, Any] = {}
for entry in ledger["entries"]:
    document, where = entry["document"], f"entry {entry['number']} ({entry['kind']})"
    expect(not over or (over, entry["kind"]) == ("cancelled", "changed"), f"{where}: it follows the end of the cup")
    if entry["kind"] in ("end", "cancelled"):
        over = entry["kind"]
    if entry["kind"] == "left":
        expect(document["entrant"] not in left, f"{where}: it had left")
        if document["entrant"] is not None:  # otherwise before the entrant list was frozen
            left[document["entrant"]] = document["state"]
    elif entry["kind"] == "round":
        expect(begun is None and document["round"] == len(played) + 1, f"{where}: number")
        begun, rulings, away = document, {}, set(left)
        due = following()
        expect(due is not None, f"{where}: the cup was over")
        expect((document["tables"], document["byes"]) == due, f"{where}: pairing")
    elif entry["kind"] == "results":
        expect(begun is not None and document["round"] == begun["round"], f"{where}: number")
        tables, byes = begun["tables"], begun["byes"]
        out = leaving(len([*chain(*tables), *byes])) if frozen["format"] == "knockout" else 0
        for at, table in enumerate(tables):
            points, gone, blocks = (document[name][at] for name in ("points", "gone", "blocks"))
            for number, block in enumerate(blocks, 1):
                seed = derived("deal", document["round"], at + 1, number)
                expect(sha256(seed).hexdigest() == block["commitment"], f"{where}, table {at + 1}: deal {number}")
                verify_games(block["games"], table, seed, f"{where}, table {at + 1}")
            last = {table[place] for place in gone if 0 <= place < seats}
            expect(len(last) == len(gone) and last <= left.keys(), f"{where}, table {at + 1}: entrants who left")
            if at in rulings:
                expect(points == rulings[at], f"{where}, table {at + 1}: points of the ruling")
                continue
            expect(away & set(table) <= last, f"{where}, table {at + 1}: entrants who had left")
            expect(points == table_points(blocks, gone), f"{where}, table {at + 1}: points")
            here = (out + at) // len(tables)
            expect(is_complete(blocks, gone, here), f"{where}, table {at + 1}: number of blocks")
        expect(len(document["points"]) == len(tables), f"{where}: number of tables")
        played.append((tables, byes, document["points"]))
        begun = None
    elif entry["kind"] == "ruling":
        has_ended, at = document["round"] <= len(played), document["table"]
        expect(has_ended or (begun is not None and document["round"] == begun["round"]), f"{where}: number")
        tables, _, results = played[document["round"] - 1] if has_ended else (begun["tables"], [], rulings)
        known = results[at] if has_ended else rulings.get(at)
        expect(document["points"] == after_ruling(tables[at], document, known), f"{where}: points")
        results[at] = document["points"]
    elif entry["kind"] == "end":
        expect(document["key"] == ledger["key"], f"{where}: key")
        expect(begun is None and following() is None, f"{where}: the cup was not over")
        expect(document["standings"] == standings(played, everyone, final=True), f"{where}: standings")
expect(bool(over), "the last entry: the ledger is not finished")
removals = f" Reasons that moderators removed: {removed}." if removed else ""
compared = f" Records compared: {len(matches & records.keys()):,}." if sys.argv[2:] else ""
ended = " The cup was canceled." if over == "cancelled" else ""
print(f"Verified: {len(ledger['entries'])} entries.{ended}{compared}{removals}")
print(
    f"Compare these hashes with those that you noted before the start:\nkey {ledger['key_hash']}\nentrants {list_hash}"
)
