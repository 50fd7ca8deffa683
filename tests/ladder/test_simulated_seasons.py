"""A few simulated seasons; ``make seasons`` plays enough of them to measure 95 % closely."""

from __future__ import annotations

import pytest

from bench.seasons import MOST_TURNS, measured
from bench.simulation import Simulated, simulated

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def seasons() -> list[Simulated]:
    return [simulated(seats, bots=20, matches=2000, seed=seed) for seats in (2, 3, 4, 5) for seed in (1, 2, 3)]


def test_elo_and_the_estimates_order_the_bots_by_their_strength(seasons: list[Simulated]) -> None:
    figures = measured(seasons)
    assert figures.elo_order > 0.95
    assert figures.estimate_order > 0.97


def test_the_intervals_hold_the_truth_about_as_often_as_they_say(seasons: list[Simulated]) -> None:
    figures = measured(seasons)
    assert figures.bots == 240
    assert 0.91 < figures.covered < 0.99
    assert figures.wrong < 0.01


def test_nobody_waits_longer_than_the_turns_promise(seasons: list[Simulated]) -> None:
    assert measured(seasons).longest_wait <= MOST_TURNS


def test_blocks_of_duels_need_fewer_games_than_separate_deals(seasons: list[Simulated]) -> None:
    apart = [simulated(2, bots=20, matches=2000, seed=seed, independent=True) for seed in (1, 2, 3)]
    blocks = [season for season in seasons if season.seats == 2]
    assert measured(blocks).margin < measured(apart).margin


def test_the_same_seed_plays_the_same_season() -> None:
    first, other = (simulated(4, bots=8, matches=80, seed=5) for _ in range(2))
    assert first.ratings == other.ratings
    assert (first.estimates.draws == other.estimates.draws).all()
