"""A ladder's ratings again, from the file of its ledger alone: ``python -m ladder.ratings.recompute ledger.jsonl``.

It needs no database and no settings. It checks the chain of hashes from the first line to the last, and prints the last
hash and every entry's rating, games and first places, best first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ladder.ratings.chain import GENESIS, chained
from ladder.ratings.documents import item
from ladder.ratings.rating import Standing
from ladder.ratings.replay import Game, Item, Replay
from ladder.ratings.shares import WIN


@dataclass(frozen=True)
class Recomputed:
    """What a ledger gives: its last hash, and the accounts by entry."""

    entries: int
    head: str
    standings: dict[int, Standing]


def recomputed(lines: Iterable[bytes]) -> Recomputed:
    """Follow a ledger's file. Raises ``ValueError`` for a line that does not follow from the ones before."""
    items: list[Item] = []
    head = GENESIS
    for number, text in enumerate(lines, 1):
        entry = orjson.loads(text)
        _check(number, entry, head)
        items.append(item(number, entry["kind"], entry["document"]))
        head = entry["hash"]
    replay = Replay([one for one in items if not isinstance(one, Game)])
    for _ in replay.rated(one for one in items if isinstance(one, Game)):
        pass
    replay.finish()
    return Recomputed(len(items), head, dict(replay.standings))


def _check(number: int, entry: Any, previous: str) -> None:
    if entry["number"] != number:
        raise ValueError(f"line {number} has number {entry['number']}")
    right = chained(entry["ladder"], number, entry["kind"], entry["document"], previous)
    if (entry["previous"], entry["hash"]) != (previous, right):
        raise ValueError(f"number {number} does not follow from the one before: its hash would be {right}")


def main() -> None:
    with Path(sys.argv[1]).open("rb") as file:
        found = recomputed(file)
    print(f"{found.entries} entries, the last hash is {found.head}")
    for entry, one in sorted(found.standings.items(), key=lambda pair: (-pair[1].rating, pair[0])):
        print(f"entry {entry}: {one.rating / 1000:.3f} points, {one.games} games, {one.wins / WIN:.2f} wins")


if __name__ == "__main__":
    main()
