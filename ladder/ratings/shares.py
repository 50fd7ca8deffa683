"""The shares of a win among the winners of a match, in integers."""

from __future__ import annotations

from collections.abc import Sequence

WIN = 60
"""One win. 1 to 5 winners share it without a remainder."""


def win_shares(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return each seat's share of the win in 1/60, by its rank: ``(30, 30, 0)`` for ``(1, 1, 3)``."""
    best = min(ranks)
    share = WIN // ranks.count(best)
    return tuple([share if rank == best else 0 for rank in ranks])
