"""Blocks that are being played: who sits at their tables, and how many of their games are over. Nothing of the deal.

Of a running game nothing is known outside its worker, so this is the progress there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

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


def counted(matches: QuerySet[Match]) -> QuerySet[Any]:
    """``matches`` with the number of games of their blocks, and of those that are over: what a table is made of."""
    its_block = Match.objects.filter(block=OuterRef("block")).order_by().values("block")
    over = its_block.filter(status__in=Match.ENDED).annotate(number=Count("pk")).values("number")
    games = its_block.annotate(number=Count("pk")).values("number")
    return matches.annotate(block_over=Coalesce(Subquery(over), 0), block_games=Subquery(games))


def live_tables(running: Sequence[Any]) -> list[LiveTable]:
    """The blocks of ``running``, which were :func:`counted`, in its order."""
    by_block: dict[int, list[Any]] = {}
    for match in running:
        by_block.setdefault(match.block_id, []).append(match)
    return [
        LiveTable(matches[0], len(matches), matches[0].block_over, matches[0].block_games)
        for matches in by_block.values()
    ]
