"""Recompute all ratings of a ladder from its ledger file: ``python -m ladder.ratings.recompute ledger.jsonl``.

It needs no database and no settings. It verifies the hash chain and prints the last hash, and the rating, games and
first places of every member, best first. With ``--match ID``, it prints the ratings before and after one match.
"""

from __future__ import annotations

import argparse
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ladder.ratings.chain import GENESIS, chained
from ladder.ratings.documents import item
from ladder.ratings.rating import Rated, RatingState
from ladder.ratings.replay import Item, LedgerReplay, RankedGame
from ladder.ratings.shares import WIN


class SeatChange(NamedTuple):
    """A member at a seat of a rated match: its games before, and its ratings in 1/1000 point."""

    member: int
    games: int
    before: int
    after: int


@dataclass(frozen=True)
class Recomputed:
    """The number of entries, the last hash, and the standings by membership id.

    ``changes`` are those of the match that was asked for, in seat order. They are empty if the ledger does not contain
    it, or if its result was voided.
    """

    entries: int
    head: str
    standings: dict[int, RatingState]
    changes: Sequence[SeatChange] = ()


def recomputed(lines: Iterable[bytes], match: int | None = None) -> Recomputed:
    """Read a ledger file. ``match`` is the id of a match whose rating changes to return.

    Raises ``ValueError`` for a line that breaks the hash chain.
    """
    items: list[Item] = []
    head, wanted = GENESIS, 0
    for number, text in enumerate(lines, 1):
        entry = orjson.loads(text)
        _check(number, entry, head)
        items.append(item(number, entry["kind"], entry["document"]))
        head = entry["hash"]
        if match is not None and entry["kind"] == "result" and entry["document"]["match"] == match:
            wanted = number
    replay = LedgerReplay([entry for entry in items if not isinstance(entry, RankedGame)])
    changes: Sequence[SeatChange] = ()
    games = [entry for entry in items if isinstance(entry, RankedGame)]
    upto = [game for game in games if game.number <= wanted]
    for game, rated in zip(upto, replay.rated(upto), strict=True):
        if game.number == wanted:
            changes = _changes(replay, game, rated)
    deque(replay.rated(games[len(upto) :]), maxlen=0)
    replay.finish()
    return Recomputed(len(items), head, dict(replay.standings), changes)


def _changes(replay: LedgerReplay, game: RankedGame, rated: Sequence[Rated]) -> Sequence[SeatChange]:
    """The changes of the game that was rated last, without seats whose members do not count."""
    members = [replay.part.rules.counts_for(entry) for entry in game.entries]
    seats = [
        (member, outcome)
        for member, outcome in zip(members, rated, strict=True)
        if outcome is not None and member is not None
    ]
    games = Counter(member for member, _ in seats)
    return [SeatChange(member, replay.standings[member].games - games[member], *outcome) for member, outcome in seats]


def _check(number: int, entry: Any, previous: str) -> None:
    if entry["number"] != number:
        raise ValueError(f"line {number} has number {entry['number']}")
    right = chained(entry["ladder"], number, entry["kind"], entry["document"], previous)
    if (entry["previous"], entry["hash"]) != (previous, right):
        raise ValueError(f"entry {number} breaks the hash chain: its hash should be {right}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Recompute all ratings of a ladder from its ledger file.")
    parser.add_argument("file", type=Path, metavar="FILE", help="ledger file of a ladder")
    parser.add_argument("--match", type=int, metavar="ID", help="print the rating changes of one match instead")
    options = parser.parse_args()
    with options.file.open("rb") as file:
        result = recomputed(file, options.match)
    print(f"{result.entries} entries, last hash {result.head}")
    if options.match is not None:
        if not result.changes:
            parser.error(f"The ledger contains no result of match {options.match} that counts.")
        for seat in result.changes:
            change = f"{seat.before / 1000:.3f} -> {seat.after / 1000:.3f} ({(seat.after - seat.before) / 1000:+.3f})"
            print(f"member {seat.member}: {seat.games} games before, rating {change}")
        return
    for entry, state in sorted(result.standings.items(), key=lambda pair: (-pair[1].rating, pair[0])):
        rating, places = state.rating / 1000, state.win_shares / WIN
        print(f"member {entry}: rating {rating:.3f}, {state.games} games, {places:.2f} first places")


if __name__ == "__main__":
    main()
