"""In which orders a block's bots sit down at its one deal, so that what a seat is worth falls out of their means."""

from __future__ import annotations

from functools import cache
from itertools import permutations

Seating = tuple[int, ...]
"""By seat, from 0, which of the block's bots sits there, from 0."""


@cache
def seatings(players: int) -> tuple[Seating, ...]:
    """All seatings of a block of ``players``: both orders of 2, all six of 3, the cyclic rotations of more.

    Every bot sits in every seat equally often, and the first seating is the order in which the bots were drawn. Raises
    ``ValueError`` for fewer than two.
    """
    if players < 2:
        raise ValueError(f"a block needs at least two players, not {players}")
    if players <= 3:
        return tuple(permutations(range(players)))
    return tuple(tuple((seat + turn) % players for seat in range(players)) for turn in range(players))


def games_of_a_deal(players: int, *, live: bool) -> int:
    """How many rated games a deal is for: one in each of the seatings, and one alone of a ladder of live games."""
    return 1 if live else len(seatings(players))


def games_at_a_seat(players: int, *, live: bool) -> int:
    """In how many games of a deal a bot sits at the same seat; in the only one, of a ladder of live games."""
    return 1 if live else len(seatings(players)) // players
