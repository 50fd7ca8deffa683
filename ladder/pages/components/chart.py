"""Rating charts as SVG: positions of lines, ticks and labels in percent of the box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, islice, zip_longest
from typing import Final

from django.core.cache import caches
from django.utils.formats import date_format

from games.rules import Document
from ladder.models import Estimate, Membership
from ladder.pages.components.traces import RatingPoint, Stretch, Trace, trace
from ladder.ratings.elo import POINT

# --- The axis of ratings ---------------------------------------------------------------------------------------------

_STEPS = (20, 50, 100, 200, 500, 1000, 2000)
_MOST_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high`` points, with a tick every ``step``."""

    low: int
    high: int
    step: int

    def position(self, rating: int) -> float:
        """The position of a rating in 1/1000 point, in percent from the left."""
        return round(100 * (rating / POINT - self.low) / (self.high - self.low), 2)

    @property
    def ticks(self) -> list[tuple[int, float]]:
        """Points and positions of the ticks, including the ends."""
        return [(points, self.position(points * POINT)) for points in range(self.low, self.high + 1, self.step)]


def axis(ratings: Sequence[int]) -> Axis:
    """The axis that contains ``ratings`` (1/1000 point), with the smallest step that needs few ticks."""
    lowest, highest = min(ratings, default=1500 * POINT) // POINT, -(-max(ratings, default=1500 * POINT) // POINT)
    for step in _STEPS:
        low, high = lowest // step * step, -(-highest // step) * step
        if (high - low) // step < _MOST_TICKS:
            break
    return Axis(low, max(high, low + step), step)


# --- The axis of time ------------------------------------------------------------------------------------------------

_MOST_TIME_TICKS: Final = 6
_TIME_STEPS: Final = (
    *(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20)),
    *(timedelta(hours=hours) for hours in (0.5, 1, 2, 4, 8)),
    *(timedelta(days=days) for days in (1, 2, 4, 8)),
)
_MONTHS: Final = (1, 2, 3, 6, 12, 24, 60, 120)


@dataclass(frozen=True)
class TimeAxis:
    """From ``first`` to ``last``."""

    first: datetime
    last: datetime

    def position(self, moment: datetime) -> float:
        """The position of a moment, in percent from the left; 100 if there is only one."""
        length = (self.last - self.first).total_seconds()
        return round(100 * (moment - self.first).total_seconds() / length, 2) if length else 100.0

    @property
    def ticks(self) -> list[tuple[str, float]]:
        """Labels and positions of the ticks, from the left."""
        moments = list(self._moments())
        by_day = all(moment.hour == moment.minute == 0 for moment in moments)
        return [(_said(moment, by_day), self.position(moment)) for moment in moments]

    def _moments(self) -> Iterator[datetime]:
        length = self.last - self.first
        for step in _TIME_STEPS:
            if length < _MOST_TIME_TICKS * step:
                return _every(step, self.first, self.last)
        for months in _MONTHS:
            if length < _MOST_TIME_TICKS * timedelta(days=30) * months:
                return _every_month(months, self.first, self.last)
        return iter([self.first])


