"""Means and shares with 95% confidence intervals that are honest after few values.

A mean of values within known bounds, such as ranks, has :func:`bounded`. Two values are added before the interval of
Student's t is computed, one at each bound, as A. Agresti and B. Caffo do for proportions (*Simple and effective
confidence intervals for proportions and differences of proportions result from adding two successes and two failures*,
The American Statistician 54, 2000). Three equal results therefore have a wide interval.

Paired differences from −1 to 1 have :func:`difference`. It adds half a pair in favor of each side and one tie
(A. Agresti, Y. Min, *Simple improved confidence intervals for comparing matched proportions*, Statistics in Medicine
24, 2005).

Values without bounds, such as money, have :func:`unbounded`: Student's t (W. S. Gosset, *The Probable Error of a Mean*,
1908). Equal values say nothing about the spread, so they have no interval.

A share of games has :func:`wilson` (E. B. Wilson, *Probable Inference, the Law of Succession, and Statistical
Inference*, 1927).

``tests/bots/test_intervals.py`` measures how often the intervals contain the true mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from typing import Any, Final

CONFIDENCE: Final = 0.95
Z95: Final = 1.959964
"""The normal quantile of a two-sided 95% interval."""

_ADDED: Final = 2
"""Values that are added to those observed."""


@dataclass(frozen=True)
class Mean:
    """The mean of ``count`` independent values with its 95% interval from ``low`` to ``high``.

    Both are ``None`` if the values say nothing about their spread: one value, or equal values without bounds.
    """

    value: float
    low: float | None
    high: float | None
    count: int

    @property
    def margin(self) -> float | None:
        """Half the width of the interval."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def document(self) -> dict[str, Any]:
        """Return the mean and its interval as JSON values."""
        return {"mean": self.value, "low": self.low, "high": self.high}


def bounded(values: Sequence[float], least: float = 0.0, most: float = 1.0) -> Mean:
    """Return the mean of at least one value from ``least`` to ``most``."""
    width = most - least
    parts = [(value - least) / width for value in values]
    low, high = bounded_interval(len(parts), math.fsum(parts), math.fsum(part * part for part in parts))
    return _mean(values, least + width * low, least + width * high)


def bounded_interval(count: int, total: float, squares: float) -> tuple[float, float]:
    """Return the interval of the mean of ``count`` values from 0 to 1, given their sum and the sum of their squares."""
    low, high = _with_two(count, total, squares, 1.0, 1.0)
    return max(0.0, low), min(1.0, high)


def difference(values: Sequence[float]) -> Mean:
    """Return the mean of at least one paired difference from −1 to 1."""
    low, high = _with_two(len(values), math.fsum(values), math.fsum(value * value for value in values), 0.0, 1.0)
    return _mean(values, max(-1.0, low), min(1.0, high))


def unbounded(values: Sequence[float]) -> Mean:
    """Return the mean of at least one value without known bounds."""
    mean, spread = fmean(values), stdev(values) if len(values) > 1 else 0.0
    if not spread:
        return Mean(mean, None, None, len(values))
    margin = t_quantile(len(values) - 1) * spread / math.sqrt(len(values))
    return Mean(mean, mean - margin, mean + margin, len(values))


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the interval of a share of ``games``. It is always within 0 and 1."""
    square = Z95 * Z95
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = Z95 * math.sqrt(share * (1 - share) / games + square / (4 * games * games)) / (1 + square / games)
    return max(0.0, middle - half), min(1.0, middle + half)


def _mean(values: Sequence[float], low: float, high: float) -> Mean:
    value = fmean(values)
    if len(values) == 1:
        return Mean(value, None, None, 1)
    return Mean(value, low, high, len(values))


def _with_two(count: int, total: float, squares: float, added_sum: float, added_squares: float) -> tuple[float, float]:
    """Return Student's interval after adding two values with this sum and this sum of squares."""
    count += _ADDED
    mean = (total + added_sum) / count
    variance = max(0.0, squares + added_squares - count * mean * mean) / (count - 1)
    margin = t_quantile(count - 1) * math.sqrt(variance / count)
    return mean - margin, mean + margin


# --- Student's distribution ------------------------------------------------------------------------------------------


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
