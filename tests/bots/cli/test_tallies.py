"""The arithmetic of a result table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.series import Estimate, wilson


def test_one_game_has_no_interval() -> None:
    assert Estimate.of([3.0]) == Estimate(3.0, None)


def test_an_interval_is_the_normal_one() -> None:
    estimate = Estimate.of([1.0, 2.0, 3.0, 4.0])
    assert estimate.mean == 2.5
    assert estimate.half_width == pytest.approx(1.959964 * 1.2909944 / 2)


def test_a_share_has_the_interval_of_wilson() -> None:
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)


@given(st.integers(min_value=1, max_value=500), st.floats(min_value=0, max_value=1))
def test_an_interval_of_a_share_holds_the_share_and_stays_between_0_and_1(games: int, share: float) -> None:
    low, high = wilson(share, games)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
