"""The rating of a member over the games of all its seasons, thinned out for a chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from django.db.models import F

from bots.models import Bot
from ladder.models import Estimate, LedgerEntry, Membership, Seat, SeatResult

MOST_POINTS: Final = 200
"""The maximum number of points of a line."""

_MOMENTS_SHOWN: Final = 20


@dataclass(frozen=True)
class RatingPoint:
    """The rating, in 1/1000 point, after the result with this number of the ladder's ledger."""

    number: int
    rating: int
    version: int
    season: int
    at: datetime


@dataclass(frozen=True)
class Stretch:
    """The games of one version in one season, with its estimate; ``moments`` is never empty."""

    moments: Sequence[RatingPoint]
    estimate: Estimate | None

    @property
    def first(self) -> RatingPoint:
        return self.moments[0]

    @property
    def last(self) -> RatingPoint:
        return self.moments[-1]

    @property
    def version(self) -> int:
        return self.first.version

    @property
    def season(self) -> int:
        return self.first.season


@dataclass(frozen=True)
class Trace:
    """The moments of ``membership`` in the order of the ledger; the last one is always there. ``thinned``: not every
    one.
    """

    membership: Membership
    moments: Sequence[RatingPoint]
    stretches: Sequence[Stretch]
    thinned: bool

    @property
    def by_hand(self) -> bool:
        """Whether the member is a human player, who has no versions."""
        return bool(self.membership.bot.kind == Bot.Kind.PERSON)

    @property
    def first(self) -> RatingPoint:
        return self.moments[0]

    @property
    def last(self) -> RatingPoint:
        return self.moments[-1]

    @property
    def highest(self) -> RatingPoint:
        return max(self.moments, key=lambda moment: moment.rating)

    @property
    def rows(self) -> Sequence[RatingPoint]:
        """Some of the moments for the table below the chart, newest first."""
        return self.moments[::-1][:: -(-len(self.moments) // _MOMENTS_SHOWN)]


def trace(membership: Membership) -> Trace | None:
    """The trace of ``membership``, ``None`` before its first rated game; three queries."""
    return traces([membership])[0]


def traces(memberships: Sequence[Membership]) -> list[Trace | None]:
    """The traces of some memberships, which are on one ladder; three queries, however many memberships.

    Of many seats only some are read with what came of them, so a bot with a hundred thousand games costs little more
    than one with a hundred.
    """
    seats = _seats(memberships)
    sampled = {membership.pk: _sampled(seats[membership.pk]) for membership in memberships}
    read = _moments(set().union(*(kept | newest for kept, newest in sampled.values())))
    estimates = _estimates(memberships)
    drawn: list[Trace | None] = []
    for membership in memberships:
        kept, newest = sampled[membership.pk]
        pairs = [(seat, moment) for seat, moment in read if seat in kept or seat in newest]
        moments = [moment for seat, moment in pairs if seat in kept or seat == pairs[-1][0]]
        stretches = _stretches(moments, estimates[membership.bot_id])
        thinned = len(seats[membership.pk]) > len(kept)
        drawn.append(Trace(membership, moments, stretches, thinned) if moments else None)
    return drawn


def _seats(memberships: Sequence[Membership]) -> dict[int, list[int]]:
    """By membership, all its seats; one query."""
    seats: dict[int, list[int]] = {membership.pk: [] for membership in memberships}
    for membership, seat in Seat.objects.filter(membership__in=seats).order_by("pk").values_list("membership", "pk"):
        if membership is not None:
            seats[membership].append(seat)
    return seats


def _sampled(seats: Sequence[int]) -> tuple[set[int], set[int]]:
    """Seats for the line, spread evenly, and the newest ones, of which some have no result yet."""
    step = max(1, -(-len(seats) // MOST_POINTS))
    return set(seats[::step]), set(seats[-MOST_POINTS:])


def _moments(seats: set[int]) -> list[tuple[int, RatingPoint]]:
    """Seats with their moments, in the order of the ledger; one query."""
    counted = SeatResult.objects.filter(
        seat__in=seats, rating_after__isnull=False, result__ledger_entries__kind=LedgerEntry.Kind.RESULT
    )
    rows: Any = counted.order_by("result__ledger_entries__number").values_list(
        "seat",
        "result__ledger_entries__number",
        "rating_after",
        "seat__version__number",
        "result__ledger_entries__season__number",
        "result__ledger_entries__created",
    )
    return [(seat, RatingPoint(*of)) for seat, *of in rows]


def _estimates(memberships: Sequence[Membership]) -> dict[int, dict[tuple[int, int], Estimate]]:
    """By bot, its estimates by season and version, without their draws; one query."""
    ladders, bots = (
        {membership.ladder_id for membership in memberships},
        [membership.bot_id for membership in memberships],
    )
    rows = Estimate.objects.filter(season__ladder__in=ladders, version__bot__in=bots).annotate(
        of_bot=F("version__bot"), of_season=F("season__number"), of_version=F("version__number")
    )
    by_bot: dict[int, dict[tuple[int, int], Estimate]] = {bot: {} for bot in bots}
    for row in rows.defer("kept_draws"):
        by_bot[row.of_bot][row.of_season, row.of_version] = row
    return by_bot


def _stretches(moments: Sequence[RatingPoint], estimates: Mapping[tuple[int, int], Estimate]) -> list[Stretch]:
    """The moments by season and version. A version that is activated again has several stretches."""
    groups = groupby(moments, key=lambda moment: (moment.season, moment.version))
    return [Stretch(list(points), estimates.get(of)) for of, points in groups]
