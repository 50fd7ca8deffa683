"""How often and how much: the interval holds what is true as often as it says, however alike a block's games are."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import combinations
from random import Random
from statistics import fmean, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.statistics.block_savings import Saving, variance_saved
from ladder.statistics.blocks import PlayedBlock, PlayedGame, half_points
from ladder.statistics.habits import FEW, HabitSums, added_habits, of_block, practice
from ladder.statistics.limits import LEAST_BLOCKS
from ladder.statistics.pair_share import pair_share
from ladder.statistics.seats import seat_effect
from ladder.statistics.wins import winnings
from tests.ladder.statistics.deals import block_of, blocks_of


def blocks(shares: list[float], occasions: int, random: Random) -> HabitSums:
    """Blocks whose games share a leaning: a habit kept with that probability."""
    sums: HabitSums = {}
    for share in shares:
        kept = sum(random.random() < share for _ in range(occasions))
        sums = added_habits(sums, of_block([{"habit": [kept, occasions]}]))
    return sums


def test_the_games_of_a_block_are_one_value() -> None:
    assert of_block([{"a": [1, 2], "b": [0, 3]}, {"a": [2, 3]}]) == {
        "a": [3, 5, 9, 15, 25, 1],
        "b": [0, 3, 0, 0, 9, 1],
    }


def test_sums_add_up_key_by_key() -> None:
    first, other = of_block([{"a": [1, 2]}]), of_block([{"b": [1, 1]}])
    assert added_habits(first, other) == {**first, **other}
    assert added_habits(first, first)["a"] == [2, 4, 2, 4, 8, 2]


def test_few_blocks_have_counts_and_no_interval() -> None:
    sums = blocks([0.5] * (FEW - 1), 10, Random(1))["habit"]
    mean = practice(sums, share=True)
    assert mean.low is mean.high is None
    assert mean.occasions == 10 * (FEW - 1)


def test_a_habit_never_observed_has_an_upper_bound() -> None:
    mean = practice([0, 80, 0, 0, 800, 8], share=True)
    assert mean.value == mean.low == 0
    assert mean.high is not None
    assert 0.05 < mean.high < 0.1


def test_an_amount_has_its_unit() -> None:
    sums = [200, 10, 4010, 200, 10, 10]  # 19 and 21 in turn
    mean, tenth = practice(sums, share=False), practice(sums, share=False, scale=10)
    assert mean.low is not None and mean.high is not None and mean.low < 20 < mean.high
    assert (tenth.value, tenth.low, tenth.high) == pytest.approx((2.0, mean.low / 10, mean.high / 10))


def test_an_amount_that_never_differs_has_no_interval() -> None:
    mean = practice([200, 10, 4000, 200, 10, 10], share=False)
    assert (mean.value, mean.low, mean.high) == (20, None, None)


def test_a_habit_without_occasions_has_no_mean() -> None:
    with pytest.raises(ValueError, match="occasion"):
        practice([0, 0, 0, 0, 0, 0], share=True)


@pytest.mark.parametrize("leaning", [0.0, 0.2])
def test_the_interval_contains_the_truth_in_95_percent_of_cases(leaning: float) -> None:
    random, held, times = Random(5), 0, 400
    for _ in range(times):
        shares = [0.4 + random.uniform(-leaning, leaning) for _ in range(25)]
        mean = practice(blocks(shares, 12, random)["habit"], share=True)
        assert mean.low is not None
        assert mean.high is not None
        held += mean.low <= 0.4 <= mean.high
    assert 0.92 <= held / times <= 0.99


def of(values: list[float]) -> tuple[float, float, float]:
    share = pair_share(len(values), sum(values), sum(value * value for value in values))
    return share.value, share.low, share.high


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60))
def test_an_interval_is_within_0_and_1_and_not_empty(values: list[float]) -> None:
    value, low, high = of(values)
    assert value == pytest.approx(sum(values) / len(values))
    assert 0 <= low < high <= 1


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=30))
def test_both_sides_see_the_same(values: list[float]) -> None:
    value, low, high = of(values)
    assert of([1 - score for score in values]) == pytest.approx((1 - value, 1 - high, 1 - low))


def test_two_blocks_lost_prove_little_and_forty_much() -> None:
    assert of([0.0, 0.0])[2] > 0.9
    assert of([0.0] * 40)[2] < 0.1


def test_no_block_has_no_share() -> None:
    with pytest.raises(ValueError, match="at least one block"):
        pair_share(0, 0, 0)


SEATS = (0.4, 0.0, -0.2, -0.2)


def saved(
    seed: int, luck: float, seats: tuple[float, ...] = SEATS, count: int = 400, spread: float = 0.5, players: int = 30
) -> Saving:
    savings = variance_saved(blocks_of(players, count, seats, luck, Random(seed), spread))
    assert savings is not None
    return savings


def truth(luck: float, seats: tuple[float, ...]) -> float:
    """The ratio as it is defined, by brute force: the same table, games with deals of their own against blocks."""
    random = Random(99)
    players = tuple(range(len(seats)))
    strengths = dict.fromkeys(players, 0.0)
    blocks = [block_of(players, strengths, seats, luck, random) for _ in range(6000)]
    single = [block.shares_of(0)[random.randrange(len(block.games))] for block in blocks]
    means = [fmean(block.shares_of(0)) for block in blocks]
    return variance(single) / len(blocks[0].games) / variance(means)


def test_blocks_save_what_brute_force_says_they_save() -> None:
    right = truth(1.0, SEATS)
    savings = saved(1, luck=1.0, count=1500, spread=0)
    assert savings.low < right * 1.03
    assert savings.high > right * 0.97
    assert savings.low > 1.3


def test_tables_that_meet_again_are_held_against_themselves() -> None:
    random = Random(3)
    strengths = {0: 0.8, 1: 0.0, 2: -0.3, 3: -0.5}
    savings = variance_saved([block_of((0, 1, 2, 3), strengths, SEATS, 1, random) for _ in range(300)])
    assert savings is not None and savings.same_tables and savings.blocks == 300
    assert savings.low > 1.2


def test_where_strengths_differ_the_ratio_is_nearly_as_high_and_not_higher() -> None:
    savings = saved(1, luck=1.0, count=1500)
    assert not savings.same_tables
    assert savings.low < 1.03 * truth(1.0, SEATS)
    assert savings.ratio > 1.3


def test_without_luck_of_the_deal_and_worth_of_seats_a_block_saves_nothing() -> None:
    savings = [saved(seed, luck=0.0, seats=(0, 0, 0, 0), count=200) for seed in range(40)]
    assert fmean(saving.low < 1 < saving.high for saving in savings) > 0.85
    assert fmean(saving.ratio for saving in savings) == pytest.approx(1, abs=0.05)


def test_the_more_luck_a_deal_has_the_more_is_saved() -> None:
    assert saved(2, luck=0.0).ratio < saved(2, luck=1.0).ratio < saved(2, luck=3.0).ratio


@pytest.mark.parametrize("seats", [(0.3, -0.3), (0.3, 0, -0.3), SEATS, (0.4, 0.1, 0, -0.2, -0.3)])
def test_every_size_of_table_has_its_ratio(seats: tuple[float, ...]) -> None:
    assert saved(3, luck=1.5, seats=seats, players=10).low > 1


def test_the_same_blocks_give_the_same_interval() -> None:
    assert saved(5, luck=1) == saved(5, luck=1)


def test_too_few_blocks_say_nothing() -> None:
    assert variance_saved([]) is None
    assert variance_saved(blocks_of(10, 9, SEATS, 1, Random(1))) is None


def test_blocks_that_always_end_alike_have_no_ratio() -> None:
    block = block_of((0, 1), {0: 100.0, 1: 0.0}, (0, 0), 0, Random(1))
    assert variance_saved([block] * 50) is None


def test_blocks_whose_games_all_end_alike_have_no_ratio() -> None:
    first = PlayedBlock([PlayedGame((0, 1), (1, 2)), PlayedGame((1, 0), (2, 1))])
    second = PlayedBlock([PlayedGame((0, 1), (2, 1)), PlayedGame((1, 0), (1, 2))])
    assert variance_saved([first, second] * 25) is None


@given(ranks=st.lists(st.integers(1, 5), min_size=2, max_size=5))
def test_the_points_of_a_game_sum_to_two_a_pair(ranks: list[int]) -> None:
    assert sum(half_points(ranks)) == len(ranks) * (len(ranks) - 1)


def test_two_points_for_opponents_behind_and_one_for_level_opponents() -> None:
    assert half_points((1, 1, 3, 4)) == (5, 5, 2, 0)


def test_a_bots_strength_falls_out_of_a_seats_mean() -> None:
    games = [PlayedGame((7, 8), (1, 2)), PlayedGame((8, 7), (2, 1))]
    assert [mean.value for mean in seat_effect([PlayedBlock(games)] * 3)] == [0.5, 0.5]


def test_the_shares_of_all_seats_average_one_half() -> None:
    means = seat_effect(blocks_of(8, 40, (0, 0.2, 0.4, 0), 1, Random(4)))
    assert fmean(mean.value for mean in means) == pytest.approx(0.5)
    assert all(mean.count == 40 for mean in means)


def test_no_blocks_say_nothing_about_seats() -> None:
    assert seat_effect([]) == []


def test_a_better_seat_is_found_and_equal_seats_are_statistically_tied() -> None:
    better = seat_effect(blocks_of(8, 300, (0.5, 0, 0, 0), 0.5, Random(1)))
    assert better[0].low is not None and better[0].low > 0.5
    level = [seat_effect(blocks_of(8, 60, (0, 0, 0), 1, Random(seed))) for seed in range(60)]
    covered = [mean.low < 0.5 < mean.high for means in level for mean in means if mean.low and mean.high]
    assert 0.90 < fmean(covered) < 0.99


PLAYERS = range(1, 9)
FRIENDS = (3, 6)


def game(player: int, other: int, ahead: bool) -> PlayedBlock:
    return PlayedBlock([PlayedGame((player, other), (1, 2) if ahead else (2, 1))])


def season(seed: int, games: int, friends: Collection[int] = (), friendly: int = 0) -> list[PlayedBlock]:
    """``games`` a pair, the higher number the stronger; then so many more that the first friend always wins."""
    random = Random(seed)
    blocks = [
        game(player, other, random.random() < 1 / (1 + math.exp((other - player) / 3)))
        for player, other in combinations(PLAYERS, 2)
        for _ in range(games)
        if set(friends) != {player, other}
    ]
    return blocks + [game(*FRIENDS, ahead=True) for _ in range(friendly)]


def test_two_players_who_win_for_each_other_are_first_and_alone() -> None:
    rows = winnings(season(1, 12, FRIENDS, 24))
    assert (rows[0].taker, rows[0].giver) == FRIENDS
    assert [row for row in rows if row.stands_out] == [rows[0]]
    assert (rows[0].share, rows[0].games) == (1.0, 24)
    assert rows[0].elsewhere is not None
    assert rows[0].elsewhere < 0.6
    assert rows[0].excess > 0.3


def test_games_with_a_friend_do_not_inflate_the_effect() -> None:
    rows = winnings(season(2, 8, FRIENDS, 300))
    assert (rows[0].taker, rows[0].giver) == FRIENDS
    assert rows[0].stands_out


@pytest.mark.slow
def test_honest_players_rarely_stand_out() -> None:
    alarms = [any(row.stands_out for row in winnings(season(seed, 12))) for seed in range(100)]
    assert sum(alarms) <= 3


def test_pairs_that_have_hardly_met_are_not_looked_at() -> None:
    assert winnings(season(1, LEAST_BLOCKS - 1)) == []
    assert winnings([]) == []


def test_two_players_who_met_only_each_other_have_no_comparison() -> None:
    rows = winnings([game(*FRIENDS, ahead=True)] * 20)
    assert not any(row.stands_out for row in rows)
    assert {(row.elsewhere, row.given_elsewhere) for row in rows} == {(None, None)}


def test_a_long_season_is_reckoned_too() -> None:
    assert winnings([game(*FRIENDS, ahead=bool(number % 2)) for number in range(4000)])[0].chance == pytest.approx(1)
