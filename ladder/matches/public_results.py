"""What everyone may see of how a match went: its results, and who played the seats of a live game.

Pages, pictures, feeds, the API and account exports read it here. ``ladder.openness`` decides when it becomes public.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from esr_platform.prepared import Prepared
from ladder.models import Block, Match, Occupant, Outage, Seat, SeatResult
from ladder.openness import shows_results

# --- Results ---------------------------------------------------------------------------------------------------------


def result_of(seat: Seat) -> SeatResult | None:
    """The public result of ``seat``, or ``None``."""
    result: SeatResult | None = getattr(seat, "result", None)
    return result if result is not None and shows_results(seat.match.block) else None


def by_rank(match: Match) -> list[Seat]:
    """The seats of a match, winners first. Without a public result they are in seat order."""
    return sorted(match.seats.all(), key=lambda seat: (getattr(result_of(seat), "rank", 0), seat.index))


# --- Live games ------------------------------------------------------------------------------------------------------


class Occupancy(NamedTuple):
    """A part of a live game in which one version played a seat: from move ``from_move`` to before ``to_move``.

    Moves that were not forced are counted from 0; ``to_move`` is ``None`` if the part lasted until the end.
    """

    seat: int
    bot: str
    name: str
    version: int
    from_move: int
    to_move: int | None
    played: int
    entered: int

    @property
    def is_substitute(self) -> bool:
        """Whether a substitute played, and not the version that was given the seat."""
        return self.played != self.entered


class SiteOutage(NamedTuple):
    """An outage of the site of ``ms`` milliseconds, by which clocks were extended; move ``before_move`` came next."""

    before_move: int
    ended: datetime
    ms: int


@dataclass(frozen=True)
class LiveCourse:
    """Who played the seats of a live game, by seat and move, and the outages of the site during it."""

    occupancies: Sequence[Occupancy] = ()
    outages: Sequence[SiteOutage] = ()


_OCCUPANCIES: Final = Prepared(
    lambda match: (
        Occupant.objects.filter(match__pk=match)
        .order_by("seat__index", "from_move", "pk")
        .values_list(
            *("seat__index", "version__bot__slug", "version__bot__name", "version__number", "from_move", "to_move"),
            *("version", "seat__version"),
        )
    )
)
_OUTAGES: Final = Prepared(
    lambda match: Outage.objects.filter(match__pk=match).order_by("ended").values_list("before_move", "ended", "ms")
)


def live_course(match_id: int, purpose: str, opened: bool) -> LiveCourse:
    """The course of a match whose block has this ``purpose``; two queries for a live game, otherwise none.

    It is empty until the deal is public (``opened``), because numbers of moves reveal hidden moves.
    """
    if not opened or purpose not in Block.DRIVEN_BY_REQUESTS:
        return LiveCourse()
    occupancies = [Occupancy(*row) for row in _OCCUPANCIES(match=match_id)]
    return LiveCourse(occupancies, [SiteOutage(*row) for row in _OUTAGES(match=match_id)])
