"""Score of a rank in one game, so that games can be averaged."""

from __future__ import annotations

from collections.abc import Sequence


def beaten(rank: int, ranks: Sequence[int]) -> float:
    """Return the share of opponents that ``rank`` has beaten, 0 to 1. A shared rank counts half.

    ``ranks`` are the ranks of all seats. The mean over a game is always ½. Raises ``ValueError`` for a single seat.
    """
    if len(ranks) < 2:
        raise ValueError("at least two ranks are required")
    behind = sum(other > rank for other in ranks)
    level = sum(other == rank for other in ranks) - 1
    return (behind + level / 2) / (len(ranks) - 1)
