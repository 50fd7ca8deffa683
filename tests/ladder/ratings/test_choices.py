from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.choices import choices, groups_of

tables = st.integers(2, 5).flatmap(lambda seats: st.tuples(st.integers(0, 2 ** (seats - 1) - 1), st.just(seats)))


def orders(groups: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every order of the places in which whoever shares a rank comes in any order."""
    every: list[tuple[int, ...]] = [()]
    for size in groups:
        start = len(every[0])
        every = [head + tail for head in every for tail in permutations(range(start, start + size))]
    return every


@given(tables)
def test_the_choices_of_a_tie_are_the_mean_over_all_orders(table: tuple[int, int]) -> None:
    groups = groups_of(*table)
    every = orders(groups)
    left = Counter(tuple(sorted(order[stage:])) for order in every for stage in range(len(order)))
    expected = {places: count / len(every) for places, count in left.items()}
    assert {tuple(sorted(places)): weight for places, weight in choices(groups)} == pytest.approx(expected)


def test_without_ties_the_next_one_is_chosen_among_those_left() -> None:
    assert choices((1, 1, 1)) == (((0, 1, 2), 1), ((1, 2), 1), ((2,), 1))


def test_a_draw_of_two_is_one_choice_among_both_and_half_of_each_alone() -> None:
    assert set(choices((2,))) == {((0, 1), 1), ((0,), 0.5), ((1,), 0.5)}


def test_bits_say_who_shares_the_rank_of_the_place_before() -> None:
    assert groups_of(0b000, 4) == (1, 1, 1, 1)
    assert groups_of(0b100, 4) == (1, 1, 2)
    assert groups_of(0b011, 4) == (3, 1)
    assert groups_of(0b111, 4) == (4,)
