"""What the templates of statistics use: figures with their signs, places on an axis, rows by two keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template

from ladder.pages.components import words
from ladder.pages.statistics import SeatAxis
from ladder.ratings.means import Mean
from ladder.statistics.pair_share import PairShare

register = template.Library()


@register.filter
def gained(amount: float | None, digits: int = 2) -> str:
    """An amount with its sign, a true minus; a dash where there is none."""
    return "–" if amount is None else words.signed(round(1000 * amount), digits)


@register.filter
def figure(amount: float | None) -> str:
    """A mean a game with as many digits as it deserves; a dash where there is none."""
    return "–" if amount is None else f"{amount:.{1 if abs(amount) >= 10 else 2}f}"


@register.filter
def chance(probability: float) -> str:
    """A corrected probability, in words where digits would only pretend."""
    if probability < 0.0001:
        return "under 0.0001"
    return "1" if probability > 0.995 else f"{probability:.{4 if probability < 0.01 else 2}f}"


@register.filter
def place(axis: SeatAxis, share: float) -> float:
    """Where a share lies on the axis of the seats, in per cent."""
    return axis.place(share)


@register.filter
def wide(axis: SeatAxis, share: Mean) -> float:
    """How long an interval is on the axis, in per cent."""
    return round(axis.place(share.high or 0) - axis.place(share.low or 0), 2) if share.margin is not None else 0


@register.filter
def slice_at(items: Sequence[Any], place: int) -> Any:
    """The item at a place, from 0."""
    return items[place]


@register.filter
def span(share: PairShare) -> str:
    """The interval in per cent, in words."""
    return f"{100 * share.low:.0f} to {100 * share.high:.0f}"
