"""Stored draws of estimates, and comparisons of estimates. Plain Python, for use in pages."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from operator import mul
from statistics import fmean
from typing import Final

SURE: Final = 1.959963984540054
"""Half the width of a 95% interval in standard deviations of the draws."""

_KEPT: Final = "i"


def packed(draws: Iterable[int]) -> bytes:
    """Pack draws in 1/1000 point as four bytes each, little-endian."""
    return _swapped(array(_KEPT, draws)).tobytes()


def unpacked(kept: bytes) -> array[int]:
    """Return the draws that ``packed`` has packed."""
    draws = array(_KEPT)
    draws.frombytes(kept)
    return _swapped(draws)


@dataclass(frozen=True)
class Centred:
    """An estimate with its draws relative to their mean, for fast comparisons with many others."""

    rating: int
    draws: Sequence[float]
    squares: float

    @classmethod
    def of(cls, rating: int, draws: Sequence[int]) -> Centred:
        """Create it from an estimate and its draws, in 1/1000 point."""
        middle = fmean(draws)
        around = [draw - middle for draw in draws]
        return cls(rating, around, sum(map(mul, around, around)))

    def margin_from(self, other: Centred) -> float:
        """Return half the width of the 95% interval of the difference of two estimates of one run.

        Draws of one run are paired by number, so common effects of the same deals and opponents cancel out.
        """
        together = sum(map(mul, self.draws, other.draws))
        return SURE * sqrt(max(0.0, self.squares + other.squares - 2 * together) / (len(self.draws) - 1))

    def told_apart_from(self, other: Centred) -> bool:
        """Return whether two estimates of one run differ: 0 is outside the 95% interval of their difference."""
        return abs(self.rating - other.rating) > self.margin_from(other)


def told_apart(rating: int, draws: Sequence[int], other_rating: int, other_draws: Sequence[int]) -> bool:
    """Return whether two estimates differ, see :class:`Centred`. Raises ``ValueError`` for draws of two runs."""
    if len(draws) != len(other_draws):
        raise ValueError("draws of two estimates belong together only within one run")
    return Centred.of(rating, draws).told_apart_from(Centred.of(other_rating, other_draws))


def rank_intervals(intervals: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the best and the worst possible rank of each interval. Only intervals completely above count as better.

    Disjoint intervals are a stricter test than the interval of the difference, because a rank needs many comparisons.
    """
    lows, highs = sorted(low for low, _ in intervals), sorted(high for _, high in intervals)
    count = len(intervals)
    return [(count - bisect_right(lows, high) + 1, count - bisect_left(highs, low)) for low, high in intervals]


def _swapped(draws: array[int]) -> array[int]:
    if sys.byteorder == "big":
        draws.byteswap()
    return draws
