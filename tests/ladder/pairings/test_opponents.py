from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ladder.pairings.candidates import HALF_WEIGHT, Candidate, may_meet, most_at_one_table, nearness
from ladder.pairings.opponents import Field
from tests.ladder.pairings.pools import house, pools, seat_counts, seeds


@given(pools(least=2), seat_counts, seeds)
def test_every_table_is_full_and_only_who_may_meet_sits_there(pool: list[Candidate], seats: int, seed: int) -> None:
    assume(most_at_one_table(pool) >= seats)
    for first in pool:
        table = Field(pool).table(first, seats, Random(seed))
        assert len(table) == seats
        assert first in table
        assert all(may_meet(one, other) for i, one in enumerate(table) for other in table[:i])


@given(st.integers(-(10**12), 10**12), st.integers(-(10**12), 10**12))
def test_no_two_ratings_are_too_far_apart_to_meet(one: int, other: int) -> None:
    assert 0 < nearness(one, other) <= 1
    assert nearness(one, other) == nearness(other, one)
    assert nearness(one, one + HALF_WEIGHT) == 0.5


def shares(pool: list[Candidate], first: Candidate, draws: int) -> dict[int, tuple[float, float]]:
    """By entry, its share of the opponents of ``first`` at tables of two: drawn, and by the weights."""
    field, random = Field(pool), Random(5)
    met = Counter(one.entry for _ in range(draws) for one in field.table(first, 2, random) if one != first)
    weights = {one.entry: nearness(first.rating, one.rating) for one in pool if may_meet(first, one)}
    return {entry: (met[entry] / draws, weight / sum(weights.values())) for entry, weight in weights.items()}


def test_opponents_are_drawn_with_exactly_their_weights() -> None:
    """Within five standard deviations, for chunks that hold near and far ones, equals and bots of the same owner."""
    ratings = [1_000_000, 1_450_000, 1_480_000, 1_500_000, 1_500_000, 1_520_000, 1_700_000, 2_100_000, 2_900_000]
    pool = [Candidate(entry, rating, owner=entry % 4 or None) for entry, rating in enumerate(ratings, 1)]
    draws = 20_000
    for first in (pool[0], pool[3], pool[-1]):
        for share, weight in shares(pool, first, draws).values():
            assert share == pytest.approx(weight, abs=5 * (weight * (1 - weight) / draws) ** 0.5)
            assert share > 0


def test_who_is_too_far_from_everybody_is_drawn_from_all_weights() -> None:
    """Rejection would go on for ever: everybody's weight is tiny beside the bound of its own chunk."""
    lonely = Candidate(1, 10**12)
    pool = [lonely, *(Candidate(entry, 1_500_000 + entry) for entry in range(2, 40))]
    share = shares([lonely, pool[1], Candidate(99, 500_000_000_000)], lonely, 4000)
    assert share[2][0] == pytest.approx(share[2][1], abs=0.04)
    assert len(Field(pool).table(lonely, 5, Random(1))) == 5


def test_an_owner_of_nearly_all_bots_meets_whoever_else_there_is() -> None:
    pool = [Candidate(entry, 1_500_000, owner=1) for entry in range(2000)]
    pool += [Candidate(5000, 900_000, owner=2), Candidate(5001, 2_600_000, owner=None)]
    table = Field(pool).table(pool[7], 3, Random(3))
    assert {one.entry for one in table} == {7, 5000, 5001}


def test_every_seat_comes_to_everybody() -> None:
    pool = house(3)
    tables = [Field(pool).table(pool[0], 3, Random(seed)) for seed in range(400)]
    seats = Counter([one.entry for one in table].index(2) for table in tables)
    assert all(seats[seat] > 90 for seat in range(3))
