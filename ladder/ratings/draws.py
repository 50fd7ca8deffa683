"""Draws of estimates as they are kept, and what they say about who is stronger. Plain Python: pages ask it."""

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
"""Standard deviations of the draws on either side of an estimate that make 95 %."""

_KEPT: Final = "i"


def packed(draws: Iterable[int]) -> bytes:
    """Draws in 1/1000 point as four bytes each, little-endian."""
    return _swapped(array(_KEPT, draws)).tobytes()


def unpacked(kept: bytes) -> array[int]:
    """What ``packed`` was given."""
    draws = array(_KEPT)
    draws.frombytes(kept)
    return _swapped(draws)


@dataclass(frozen=True)
class Centred:
    """An estimate whose draws are taken around their mean: made once, it is compared with many at little cost."""

    rating: int
    draws: Sequence[float]
    squares: float

    @classmethod
    def of(cls, rating: int, draws: Sequence[int]) -> Centred:
        """From an estimate and its draws, in 1/1000 point."""
        middle = fmean(draws)
        around = [one - middle for one in draws]
        return cls(rating, around, sum(map(mul, around, around)))

    def margin_from(self, other: Centred) -> float:
        """Half the 95 % interval of the difference of two estimates of one run.

        Draws of one run belong together, number by number, so what both owe to the same deals and opponents falls out.
        """
        together = sum(map(mul, self.draws, other.draws))
        return SURE * sqrt(max(0.0, self.squares + other.squares - 2 * together) / (len(self.draws) - 1))

    def told_apart_from(self, other: Centred) -> bool:
        """Whether two estimates of one run differ for sure: 0 is outside the 95 % interval of their difference."""
        return abs(self.rating - other.rating) > self.margin_from(other)


def told_apart(rating: int, draws: Sequence[int], other_rating: int, other_draws: Sequence[int]) -> bool:
    """Whether two estimates differ for sure, see :class:`Centred`. Raises ``ValueError`` for draws of two runs."""
    if len(draws) != len(other_draws):
        raise ValueError("draws of two estimates belong together only within one run")
    return Centred.of(rating, draws).told_apart_from(Centred.of(other_rating, other_draws))


def rank_intervals(intervals: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The best and the worst rank that each may have, from the intervals of all: above is who is wholly above.

    That two intervals do not touch is a stricter test than that of their difference; a rank is compared with many.
    """
    lows, highs = sorted(low for low, _ in intervals), sorted(high for _, high in intervals)
    count = len(intervals)
    return [(count - bisect_right(lows, high) + 1, count - bisect_left(highs, low)) for low, high in intervals]


def _swapped(draws: array[int]) -> array[int]:
    if sys.byteorder == "big":
        draws.byteswap()
    return draws
