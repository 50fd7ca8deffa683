from __future__ import annotations

from random import Random
from statistics import fmean, variance

import pytest

from ladder.statistics.saving import Saving, variance_saved
from tests.ladder.statistics.dealing import block_of, blocks_of

SEATS = (0.4, 0.0, -0.2, -0.2)


def saved(
    seed: int, luck: float, seats: tuple[float, ...] = SEATS, count: int = 400, spread: float = 0.5, players: int = 30
) -> Saving:
    found = variance_saved(blocks_of(players, count, seats, luck, Random(seed), spread))
    assert found is not None
    return found


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
    found = saved(1, luck=1.0, count=1500, spread=0)
    assert found.low < right * 1.03
    assert found.high > right * 0.97
    assert found.low > 1.3


def test_tables_that_meet_again_are_held_against_themselves() -> None:
    random = Random(3)
    strengths = {0: 0.8, 1: 0.0, 2: -0.3, 3: -0.5}
    found = variance_saved([block_of((0, 1, 2, 3), strengths, SEATS, 1, random) for _ in range(300)])
    assert found is not None and found.same_tables and found.blocks == 300
    assert found.low > 1.2


def test_where_strengths_differ_the_ratio_is_nearly_as_high_and_not_higher() -> None:
    found = saved(1, luck=1.0, count=1500)
    assert not found.same_tables
    assert found.low < 1.03 * truth(1.0, SEATS)
    assert found.ratio > 1.3


def test_without_luck_of_the_deal_and_worth_of_seats_a_block_saves_nothing() -> None:
    found = [saved(seed, luck=0.0, seats=(0, 0, 0, 0), count=200) for seed in range(40)]
    assert fmean(one.low < 1 < one.high for one in found) > 0.85
    assert fmean(one.ratio for one in found) == pytest.approx(1, abs=0.05)


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
