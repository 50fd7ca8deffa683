"""The seatings in which the bots of a block play its deal, so that the value of a seat cancels out of their means."""

from __future__ import annotations

from functools import cache
from itertools import permutations

Seating = tuple[int, ...]
"""The bot of the block, from 0, in each seat, from 0."""


@cache
def seatings(players: int) -> tuple[Seating, ...]:
    """Return all seatings of a block: both orders of 2 players, all six of 3, the cyclic rotations of more.

    Every bot has every seat equally often. The first seating is the order in which the bots were drawn. Raises
    ``ValueError`` for fewer than two players.
    """
    if players < 2:
        raise ValueError(f"a block needs at least two players, not {players}")
    if players <= 3:
        return tuple(permutations(range(players)))
    return tuple(tuple((seat + turn) % players for seat in range(players)) for turn in range(players))


def games_of_a_deal(players: int, *, live: bool) -> int:
    """Return the number of rated games per deal: one per seating, or only one for live games."""
    return 1 if live else len(seatings(players))


def games_at_a_seat(players: int, *, live: bool) -> int:
    """Return the number of games per deal that a bot plays in the same seat; 1 for live games."""
    return 1 if live else len(seatings(players)) // players
