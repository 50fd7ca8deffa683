"""The choices that a ranking is made of, with ties, for Plackett-Luce; plain Python, for tables of 2 to 5 seats."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb


@cache
def choices(groups: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], float], ...]:
    """Among whom the next one was chosen, and how often, at a table whose places are shared by ``groups`` in order.

    ``(1, 1, 2)`` are a first, a second and two who share the third place. Each choice is a tuple of places, from 0,
    with its weight. A tie stands for all orders of those who share it, each in equal parts, so a set of k of m tied
    seats is still there with weight 1 / C(m, k). The last one is chosen, too: among one.
    """
    found = []
    end = sum(groups)
    start = 0
    for size in groups:
        behind = tuple(range(start + size, end))
        for left in range(1, size + 1):
            weight = 1 / comb(size, left)
            found += [(tied + behind, weight) for tied in combinations(range(start, start + size), left)]
        start += size
    return tuple(found)


def groups_of(tied: int, seats: int) -> tuple[int, ...]:
    """The sizes of the groups of equal rank: bit i of ``tied`` says that place i + 1 shares the rank of place i."""
    sizes = [1]
    for place in range(seats - 1):
        if tied >> place & 1:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return tuple(sizes)
