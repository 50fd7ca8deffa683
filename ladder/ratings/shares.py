"""Wins: shares of one win among the winners of a match in integers, and wins per game."""

from __future__ import annotations

from collections.abc import Sequence

WIN = 60
"""One win. 1 to 5 winners share it without a remainder."""


def win_shares(ranks: Sequence[int]) -> tuple[int, ...]:
    """Return each seat's share of the win in 1/60, by its rank: ``(30, 30, 0)`` for ``(1, 1, 3)``."""
    best = min(ranks)
    share = WIN // ranks.count(best)
    return tuple([share if rank == best else 0 for rank in ranks])


def wins(win_shares: int) -> float:
    """The number of wins with four decimals. ``win_shares`` are in 1/60 of a win."""
    return round(win_shares / WIN, 4)


def win_rate(win_shares: int, games: int) -> float | None:
    """Wins per game, 0 to 1; ``None`` without a game. ``win_shares`` are in 1/60 of a win."""
    return win_shares / (WIN * games) if games else None
