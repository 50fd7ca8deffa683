"""Tables for the next matches of a ladder: who has played least sits down first, with opponents near in rating.

An opponent is drawn with a weight that falls with the distance in rating as a Cauchy curve does: near ones are likely,
and no one is impossible, so that the top meets the middle, too. Drawing without replacement is by exponential keys
(P. S. Efraimidis, P. G. Spirakis, *Weighted random sampling with a reservoir*, 2006).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

HALF_WEIGHT = 200_000
"""The distance in rating (1/1000 point) at which an opponent is half as likely as an equal one."""


@dataclass(frozen=True)
class Candidate:
    """An entry that may play. ``games`` counts those still to be played, too.

    Bots of one ``owner`` do not meet; ``None`` is the house, whose bots may meet each other.
    """

    entry: int
    rating: int
    games: int
    owner: int | None


def tables(candidates: Iterable[Candidate], seats: int, count: int, random: Random) -> list[tuple[int, ...]]:
    """``count`` tables of ``seats`` different entries each, in seat order; none if too few may sit at one table.

    The same candidates, in whatever order, and the same ``random`` give the same tables.
    """
    pool = {candidate.entry: candidate for candidate in sorted(candidates, key=lambda one: one.entry)}
    if _most_at_one_table(pool.values()) < seats:
        return []
    drawn = []
    for _ in range(count):
        table = _table(list(pool.values()), seats, random)
        drawn.append(table)
        for entry in table:
            pool[entry] = replace(pool[entry], games=pool[entry].games + 1)
    return drawn


def _table(pool: Sequence[Candidate], seats: int, random: Random) -> tuple[int, ...]:
    fewest = min(candidate.games for candidate in pool)
    first = random.choice([candidate for candidate in pool if candidate.games == fewest])
    table = [first]
    for candidate in _drawn_near(first, pool, random):
        if len(table) == seats:
            break
        if all(_may_meet(candidate, other) for other in table):
            table.append(candidate)
    random.shuffle(table)
    return tuple(candidate.entry for candidate in table)


def _drawn_near(first: Candidate, pool: Sequence[Candidate], random: Random) -> list[Candidate]:
    """Everybody but ``first``, in an order drawn at random, near ones early."""
    keys = {
        candidate.entry: random.expovariate(1.0) * (1 + ((candidate.rating - first.rating) / HALF_WEIGHT) ** 2)
        for candidate in pool
        if candidate.entry != first.entry
    }
    return sorted((candidate for candidate in pool if candidate.entry in keys), key=lambda one: keys[one.entry])


def _may_meet(a: Candidate, b: Candidate) -> bool:
    return a.owner is None or a.owner != b.owner


def _most_at_one_table(pool: Iterable[Candidate]) -> int:
    """Each owner's first bot and every house bot: if they fill a table, whoever sits down first finds opponents."""
    owners: set[int] = set()
    house = 0
    for candidate in pool:
        if candidate.owner is None:
            house += 1
        else:
            owners.add(candidate.owner)
    return house + len(owners)
