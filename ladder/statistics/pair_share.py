"""What share of the points one bot takes from another, with an interval that says something after few blocks, too.

A block is one value from 0 to 1. Two blocks of which each side took one are added before the spread is judged, as
A. Agresti and B. Caffo do for proportions (*Simple and effective confidence intervals for proportions*, The American
Statistician 54, 2000): else two lost blocks would prove that nothing can ever be won. The interval is cut at 0 and 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ladder.ratings.means import t_quantile

_ADDED = 2
_THEIR_SUM = _THEIR_SQUARES = 1.0


@dataclass(frozen=True)
class PairShare:
    """The mean of ``blocks`` values, and the 95 % interval from ``low`` to ``high``; all from 0 to 1."""

    value: float
    low: float
    high: float
    blocks: int


def pair_share(blocks: int, total: float, squares: float) -> PairShare:
    """From the sum of the blocks' values, and that of their squares. Raises ``ValueError`` for no block."""
    if blocks < 1:
        raise ValueError("a share is of at least one block")
    count = blocks + _ADDED
    mean = (total + _THEIR_SUM) / count
    spread = (squares + _THEIR_SQUARES - count * mean * mean) / (count - 1)
    margin = t_quantile(count - 1) * math.sqrt(max(0.0, spread) / count)
    return PairShare(total / blocks, max(0.0, mean - margin), min(1.0, mean + margin), blocks)
