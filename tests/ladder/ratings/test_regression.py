from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.elo import START_RATING
from ladder.ratings.regression import regressed

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
def test_nobody_overtakes_anybody(one: int, other: int, fraction: tuple[int, int]) -> None:
    low, high = sorted((one, other))
    assert regressed(low, *fraction) <= regressed(high, *fraction)


@pytest.mark.parametrize(("num", "den"), [(-1, 2), (3, 2), (0, 0), (1, -1)])
def test_a_fraction_that_is_none_is_refused(num: int, den: int) -> None:
    with pytest.raises(ValueError, match=f"from 0 to 1, not {num}/{den}"):
        regressed(START_RATING, num, den)
