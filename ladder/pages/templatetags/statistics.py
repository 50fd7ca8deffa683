"""Template filters for statistics: signed figures, probabilities and positions on an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template

from bots.intervals import Mean
from ladder.pages.components import words
from ladder.pages.statistics import SeatAxis
from ladder.statistics.pair_share import PairShare

register = template.Library()


@register.filter
def gained(amount: float | None, digits: int = 2) -> str:
    """An amount with its sign; a dash for ``None``."""
    return "–" if amount is None else words.signed(round(1000 * amount), digits)


@register.filter
def figure(amount: float | None) -> str:
    """A mean per game with one or two decimals; a dash for ``None``."""
    return "–" if amount is None else f"{amount:.{1 if abs(amount) >= 10 else 2}f}"


@register.filter
def chance(probability: float) -> str:
    """A corrected probability, without digits that would be meaningless."""
    if probability < 0.0001:
        return "< 0.0001"
    return "1" if probability > 0.995 else f"{probability:.{4 if probability < 0.01 else 2}f}"


@register.filter
def place(axis: SeatAxis, share: float) -> float:
    """The position of a share on the axis of the seats, in percent."""
    return axis.place(share)


@register.filter
def wide(axis: SeatAxis, share: Mean) -> float:
    """The length of an interval on the axis, in percent."""
    return 0 if share.low is None or share.high is None else round(axis.place(share.high) - axis.place(share.low), 2)


@register.filter
def slice_at(items: Sequence[Any], place: int) -> Any:
    """The item with this index."""
    return items[place]


@register.filter
def span(share: PairShare) -> str:
    """The interval in percent: ``48 to 55``."""
    return f"{100 * share.low:.0f} to {100 * share.high:.0f}"
