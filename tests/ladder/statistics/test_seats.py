from __future__ import annotations

from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.statistics.blocks import PlayedBlock, PlayedGame, half_points
from ladder.statistics.seats import seat_effect
from tests.ladder.statistics.dealing import blocks_of


@given(ranks=st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_the_points_of_a_game_sum_to_two_a_pair(ranks: list[int]) -> None:
    assert sum(half_points(ranks)) == len(ranks) * (len(ranks) - 1)


def test_two_points_for_who_is_behind_and_one_for_who_is_level() -> None:
    assert half_points((1, 1, 3, 4)) == (5, 5, 2, 0)


def test_a_bots_strength_falls_out_of_a_seats_mean() -> None:
    games = [PlayedGame((7, 8), (1, 2)), PlayedGame((8, 7), (2, 1))]
    assert [mean.value for mean in seat_effect([PlayedBlock(games)] * 3)] == [0.5, 0.5]


def test_the_shares_of_all_seats_average_one_half() -> None:
    found = seat_effect(blocks_of(8, 40, (0, 0.2, 0.4, 0), 1, Random(4)))
    assert fmean(mean.value for mean in found) == pytest.approx(0.5)
    assert all(mean.count == 40 for mean in found)


def test_no_blocks_say_nothing_about_seats() -> None:
    assert seat_effect([]) == []


def test_a_better_seat_is_found_and_level_seats_are_not_told_apart() -> None:
    better = seat_effect(blocks_of(8, 300, (0.5, 0, 0, 0), 0.5, Random(1)))
    assert better[0].low is not None and better[0].low > 0.5
    level = [seat_effect(blocks_of(8, 60, (0, 0, 0), 1, Random(seed))) for seed in range(60)]
    covered = [mean.low < 0.5 < mean.high for means in level for mean in means if mean.low and mean.high]
    assert 0.90 < fmean(covered) < 0.99
