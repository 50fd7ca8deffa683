"""How the intervals behave; how often they hold the truth is measured by the simulated seasons."""

from __future__ import annotations

import numpy as np
import pytest

from ladder.ratings.bootstrap import estimate
from ladder.ratings.plackett_luce import POINTS, Games, Likelihood, fit


def duels(blocks: int, *, deal: float, seed: int = 1, versions: int = 8) -> Games:
    """Both seatings of each deal, which favours a seat by ``deal`` standard deviations of chance, the same in both."""
    random = np.random.default_rng(seed)
    true = np.linspace(-0.5, 0.5, versions)
    pairs = np.array([random.permutation(versions)[:2] for _ in range(blocks)])
    seats = np.concatenate([pairs, pairs[:, ::-1]])
    favour = np.tile(deal * random.normal(size=(blocks, 2)), (2, 1))
    better = true[seats] + favour + random.gumbel(size=seats.shape)
    ranks = 1 + (better < better[:, ::-1])
    return Games(versions, seats, ranks, np.tile(np.arange(blocks), 2))


def without_blocks(games: Games) -> Games:
    """The same games as if each had a deal of its own."""
    return Games(games.versions, games.seats, games.ranks, np.arange(len(games.seats)))


def refitted(games: Games, count: int) -> np.ndarray:
    """The bootstrap by the book: blocks drawn with replacement, fitted to the end."""
    random = np.random.default_rng(3)
    found = []
    for _ in range(count):
        times = np.bincount(random.integers(0, games.block_count, games.block_count), minlength=games.block_count)
        rows = np.repeat(np.arange(len(games.blocks)), times[games.blocks])
        found.append(fit(Likelihood(Games(games.versions, games.seats[rows], games.ranks[rows], games.blocks[rows]))))
    return POINTS * np.array(found).T


def test_one_step_spreads_as_fits_to_the_end_do() -> None:
    games = duels(600, deal=1)
    ratio = estimate(games, 1).draws.std(axis=1) / refitted(games, 200).std(axis=1)
    assert ratio.mean() == pytest.approx(1, abs=0.06)


def test_the_same_seed_gives_the_same_draws() -> None:
    games = duels(20, deal=1)
    assert (estimate(games, 5).draws == estimate(games, 5).draws).all()
    assert (estimate(games, 5).draws != estimate(games, 6).draws).any()


def test_four_times_the_blocks_halve_an_interval() -> None:
    few, many = (estimate(duels(blocks, deal=1), 1, 1000).margins.mean() for blocks in (500, 2000))
    assert many / few == pytest.approx(0.5, abs=0.05)


def test_what_a_deal_gives_its_seats_falls_out_of_a_block() -> None:
    lucky = duels(2000, deal=2)
    own, apart = (estimate(games, 1, 1000).margins.mean() for games in (lucky, without_blocks(lucky)))
    assert own < 0.85 * apart


def test_games_that_are_copies_of_each_other_count_once() -> None:
    games = duels(400, deal=0)
    copies = Games(8, *(np.tile(part, (5, 1)) for part in (games.seats, games.ranks)), np.tile(games.blocks, 5))
    assert estimate(copies, 1).margins.mean() == pytest.approx(estimate(games, 1).margins.mean(), rel=0.1)


def test_whoever_has_hardly_played_or_won_everything_is_uncertain() -> None:
    known = duels(400, deal=0)
    winner = np.array([[8, 0], [0, 8]])
    games = Games(
        9,
        np.concatenate([known.seats, winner]),
        np.concatenate([known.ranks, np.array([[1, 2], [2, 1]])]),
        np.concatenate([known.blocks, [400, 400]]),
    )
    found = estimate(games, 1)
    assert found.points[8] > 1500
    assert found.margins[8] > 300
    assert found.margins[:8].max() < 60
    assert found.blocks[8] == 1


def test_the_mean_over_all_seats_is_1500_in_every_draw() -> None:
    games = duels(50, deal=1)
    found = estimate(games, 1)
    part = games.played / games.played.sum()
    assert part @ found.points == pytest.approx(1500)
    assert part @ found.draws == pytest.approx(1500, abs=40)  # widened one by one, so nearly


def test_a_season_without_games_has_nothing_to_estimate_from() -> None:
    with pytest.raises(ValueError, match="no games"):
        estimate(Games.flat(4, [], [], [])[0], 1)
