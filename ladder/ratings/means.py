"""Means with confidence intervals by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Mean:
    """The mean of ``count`` independent values and half the width of its 95% interval.

    ``margin`` is ``None`` for one value, because its spread is unknown.
    """

    value: float
    margin: float | None
    count: int

    @property
    def low(self) -> float | None:
        return None if self.margin is None else self.value - self.margin

    @property
    def high(self) -> float | None:
        return None if self.margin is None else self.value + self.margin


def mean_of(values: Sequence[float]) -> Mean | None:
    """Return the mean of ``values``, or ``None`` if empty (W. S. Gosset, *The Probable Error of a Mean*, 1908)."""
    if not values:
        return None
    count = len(values)
    margin = t_quantile(count - 1) * stdev(values) / math.sqrt(count) if count > 1 else None
    return Mean(fmean(values), margin, count)


@lru_cache(maxsize=1024)
def t_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Return the two-sided quantile of Student's distribution for ``confidence``, by bisection to 1e-10."""
    low, high = 0.0, 1.0
    while within(high, freedom) < confidence:
        high *= 2
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle, freedom) < confidence else (low, middle)
    return high


def within(t: float, freedom: int) -> float:
    """Return the probability of Student's distribution between −t and t.

    It uses finite sums (M. Abramowitz, I. Stegun, 26.7.3 and 26.7.4).
    """
    angle = math.atan(t / math.sqrt(freedom))
    term, total = (math.cos(angle), 0.0) if freedom % 2 else (1.0, 0.0)
    for k in range(3 if freedom % 2 else 2, freedom + 1, 2):
        total += term
        term *= (k - 1) / k * math.cos(angle) ** 2
    if freedom % 2:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total
