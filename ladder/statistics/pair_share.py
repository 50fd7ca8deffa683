"""What share of the points one bot takes from another, with the interval of a bounded mean (``bots.intervals``).

A block is one value from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

from bots.intervals import bounded_interval


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
    return PairShare(total / blocks, *bounded_interval(blocks, total, squares), blocks)
