"""Blocks that are being played: who sits at their tables, and how many of their games are over. Nothing of the deal.

Of a running game nothing is known outside its worker, so this is the progress there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q

from ladder.models import Match


@dataclass(frozen=True)
class LiveTable:
    """A block of which a game or more are being played; ``first`` is the one that has run for longest."""

    first: Match
    running: int
    over: int
    games: int

    @property
    def since(self) -> datetime | None:
        """When the game that has run for longest began."""
        return self.first.started

    @property
    def steps(self) -> list[str]:
        """For a drawing, each game of the block: over, being played, to come."""
        to_come = self.games - self.over - self.running
        return ["over"] * self.over + ["now"] * self.running + ["to-come"] * to_come


def live_tables(running: Sequence[Match]) -> list[LiveTable]:
    """The blocks of ``running``, in its order; one query."""
    by_block: dict[int, list[Match]] = {}
    for match in running:
        by_block.setdefault(match.block_id, []).append(match)
    counts = _counts(by_block)
    return [
        LiveTable(matches[0], len(matches), counts[block][0], counts[block][1])
        for block, matches in by_block.items()
        if block in counts
    ]


def _counts(blocks: Mapping[int, object]) -> dict[int, tuple[int, int]]:
    """By block, how many of its games are over, and how many it has."""
    games = Match.objects.filter(block__in=blocks).order_by().values_list("block")
    over = Count("pk", filter=Q(status__in=Match.ENDED))
    return {block: (ended, number) for block, ended, number in games.annotate(over=over, number=Count("pk"))}
