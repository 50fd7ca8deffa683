"""How probable it is that honest play gives a pair what it gained; ``ladder.statistics.collusion`` says why so."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from statistics import median, variance

from bots.intervals import within
from ladder.statistics.gains import Pair, PairGain

_SHARED_FREEDOM = 10
"""How many blocks' worth of belief a pair's spread has in the spread of the others."""

_SIGMAS_PER_MAD = 1.4826
_NONE_SO_SMALL = 1e-12


def chances_of(
    common: Mapping[Pair, PairGain], excesses: Mapping[Pair, float], material: float
) -> dict[tuple[int, int], float]:
    """By ordered pair, the probability of as much excess beyond ``material`` among honest pairs, corrected.

    ``excesses`` are of the first of a pair from the second. The answer has both orders of every pair.
    """
    errors = _errors(common)
    usual_error = median(errors.values())
    sizes: dict[int, dict[Pair, float]] = defaultdict(dict)
    for pair, excess in excesses.items():
        for player in pair:
            sizes[player][pair] = abs(excess)
    everybodys = [abs(excess) for excess in excesses.values()]
    chances: dict[tuple[int, int], float] = {}
    for pair, excess in excesses.items():
        a, b = pair
        others = [[size for other, size in sizes[player].items() if other != pair] for player in pair]
        usual, values = max((_SIGMAS_PER_MAD * median(known), len(known)) for known in (everybodys, *others) if known)
        spread = math.sqrt(errors[pair] + max(0.0, usual**2 - usual_error))
        freedom = max(1, min(values, _SHARED_FREEDOM + len(common[pair].gains)) - 1)
        chances[a, b] = _beyond(excess - material, spread, freedom)
        chances[b, a] = _beyond(-excess - material, spread, freedom)
    return adjusted(chances)


def adjusted(chances: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Probabilities corrected for their number: the least false discovery rate at which each is named.

    Y. Benjamini, Y. Hochberg, *Controlling the False Discovery Rate*, JRSS B 57, 1995.
    """
    corrected: dict[tuple[int, int], float] = {}
    least = 1.0
    ordered = sorted(chances, key=lambda pair: (chances[pair], pair))
    for place in range(len(ordered), 0, -1):
        pair = ordered[place - 1]
        least = min(least, chances[pair] * len(ordered) / place)
        corrected[pair] = least
    return corrected


def _beyond(excess: float, spread: float, freedom: int) -> float:
    """The part of Student's distribution above ``excess``."""
    t = excess / spread if spread > _NONE_SO_SMALL else 0.0
    outside = (1 - within(abs(t), freedom)) / 2
    return outside if t > 0 else 1 - outside


def _errors(common: Mapping[Pair, PairGain]) -> dict[Pair, float]:
    """By pair, the squared error of its mean; pairs with few blocks lean on the spread of the others."""
    spreads = {pair: variance(pair_gain.gains) for pair, pair_gain in common.items()}
    shared = _SHARED_FREEDOM * median(spreads.values())
    errors = {}
    for pair, pair_gain in common.items():
        count = len(pair_gain.gains)
        errors[pair] = (shared + (count - 1) * spreads[pair]) / (_SHARED_FREEDOM + count - 1) / count
    return errors
