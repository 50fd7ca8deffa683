"""The deal of a match on its page: what was promised before the first move, and what everybody may check afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.models import Block, DealSeries, Match
from ladder.openness import is_open


@dataclass(frozen=True)
class Deal:
    """The deal of ``block`` with all games that are played with it, in the order of their seatings."""

    block: Block
    games: Sequence[Match]

    @property
    def open(self) -> bool:
        return is_open(self.block)

    @property
    def pending(self) -> int:
        """How many of its games have not ended."""
        return sum(game.status in Match.PENDING for game in self.games)

    @property
    def series(self) -> DealSeries | None:
        """The series that its number is of; ``None`` for a deal from before there were seasons."""
        return self.block.series

    @property
    def message(self) -> str:
        """What the season's key made the seed of."""
        series = self.series
        return f"{series.name}/{series.season.number}/{self.block.number}" if series else ""


def deal_of(match: Match) -> Deal:
    """The deal of ``match``, whose block, series and season are there already; one query."""
    games = Match.objects.filter(block=match.block_id).order_by("seating")
    return Deal(match.block, list(games.only("pk", "seating", "status")))
