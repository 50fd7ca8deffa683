"""Draw opponents at random: near ratings are likely, and every allowed opponent is possible.

The weight of an opponent falls with the distance in rating as a Cauchy curve (``nearness``). Its tails are heavy, so
that the best bots also meet average ones. A draw is exact but reads few candidates. It uses rejection from groups of
adjacent ratings, whose weight is bounded by the nearest point in them (L. Devroye, *Non-Uniform Random Variate
Generation*, 1986, II.3). After too many rejections it uses all weights, which gives the same distribution.
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
"""Number of rejections after which all weights are computed."""


@dataclass(frozen=True)
class RatingGroup:
    """Candidates with adjacent ratings."""

    members: Sequence[Candidate]

    @cached_property
    def low(self) -> int:
        return self.members[0].rating

    @cached_property
    def high(self) -> int:
        return self.members[-1].rating

    def bound(self, rating: int) -> float:
        """Return the maximum weight of a member for an opponent with this rating."""
        return nearness(rating, min(max(rating, self.low), self.high))


class Field:
    """All candidates. Their order does not matter."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._ranked = sorted(candidates, key=lambda candidate: (candidate.rating, candidate.membership))
        size = max(1, isqrt(len(self._ranked)))
        self._chunks = [RatingGroup(self._ranked[at : at + size]) for at in range(0, len(self._ranked), size)]

    def table(self, first: Candidate, seats: int, random: Random) -> tuple[Candidate, ...]:
        """Return ``first`` and opponents in random order. They are drawn one by one, weighted by their nearness to it.

        At least ``seats`` candidates must be able to meet (``most_at_one_table``). Then every draw leaves a full table
        possible.
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
            candidate = random.choice(self._chunks[at].members)
            if random.random() * bounds[at] < nearness(table[0].rating, candidate.rating) and _fits(candidate, table):
                return candidate
        return None

    def _weighed(self, table: Sequence[Candidate], random: Random) -> Candidate:
        fitting = [candidate for candidate in self._ranked if _fits(candidate, table)]
        return random.choices(fitting, [nearness(table[0].rating, candidate.rating) for candidate in fitting])[0]


def _fits(candidate: Candidate, table: Iterable[Candidate]) -> bool:
    return all(may_meet(candidate, other) for other in table)
