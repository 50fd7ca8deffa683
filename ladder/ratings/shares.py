"""How the win of a match is shared among those who won it, in integers."""

from __future__ import annotations

from collections.abc import Sequence

WIN = 60
"""One win. 1 to 5 winners share it without a remainder."""


def win_shares(ranks: Sequence[int]) -> tuple[int, ...]:
    """Each seat's part of the win in 1/60, by its competition rank: ``(1, 1, 3)`` gives ``(30, 30, 0)``."""
    winners = sum(1 for rank in ranks if rank == 1)
    return tuple(WIN // winners if rank == 1 else 0 for rank in ranks)
