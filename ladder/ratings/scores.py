"""What a rank at one table is worth, so that tables can be averaged."""

from __future__ import annotations

from collections.abc import Sequence


def beaten(rank: int, ranks: Sequence[int]) -> float:
    """The share of opponents that ``rank`` has beaten, 0 to 1; a shared rank counts half. ``ranks`` are the table's.

    The mean over a table is always ½. Raises ``ValueError`` for a table of one.
    """
    if len(ranks) < 2:
        raise ValueError("at least two ranks are required")
    behind = sum(other > rank for other in ranks)
    level = sum(other == rank for other in ranks) - 1
    return (behind + level / 2) / (len(ranks) - 1)
