"""The rating of an entry over the games of all its seasons, thinned out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Final

from django.db.models import F

from ladder.models import Entry, Estimate, LedgerEntry, Seat, SeatResult

MOST_POINTS: Final = 200
"""Points of a line: more could not be told apart on a page."""

_ROWS: Final = 20


@dataclass(frozen=True)
class Moment:
    """The rating, in 1/1000 point, after the result with this number of the ladder's ledger."""

    number: int
    rating: int
    version: int
    season: int
    at: datetime


@dataclass(frozen=True)
class Stretch:
    """What one version did in one season, with its estimate where there is one; ``moments`` are never empty."""

    moments: Sequence[Moment]
    estimate: Estimate | None

    @property
    def first(self) -> Moment:
        return self.moments[0]

    @property
    def last(self) -> Moment:
        return self.moments[-1]

    @property
    def version(self) -> int:
        return self.first.version

    @property
    def season(self) -> int:
        return self.first.season


@dataclass(frozen=True)
class Trace:
    """The moments of ``entry`` in the order of the ledger; the last one is always there. ``thinned``: not every one."""

    entry: Entry
    moments: Sequence[Moment]
    stretches: Sequence[Stretch]
    thinned: bool

    @property
    def first(self) -> Moment:
        return self.moments[0]

    @property
    def last(self) -> Moment:
        return self.moments[-1]

    @property
    def highest(self) -> Moment:
        return max(self.moments, key=lambda moment: moment.rating)

    @property
    def rows(self) -> Sequence[Moment]:
        """Few of the moments, the newest first, for a table beside the line."""
        return self.moments[::-1][:: -(-len(self.moments) // _ROWS)]


def trace(entry: Entry) -> Trace | None:
    """The trace of ``entry``, ``None`` before its first rated game; three queries.

    Of many seats only some are read with what came of them, so a bot with a hundred thousand games costs little more
    than one with a hundred.
    """
    seats = list(Seat.objects.filter(entry=entry).order_by("pk").values_list("pk", flat=True))
    kept, newest = _sampled(seats)
    read = _moments(kept | newest)
    if not read:
        return None
    last = read[-1][1]
    moments = [moment for seat, moment in read if seat in kept or moment is last]
    return Trace(entry, moments, _stretches(entry, moments), thinned=len(seats) > len(kept))


def _sampled(seats: Sequence[int]) -> tuple[set[int], set[int]]:
    """Seats for the line, spread evenly, and the newest ones, of which some have no result yet."""
    step = max(1, -(-len(seats) // MOST_POINTS))
    return set(seats[::step]), set(seats[-MOST_POINTS:])


def _moments(seats: set[int]) -> list[tuple[int, Moment]]:
    """Seats with their moments, in the order of the ledger; one query."""
    counted = SeatResult.objects.filter(
        seat__in=seats, rating_after__isnull=False, result__ledger_entries__kind=LedgerEntry.Kind.RESULT
    )
    rows = counted.order_by("result__ledger_entries__number").values_list(
        "seat",
        "result__ledger_entries__number",
        "rating_after",
        "seat__version__number",
        "result__ledger_entries__season__number",
        "result__ledger_entries__created",
    )
    return [
        (seat, Moment(number, rating or 0, version, season, at)) for seat, number, rating, version, season, at in rows
    ]


def _stretches(entry: Entry, moments: Sequence[Moment]) -> list[Stretch]:
    """The moments by season and version; one query, for the estimates. A version that comes back has several."""
    rows = (
        Estimate.objects.filter(season__ladder=entry.ladder_id, version__bot=entry.bot_id)
        .annotate(of_season=F("season__number"), of_version=F("version__number"))
        .defer("kept_draws")
    )
    estimates = {(row.of_season, row.of_version): row for row in rows}
    groups = groupby(moments, key=lambda moment: (moment.season, moment.version))
    return [Stretch(list(its), estimates.get(of)) for of, its in groups]
