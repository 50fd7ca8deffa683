"""Blocks that are being played: who sits at their tables, and how many of their games are over. Nothing of the deal.

Of a game that a worker plays nothing is known outside of it, so this is the progress there is. Live games are watched
on their own pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from ladder.models import Match


@dataclass(frozen=True)
class LiveTable:
    """A block of which the game ``running`` is being played."""

    running: Match
    over: int
    games: int

    @property
    def since(self) -> datetime | None:
        """When the running game began."""
        return self.running.started

    @property
    def steps(self) -> list[str]:
        """For a drawing, each game of the block: over, being played, to come."""
        return ["over"] * self.over + ["now"] + ["to-come"] * (self.games - self.over - 1)


def live_tables(matches: Iterable[Match]) -> list[LiveTable]:
    """Tables of ``matches``, which are all games of some blocks; the one whose game has run for longest first."""
    by_block: dict[int, list[Match]] = {}
    for match in matches:
        by_block.setdefault(match.block_id, []).append(match)
    tables = [table for block in by_block.values() for table in _table(block)]
    return sorted(tables, key=lambda table: (table.running.started, table.running.pk))


def _table(block: Sequence[Match]) -> Iterator[LiveTable]:
    running = next((match for match in block if match.status == Match.Status.RUNNING), None)
    if running:
        yield LiveTable(running, sum(match.status in Match.ENDED for match in block), len(block))
