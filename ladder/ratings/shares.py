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


def first_places(wins: int) -> float:
    """Return wins, which are stored in 1/60, with four decimals."""
    return round(wins / WIN, 4)


def win_share(wins: int, games: int) -> float | None:
    """Return first places per game, shared ones divided, 0 to 1; ``None`` without a game. ``wins`` are in 1/60."""
    return wins / (WIN * games) if games else None