def _every(step: timedelta, first: datetime, last: datetime) -> Iterator[datetime]:
    """The multiples of ``step`` since the beginning of the month."""
    start = first.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    at = start + -(-(first - start) // step) * step
    while at <= last:
        yield at
        at += step


def _every_month(months: int, first: datetime, last: datetime) -> Iterator[datetime]:
    at = first.replace(month=1, day=1, hour=0, minute=0, second=0, microsecond=0)
    count = 12 * at.year
    while at <= last:
        if at >= first and not count % months:
            yield at
        count += 1
        at = at.replace(year=count // 12, month=count % 12 + 1)


def _said(moment: datetime, by_day: bool) -> str:
    if moment.month == moment.day == 1 and by_day:
        return str(moment.year)
    return date_format(moment, "j M" if by_day or moment.hour == moment.minute == 0 else "H:i")


# --- Charts ----------------------------------------------------------------------------------------------------------

_ROOM: Final = 0.06
"""The margin of the box around the ratings and intervals, as a share of their range."""

_APART: Final = 7.0
"""The minimum distance of two labels in percent of the width. Labels that are closer are left out."""


@dataclass(frozen=True)
class Mark:
    """A line with a label, and its position from the left (levels: from the top). ``text`` is empty without space."""

    place: float
    text: str


@dataclass(frozen=True)
class Band:
    """The 95% CI of a version during its games, with its estimate."""

    left: float
    width: float
    top: float
    height: float
    estimate: float


@dataclass(frozen=True)
class DrawnTrace:
    """One trace in the box; ``paths`` has one path per season."""

    trace: Trace
    paths: Sequence[str]
    bands: Sequence[Band]
    last: tuple[float, float]
    points: str

    @property
    def name(self) -> str:
        return self.trace.membership.bot.name


@dataclass(frozen=True)
class RatingChart:
    """One trace, or two to be compared; ``versions`` are marked where there is one, and it is no person's.

    ``drawn[…].points`` are for a script: ``x y rating version moment`` of each moment, joined by semicolons. For
    a person ``-`` stands for the version.
    """

    drawn: Sequence[DrawnTrace]
    levels: Sequence[Mark]
    times: Sequence[Mark]
    seasons: Sequence[Mark]
    versions: Sequence[Mark]

    @property
    def traces(self) -> list[Trace]:
        return [drawn.trace for drawn in self.drawn]

    @property
    def of_versions(self) -> bool:
        """Whether a bot is among the members: human players have no versions."""
        return not all(curve.by_hand for curve in self.traces)

    @property
    def thinned(self) -> bool:
        return any(drawn.trace.thinned for drawn in self.drawn)


class _Box:
    """The ranges of ratings and times of a chart. All intervals are inside."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        moments = [moment for curve in traces for moment in curve.moments]
        ratings = [moment.rating for moment in moments]
        self.times = TimeAxis(min(moment.at for moment in moments), max(moment.at for moment in moments))
        known = [stretch.estimate for curve in traces for stretch in curve.stretches if stretch.estimate]
        ends = [end for estimate in known for end in (estimate.low, estimate.high)]
        low, high = min([*ratings, *ends]), max([*ratings, *ends])
        room = max(POINT, (high - low) * _ROOM)
        self.low, self.high = low - room, high + room

    def right(self, moment: RatingPoint) -> float:
        return self.times.position(moment.at)

    def down(self, rating: float) -> float:
        return round(100 * (self.high - rating) / (self.high - self.low), 2)


def rating_chart(traces: Sequence[Trace | None]) -> RatingChart | None:
    """The chart of the traces that are not ``None``; ``None`` without any. No queries."""
    shown = [curve for curve in traces if curve is not None]
    if not shown:
        return None
    box = _Box(shown)
    levels = [points for points, _ in axis([round(box.low), round(box.high)]).ticks]
    return RatingChart(
        drawn=[_drawn(curve, box) for curve in shown],
        levels=[Mark(box.down(level * POINT), str(level)) for level in levels if box.low <= level * POINT <= box.high],
        times=[Mark(place, text) for text, place in box.times.ticks],
        seasons=_seasons(shown, box),
        versions=_versions(shown[0], box) if len(shown) == 1 and not shown[0].by_hand else [],
    )


def _drawn(curve: Trace, box: _Box) -> DrawnTrace:
    seasons = groupby(curve.moments, key=lambda moment: moment.season)
    pairs = zip_longest(curve.stretches, curve.stretches[1:])
    return DrawnTrace(
        trace=curve,
        paths=[_path([(box.right(moment), box.down(moment.rating)) for moment in moments]) for _, moments in seasons],
        bands=[_band(stretch, _end(stretch, after), box) for stretch, after in pairs if stretch.estimate],
        last=(box.right(curve.last), box.down(curve.last.rating)),
        points=";".join(_point(moment, "-" if curve.by_hand else str(moment.version), box) for moment in curve.moments),
    )


def _point(moment: RatingPoint, version: str, box: _Box) -> str:
    return (
        f"{box.right(moment)} {box.down(moment.rating)} {moment.rating / POINT:.0f} "
        f"{version} {moment.at:%Y-%m-%dT%H:%MZ}"
    )


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x} {y}" for x, y in points)


def _end(stretch: Stretch, after: Stretch | None) -> RatingPoint:
    """The end of a stretch: the start of the next one in the same season."""
    return after.first if after and after.season == stretch.season else stretch.last


def _band(stretch: Stretch, end: RatingPoint, box: _Box) -> Band:
    assert stretch.estimate is not None
    left, right = box.right(stretch.first), box.right(end)
    top, bottom = box.down(stretch.estimate.high), box.down(stretch.estimate.low)
    width, height = round(max(0.5, right - left), 2), round(bottom - top, 2)
    return Band(min(left, 100 - width), width, top, height, box.down(stretch.estimate.rating))


def _seasons(traces: Sequence[Trace], box: _Box) -> list[Mark]:
    """The starts of seasons, if there is more than one."""
    begun: dict[int, float] = {}
    for moment in sorted((moment for curve in traces for moment in curve.moments), key=lambda moment: moment.at):
        begun.setdefault(moment.season, box.right(moment))
    marks = [Mark(place, str(season)) for season, place in begun.items()]
    return _with_room(marks) if len(marks) > 1 else []


def _versions(curve: Trace, box: _Box) -> list[Mark]:
    """The starts of versions."""
    changes = groupby(curve.moments, key=lambda moment: moment.version)
    return _with_room([Mark(box.right(next(iter(moments))), f"v{version}") for version, moments in changes])


def _with_room(marks: Sequence[Mark]) -> list[Mark]:
    """The marks, without labels that are too close to the previous label."""
    free, kept = -_APART, []
    for mark in marks:
        kept.append(mark if mark.place - free >= _APART else Mark(mark.place, ""))
        free = mark.place if kept[-1].text else free
    return kept


# --- Charts that are kept for a while --------------------------------------------------------------------------------

KEPT_SECONDS: Final = 600


def chart_of(membership: Membership, estimates: Sequence[Estimate]) -> RatingChart | None:
    """The chart of ``membership``, with three queries if its rating or its ``estimates`` have changed, else with none.

    What is kept has no names in it.
    """
    computed = max((estimate.computed.isoformat() for estimate in estimates), default="")
    key = f"trace/3:{membership.pk}:{membership.games}:{membership.rating}:{computed}".replace(" ", "")
    kept = caches["pages"].get(key)
    if kept is not None:
        return rating_chart([_unpacked(membership, kept)])
    fresh = trace(membership)
    if fresh is None:
        return None
    caches["pages"].set(key, _packed(fresh), KEPT_SECONDS)
    return rating_chart([fresh])


def _packed(curve: Trace) -> Document:
    """The trace without its membership, as JSON. Stretches are the moments by season and version, so their sizes
    suffice.
    """
    moments = [
        [moment.number, moment.rating, moment.version, moment.season, moment.at.isoformat()] for moment in curve.moments
    ]
    estimates = [
        stretch.estimate and [stretch.estimate.rating, stretch.estimate.low, stretch.estimate.high]
        for stretch in curve.stretches
    ]
    sizes = [len(stretch.moments) for stretch in curve.stretches]
    return {"moments": moments, "sizes": sizes, "estimates": estimates, "thinned": curve.thinned}


def _unpacked(membership: Membership, kept: Document) -> Trace:
    moments = [
        RatingPoint(number, rating, version, season, datetime.fromisoformat(at))
        for number, rating, version, season, at in kept["moments"]
    ]
    left = iter(moments)
    stretches = [
        Stretch(list(islice(left, size)), of and Estimate(rating=of[0], low=of[1], high=of[2]))
        for size, of in zip(kept["sizes"], kept["estimates"], strict=True)
    ]
    return Trace(membership, moments, stretches, kept["thinned"])
