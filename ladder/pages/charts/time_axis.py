"""An axis of time with few ticks at round moments: minutes, hours, days, months or years, whatever fits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.formats import date_format

_MOST_TICKS: Final = 6
_STEPS: Final = (
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
        """Where a moment lies, in per cent from the left; at the right end if there is but one."""
        length = (self.last - self.first).total_seconds()
        return round(100 * (moment - self.first).total_seconds() / length, 2) if length else 100.0

    @property
    def ticks(self) -> list[tuple[str, float]]:
        """Words and positions of the ticks, from the left."""
        found = list(self._moments())
        by_day = all(moment.hour == moment.minute == 0 for moment in found)
        return [(_said(moment, by_day), self.position(moment)) for moment in found]

    def _moments(self) -> Iterator[datetime]:
        length = self.last - self.first
        for step in _STEPS:
            if length < _MOST_TICKS * step:
                return _every(step, self.first, self.last)
        for months in _MONTHS:
            if length < _MOST_TICKS * timedelta(days=30) * months:
                return _every_month(months, self.first, self.last)
        return iter([self.first])


def _every(step: timedelta, first: datetime, last: datetime) -> Iterator[datetime]:
    """The multiples of ``step`` since the month began."""
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
