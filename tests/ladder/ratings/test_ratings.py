from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.bootstrap import estimate
from ladder.ratings.choices import choices, groups_of
from ladder.ratings.draws import packed, rank_intervals, told_apart, unpacked
from ladder.ratings.elo import START_RATING
from ladder.ratings.plackett_luce import POINTS, GameResults, Likelihood, fit
from ladder.ratings.regression import regressed
from ladder.ratings.scores import beaten
from ladder.ratings.shares import WIN, win_shares


@pytest.mark.parametrize(
    ("rank", "ranks", "score"),
    [(1, [1, 2], 1.0), (2, [1, 2], 0.0), (1, [1, 1], 0.5), (1, [1, 1, 3], 0.75), (3, [1, 2, 3, 3, 5], 0.375)],
)
def test_a_score_is_the_share_of_opponents_beaten(rank: int, ranks: list[int], score: float) -> None:
    assert beaten(rank, ranks) == score


@given(st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_a_table_shares_half_of_its_scores(ranks: list[int]) -> None:
    assert sum(beaten(rank, ranks) for rank in ranks) == pytest.approx(len(ranks) / 2)


def test_a_table_with_one_seat_is_refused() -> None:
    with pytest.raises(ValueError, match="at least two ranks"):
        beaten(1, [1])


@pytest.mark.parametrize("winners", range(1, 6))
def test_the_winners_of_a_match_share_one_win_without_a_remainder(winners: int) -> None:
    shares = win_shares([1] * winners + [winners + 1] * (5 - winners))
    assert sum(shares) == WIN
    assert len(set(shares[:winners])) == 1


def test_only_first_places_share_the_win() -> None:
    assert win_shares([3, 1, 1, 4]) == (0, 30, 30, 0)


intervals = st.tuples(st.integers(-5000, 5000), st.integers(0, 3000)).map(
    lambda bounds: (bounds[0], bounds[0] + bounds[1])
)


def drawn(middle: int, spread: int, shared: list[int] | None = None, seed: int = 1) -> list[int]:
    random = Random(seed)
    return [middle + round(random.gauss(0, spread)) + move for move in shared or [0] * 400]


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_draws_come_back_as_they_were_kept(draws: list[int]) -> None:
    assert list(unpacked(packed(draws))) == draws


def test_a_draw_is_kept_in_four_bytes_little_endian() -> None:
    assert packed([1, -2]) == b"\x01\x00\x00\x00\xfe\xff\xff\xff"


def test_two_versions_differ_when_zero_is_outside_the_interval_of_the_difference() -> None:
    assert told_apart(1_560_000, drawn(1_560_000, 20_000), 1_500_000, drawn(1_500_000, 20_000, seed=2))
    assert not told_apart(1_540_000, drawn(1_540_000, 20_000), 1_500_000, drawn(1_500_000, 20_000, seed=2))


def test_luck_that_both_had_does_not_keep_two_together() -> None:
    shared = drawn(0, 100_000, seed=3)
    first, other = drawn(1_540_000, 1000, shared), drawn(1_500_000, 1000, shared, seed=2)
    assert told_apart(1_540_000, first, 1_500_000, other)


@given(st.lists(intervals, min_size=1, max_size=30))
def test_rank_intervals_count_the_intervals_entirely_above_and_below(spans: list[tuple[int, int]]) -> None:
    for (low, high), (best, worst) in zip(spans, rank_intervals(spans), strict=True):
        assert best == 1 + sum(other_low > high for other_low, _ in spans)
        assert worst == len(spans) - sum(other_high < low for _, other_high in spans)
        assert 1 <= best <= worst <= len(spans)


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


FRACTIONS = st.integers(1, 1000).flatmap(lambda den: st.tuples(st.integers(0, den), st.just(den)))
RATINGS = st.integers(-5_000_000, 8_000_000)


@pytest.mark.parametrize(
    ("rating", "num", "den", "kept"),
    [
        (1_700_001, 1, 2, 1_600_000),
        (1_299_999, 1, 2, 1_400_000),
        (1_500_000, 1, 3, 1_500_000),
        (1_812_345, 1, 1, 1_812_345),
        (1_812_345, 0, 1, 1_500_000),
    ],
)
def test_a_season_keeps_a_part_of_the_distance_rounded_toward_the_start(
    rating: int, num: int, den: int, kept: int
) -> None:
    assert regressed(rating, num, den) == kept


@given(RATINGS, FRACTIONS)
def test_above_and_below_the_start_are_treated_alike_and_nobody_crosses_it(
    rating: int, fraction: tuple[int, int]
) -> None:
    distance, kept = rating - START_RATING, regressed(rating, *fraction) - START_RATING
    assert regressed(START_RATING - distance, *fraction) == START_RATING - kept
    assert 0 <= kept <= distance or distance <= kept <= 0


@given(RATINGS, RATINGS, FRACTIONS)
def test_regression_keeps_the_order(rating: int, other: int, fraction: tuple[int, int]) -> None:
    low, high = sorted((rating, other))
    assert regressed(low, *fraction) <= regressed(high, *fraction)


@pytest.mark.parametrize(("num", "den"), [(-1, 2), (3, 2), (0, 0), (1, -1)])
def test_an_invalid_fraction_is_refused(num: int, den: int) -> None:
    with pytest.raises(ValueError, match=f"from 0 to 1, not {num}/{den}"):
        regressed(START_RATING, num, den)


def duels(blocks: int, *, deal: float, seed: int = 1, versions: int = 8) -> GameResults:
    """Both seatings of each deal, which favours a seat by ``deal`` standard deviations of chance, the same in both."""
    random = np.random.default_rng(seed)
    true = np.linspace(-0.5, 0.5, versions)
    pairs = np.array([random.permutation(versions)[:2] for _ in range(blocks)])
    seats = np.concatenate([pairs, pairs[:, ::-1]])
    favour = np.tile(deal * random.normal(size=(blocks, 2)), (2, 1))
    better = true[seats] + favour + random.gumbel(size=seats.shape)
    ranks = 1 + (better < better[:, ::-1])
    return GameResults(versions, seats, ranks, np.tile(np.arange(blocks), 2))


def without_blocks(games: GameResults) -> GameResults:
    """The same games as if each had a deal of its own."""
    return GameResults(games.versions, games.seats, games.ranks, np.arange(len(games.seats)))


def refitted(games: GameResults, count: int) -> np.ndarray:
    """The bootstrap by the book: blocks drawn with replacement, fitted to the end."""
    random = np.random.default_rng(3)
    fits = []
    for _ in range(count):
        times = np.bincount(random.integers(0, games.block_count, games.block_count), minlength=games.block_count)
        rows = np.repeat(np.arange(len(games.blocks)), times[games.blocks])
        fits.append(
            fit(Likelihood(GameResults(games.versions, games.seats[rows], games.ranks[rows], games.blocks[rows])))
        )
    return POINTS * np.array(fits).T


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


def test_effects_of_a_deal_on_seats_cancel_within_a_block() -> None:
    lucky = duels(2000, deal=2)
    own, apart = (estimate(games, 1, 1000).margins.mean() for games in (lucky, without_blocks(lucky)))
    assert own < 0.85 * apart


def test_games_that_are_copies_of_each_other_count_once() -> None:
    games = duels(400, deal=0)
    copies = GameResults(8, *(np.tile(part, (5, 1)) for part in (games.seats, games.ranks)), np.tile(games.blocks, 5))
    assert estimate(copies, 1).margins.mean() == pytest.approx(estimate(games, 1).margins.mean(), rel=0.1)


def test_versions_with_few_games_or_only_wins_have_wide_intervals() -> None:
    known = duels(400, deal=0)
    winner = np.array([[8, 0], [0, 8]])
    games = GameResults(
        9,
        np.concatenate([known.seats, winner]),
        np.concatenate([known.ranks, np.array([[1, 2], [2, 1]])]),
        np.concatenate([known.blocks, [400, 400]]),
    )
    estimates = estimate(games, 1)
    assert estimates.points[8] > 1500
    assert estimates.margins[8] > 300
    assert estimates.margins[:8].max() < 60
    assert estimates.blocks[8] == 1


def test_the_mean_over_all_seats_is_1500_in_every_draw() -> None:
    games = duels(50, deal=1)
    estimates = estimate(games, 1)
    part = games.played / games.played.sum()
    assert part @ estimates.points == pytest.approx(1500)
    assert part @ estimates.draws == pytest.approx(1500, abs=40)  # widened one by one, so nearly


def test_a_season_without_games_has_nothing_to_estimate_from() -> None:
    with pytest.raises(ValueError, match="no games"):
        estimate(GameResults.flat(4, [], [], [])[0], 1)
