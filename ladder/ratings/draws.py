"""Draws of estimates as they are kept, and what they say about who is stronger. Plain Python: pages ask it."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from math import sqrt
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


def told_apart(rating: int, draws: Iterable[int], other_rating: int, other_draws: Iterable[int]) -> bool:
    """Whether two estimates of one run differ for sure: 0 is outside the 95 % interval of their difference.

    Draws of one run belong together, number by number, so what both owe to the same deals and opponents falls out.
    """
    differences = [own - other for own, other in zip(draws, other_draws, strict=True)]
    middle = fmean(differences)
    deviation = sqrt(sum((one - middle) ** 2 for one in differences) / (len(differences) - 1))
    return abs(rating - other_rating) > SURE * deviation


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
