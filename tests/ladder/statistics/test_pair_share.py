from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.means import mean_of
from ladder.statistics.pair_share import pair_share


def of(values: list[float]) -> tuple[float, float, float]:
    share = pair_share(len(values), sum(values), sum(value * value for value in values))
    return share.value, share.low, share.high


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60))
def test_an_interval_lies_between_nothing_and_everything_and_has_a_width(values: list[float]) -> None:
    value, low, high = of(values)
    assert value == pytest.approx(sum(values) / len(values))
    assert 0 <= low < high <= 1


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=30))
def test_both_sides_see_the_same(values: list[float]) -> None:
    value, low, high = of(values)
    assert of([1 - one for one in values]) == pytest.approx((1 - value, 1 - high, 1 - low))


def test_two_blocks_lost_prove_little_and_forty_much() -> None:
    assert of([0.0, 0.0])[2] > 0.9
    assert of([0.0] * 40)[2] < 0.1


def test_with_many_blocks_it_is_students_interval() -> None:
    values = [0.25, 0.5, 0.75, 0.5] * 100
    mean = mean_of(values)
    assert mean is not None and mean.low is not None and mean.high is not None
    assert of(values) == pytest.approx((mean.value, mean.low, mean.high), abs=0.003)


def test_no_block_has_no_share() -> None:
    with pytest.raises(ValueError, match="at least one block"):
        pair_share(0, 0, 0)
