from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.means import mean_of, t_quantile, within

TABLE = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 9: 2.2622, 10: 2.2281, 30: 2.0423, 99: 1.9842, 1000: 1.9623}
"""The 97.5 % points of Student's distribution as printed tables have them."""


@pytest.mark.parametrize("freedom", TABLE)
def test_quantiles_are_those_of_the_tables(freedom: int) -> None:
    assert t_quantile(freedom) == pytest.approx(TABLE[freedom], abs=6e-5)
    assert within(t_quantile(freedom), freedom) == pytest.approx(0.95)


def test_nothing_has_no_mean_and_one_value_no_interval() -> None:
    assert mean_of([]) is None
    alone = mean_of([0.5])
    assert alone is not None
    assert (alone.value, alone.margin, alone.low, alone.high, alone.count) == (0.5, None, None, None, 1)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_the_interval_lies_around_the_mean(values: list[float]) -> None:
    found = mean_of(values)
    assert found is not None and found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("blocks", [2, 5, 40])
def test_intervals_hold_the_truth_in_95_of_100(blocks: int) -> None:
    random, runs = Random(5), 4000
    held = 0
    for _ in range(runs):
        found = mean_of([random.gauss(0.3, 0.2) for _ in range(blocks)])
        assert found is not None and found.margin is not None
        held += abs(found.value - 0.3) <= found.margin
    assert 0.938 < held / runs < 0.962
