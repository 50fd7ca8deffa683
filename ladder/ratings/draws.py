"""Draws of an estimate as they are kept, and what two of them say about who is stronger. Plain Python: pages ask it."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
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


def _swapped(draws: array[int]) -> array[int]:
    if sys.byteorder == "big":
        draws.byteswap()
    return draws
