"""The choices that form a ranking with ties, for Plackett-Luce. Plain Python, for games of 2 to 5 seats."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb


@cache
def choices(groups: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Return the choices in a game whose places are shared by ``groups`` in order, with their weights.

    ``(1, 1, 2)`` is a first, a second, and two that share the third place. Each choice is the tuple of places, from 0,
    of which one was chosen next. A tie counts as all orders of its seats in equal parts, so a set of k of m tied seats
    occurs with weight 1 / C(m, k). The last place is also a choice: one of one.
    """
    weighted = []
    end = sum(groups)
    start = 0
    for size in groups:
        behind = tuple(range(start + size, end))
        for left in range(1, size + 1):
            weight = 1 / comb(size, left)
            weighted += [(tied + behind, weight) for tied in combinations(range(start, start + size), left)]
        start += size
    return tuple(weighted)


def groups_of(tied: int, seats: int) -> tuple[int, ...]:
    """Return the sizes of groups with equal rank. Bit i of ``tied``: place i + 1 shares the rank of place i."""
    sizes = [1]
    for place in range(seats - 1):
        if tied >> place & 1:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return tuple(sizes)
