"""How often and how much: the interval holds what is true as often as it says, however alike a block's games are."""

from __future__ import annotations

from random import Random

import pytest

from ladder.statistics.habits import FEW, HabitSums, added_habits, of_block, practice


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
    one, other = of_block([{"a": [1, 2]}]), of_block([{"b": [1, 1]}])
    assert added_habits(one, other) == {**one, **other}
    assert added_habits(one, one)["a"] == [2, 4, 2, 4, 8, 2]


def test_few_blocks_have_counts_and_no_interval() -> None:
    sums = blocks([0.5] * (FEW - 1), 10, Random(1))["habit"]
    found = practice(sums, share=True)
    assert found.low is found.high is None
    assert found.occasions == 10 * (FEW - 1)


def test_what_was_never_done_may_still_be_done() -> None:
    found = practice([0, 80, 0, 0, 800, 8], share=True)
    assert found.value == found.low == 0
    assert found.high is not None
    assert 0.05 < found.high < 0.1


def test_an_amount_is_told_in_its_own_unit() -> None:
    found = practice([200, 10, 4000, 200, 10, 10], share=False, scale=10)
    assert (found.value, found.low, found.high) == (2.0, 2.0, 2.0)


def test_a_habit_without_an_occasion_is_none() -> None:
    with pytest.raises(ValueError, match="occasion"):
        practice([0, 0, 0, 0, 0, 0], share=True)


@pytest.mark.parametrize("leaning", [0.0, 0.2])
def test_the_interval_holds_the_truth_nineteen_times_in_twenty(leaning: float) -> None:
    random, held, times = Random(5), 0, 400
    for _ in range(times):
        shares = [0.4 + random.uniform(-leaning, leaning) for _ in range(25)]
        found = practice(blocks(shares, 12, random)["habit"], share=True)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.4 <= found.high
    assert 0.92 <= held / times <= 0.99
