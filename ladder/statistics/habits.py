"""How often or how much: a habit over blocks, with an interval that knows that the games of one deal are alike.

A block is one value: the sum of what was done in its games, over the sum of the occasions. The habit is the ratio of
these sums, and its variance that of the ratio estimator for clusters (W. G. Cochran, *Sampling Techniques*, 3rd ed.
1977, section 2.11). A share's
variance is at least that of as many independent occasions, with two more of either kind (A. Agresti, B. A. Coull,
*Approximate is better than "exact"*, The American Statistician 52, 1998): else what was never done in eight blocks
would be known never to be done. A mean that is the same in every block has no interval, because equal values say
nothing about the spread.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bots.intervals import t_quantile
from games.statistics import Habits

FEW = 8
"""Blocks below which nothing is said but the counts."""

HabitSums = dict[str, list[int]]
"""By habit, six sums over blocks with amounts ``a`` and occasions ``n``: of a, n, a², a·n, n², and how many blocks."""


@dataclass(frozen=True)
class Practice:
    """A habit's share or mean ``value``, and its 95 % interval: ``None`` with too few blocks or equal means.

    ``amount`` over ``occasions`` is the value; both are counts over ``blocks``.
    """

    value: float
    low: float | None
    high: float | None
    amount: int
    occasions: int
    blocks: int


def of_block(games: Sequence[Habits]) -> HabitSums:
    """The sums of one block from what was counted in its games."""
    totals: Habits = {}
    for game in games:
        for key, (amount, occasions) in game.items():
            total = totals.setdefault(key, [0, 0])
            total[0] += amount
            total[1] += occasions
    return {key: [a, n, a * a, a * n, n * n, 1] for key, (a, n) in totals.items() if n}


def added_habits(sums: Mapping[str, Sequence[int]], more: Mapping[str, Sequence[int]]) -> HabitSums:
    """Both together; a habit that only one side knows is kept."""
    together = {key: list(numbers) for key, numbers in sums.items()}
    for key, numbers in more.items():
        known = together.get(key, [0] * len(numbers))
        together[key] = [number + other for number, other in zip(known, numbers, strict=True)]
    return together


def practice(sums: Sequence[int], share: bool, scale: int = 1) -> Practice:
    """The habit that six sums tell of, its amounts in 1/``scale``. Raises ``ValueError`` without an occasion."""
    amount, occasions, *_, blocks = sums
    if not occasions:
        raise ValueError("a habit has at least one occasion")
    value = amount / occasions
    if blocks < FEW:
        return Practice(value / scale, None, None, amount, occasions, blocks)
    middle, margin = _interval(sums, share)
    if not margin:
        return Practice(value / scale, None, None, amount, occasions, blocks)
    low, high = middle - margin, middle + margin
    if share:
        low, high = max(0.0, low), min(1.0, high)
    return Practice(value / scale, low / scale, high / scale, amount, occasions, blocks)


def _interval(sums: Sequence[int], share: bool) -> tuple[float, float]:
    """The middle of the interval and half its width."""
    a, n, aa, an, nn, blocks = sums
    ratio = a / n
    spread = max(0.0, aa - 2 * ratio * an + ratio * ratio * nn)
    variance = spread * blocks / (blocks - 1) / n**2
    if share:
        ratio = (a + 2) / (n + 4)
        variance = max(variance, ratio * (1 - ratio) / (n + 4))
    return ratio, t_quantile(blocks - 1) * math.sqrt(variance)
