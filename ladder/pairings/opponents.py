"""With whom: opponents drawn at random, near ones likely, and everybody whom one may meet possible.

The weight of an opponent falls with the distance in rating as a Cauchy curve does (``nearness``): its tails are heavy,
so that the top meets the middle, too. A draw is exact and yet reads few candidates: it is by rejection from chunks of
neighbours in rating, whose weight is bounded by that of the nearest point in them (L. Devroye, *Non-Uniform Random
Variate Generation*, 1986, II.3). What is rejected too often is drawn from all weights instead: the same distribution.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isqrt
from random import Random

from ladder.pairings.candidates import Candidate, may_meet, nearness

MOST_TRIES = 64
"""Rejections after which all weights are computed."""


@dataclass(frozen=True)
class RatingGroup:
    """Neighbours in rating."""

    members: Sequence[Candidate]

    @cached_property
    def low(self) -> int:
        return self.members[0].rating

    @cached_property
    def high(self) -> int:
        return self.members[-1].rating

    def bound(self, rating: int) -> float:
        """No member is nearer to ``rating`` than this."""
        return nearness(rating, min(max(rating, self.low), self.high))


class Field:
    """Everybody who may be drawn. The order in which they are given does not matter."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._ranked = sorted(candidates, key=lambda one: (one.rating, one.membership))
        size = max(1, isqrt(len(self._ranked)))
        self._chunks = [RatingGroup(self._ranked[at : at + size]) for at in range(0, len(self._ranked), size)]

    def table(self, first: Candidate, seats: int, random: Random) -> tuple[Candidate, ...]:
        """``first`` with opponents drawn one after the other, weighted by their nearness to it, in random order.

        As many as ``seats`` must be able to sit together (``most_at_one_table``): then whoever is drawn leaves a full
        table possible.
        """
        bounds = [chunk.bound(first.rating) for chunk in self._chunks]
        sums = list(accumulate(bound * len(chunk.members) for bound, chunk in zip(bounds, self._chunks, strict=True)))
        table = [first]
        while len(table) < seats:
            table.append(self._near(table, bounds, sums, random) or self._weighed(table, random))
        random.shuffle(table)
        return tuple(table)

    def _near(
        self, table: Sequence[Candidate], bounds: Sequence[float], sums: Sequence[float], random: Random
    ) -> Candidate | None:
        for _ in range(MOST_TRIES):
            at = min(bisect(sums, random.random() * sums[-1]), len(sums) - 1)
            one = random.choice(self._chunks[at].members)
            if random.random() * bounds[at] < nearness(table[0].rating, one.rating) and _fits(one, table):
                return one
        return None

    def _weighed(self, table: Sequence[Candidate], random: Random) -> Candidate:
        fitting = [one for one in self._ranked if _fits(one, table)]
        return random.choices(fitting, [nearness(table[0].rating, one.rating) for one in fitting])[0]


def _fits(one: Candidate, table: Iterable[Candidate]) -> bool:
    return all(may_meet(one, other) for other in table)
