"""Recompute all ratings of a ladder from its ledger file: ``python -m ladder.ratings.recompute ledger.jsonl``.

It needs no database and no settings. It verifies the hash chain and prints the last hash, and the rating, games and
first places of every member, best first.
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
from ladder.ratings.rating import RatingState
from ladder.ratings.replay import Item, LedgerReplay, RankedGame
from ladder.ratings.shares import WIN


@dataclass(frozen=True)
class Recomputed:
    """The number of entries, the last hash, and the standings by membership id."""

    entries: int
    head: str
    standings: dict[int, RatingState]


def recomputed(lines: Iterable[bytes]) -> Recomputed:
    """Read a ledger file. Raises ``ValueError`` for a line that breaks the hash chain."""
    items: list[Item] = []
    head = GENESIS
    for number, text in enumerate(lines, 1):
        entry = orjson.loads(text)
        _check(number, entry, head)
        items.append(item(number, entry["kind"], entry["document"]))
        head = entry["hash"]
    replay = LedgerReplay([one for one in items if not isinstance(one, RankedGame)])
    for _ in replay.rated(one for one in items if isinstance(one, RankedGame)):
        pass
    replay.finish()
    return Recomputed(len(items), head, dict(replay.standings))


def _check(number: int, entry: Any, previous: str) -> None:
    if entry["number"] != number:
        raise ValueError(f"line {number} has number {entry['number']}")
    right = chained(entry["ladder"], number, entry["kind"], entry["document"], previous)
    if (entry["previous"], entry["hash"]) != (previous, right):
        raise ValueError(f"entry {number} breaks the hash chain: its hash should be {right}")


def main() -> None:
    with Path(sys.argv[1]).open("rb") as file:
        found = recomputed(file)
    print(f"{found.entries} entries, last hash {found.head}")
    for entry, one in sorted(found.standings.items(), key=lambda pair: (-pair[1].rating, pair[0])):
        print(f"member {entry}: rating {one.rating / 1000:.3f}, {one.games} games, {one.wins / WIN:.2f} first places")


if __name__ == "__main__":
    main()
