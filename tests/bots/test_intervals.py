"""Confidence intervals: their width after few or equal values, and how often they contain the true mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.intervals import Mean, bounded, difference, t_quantile, unbounded, wilson, within

TABLE = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 9: 2.2622, 10: 2.2281, 30: 2.0423, 99: 1.9842, 1000: 1.9623}
"""The 97.5% points of Student's distribution as printed tables have them."""


@pytest.mark.parametrize("freedom", TABLE)
def test_quantiles_are_those_of_the_tables(freedom: int) -> None:
    assert t_quantile(freedom) == pytest.approx(TABLE[freedom], abs=6e-5)
    assert within(t_quantile(freedom), freedom) == pytest.approx(0.95)


# --- Few and equal values --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("of", [bounded, difference, unbounded])
def test_one_value_has_no_interval(of: Callable[[Sequence[float]], Mean]) -> None:
    assert of([0.5]) == Mean(0.5, None, None, 1)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_three_first_places_leave_most_mean_ranks_possible(seats: int) -> None:
    interval = bounded([1, 1, 1], 1, seats)
    assert interval.value == interval.low == 1
    assert interval.high is not None and interval.high > 1 + 0.7 * (seats - 1)


def test_two_equal_values_exclude_nothing() -> None:
    assert bounded([1.0, 1.0]) == Mean(1.0, 0.0, 1.0, 2)


def test_three_equal_differences_do_not_show_which_side_is_better() -> None:
    for value in (-1.0, 0.0, 0.3, 1.0):
        interval = difference([value] * 3)
        assert interval.low is not None and interval.high is not None
        assert interval.low < 0 < interval.high


def test_equal_values_without_bounds_have_no_interval_and_others_are_students() -> None:
    assert unbounded([44, 44, 44]) == Mean(44, None, None, 3)
    interval = unbounded([1.0, 2.0, 3.0, 4.0])
    assert (interval.value, interval.margin) == (2.5, pytest.approx(3.1824 * 1.2909944 / 2, abs=1e-4))


def test_a_share_has_the_interval_of_wilson() -> None:
    assert wilson(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(1.0, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(1.0, 3)[0] < 0.5


@given(st.integers(min_value=1, max_value=500), st.floats(min_value=0, max_value=1))
def test_an_interval_of_a_share_contains_the_share_and_is_between_0_and_1(games: int, share: float) -> None:
    low, high = wilson(share, games)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    assert high - low > 0


@given(st.lists(st.floats(1, 5), min_size=2, max_size=40))
def test_a_bounded_mean_is_inside_an_interval_with_a_width(values: list[float]) -> None:
    interval = bounded(values, 1, 5)
    assert interval.low is not None and interval.high is not None
    assert 1 <= interval.low <= interval.value + 1e-9 and interval.value - 1e-9 <= interval.high <= 5
    assert interval.high - interval.low > 4 / (len(values) + 2)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=40))
def test_a_mean_difference_is_inside_an_interval_with_a_width(values: list[float]) -> None:
    interval = difference(values)
    assert interval.low is not None and interval.high is not None
    assert -1 <= interval.low <= interval.value + 1e-9 and interval.value - 1e-9 <= interval.high <= 1
    assert interval.high - interval.low > 1 / (len(values) + 2)
    opposite = difference([-value for value in values])
    assert (opposite.low, opposite.high) == pytest.approx((-interval.high, -interval.low))


def test_with_many_values_all_intervals_are_students() -> None:
    values = [0.25, 0.5, 0.75, 0.5] * 100
    student = unbounded(values)
    for interval in (bounded(values), difference(values)):
        assert (interval.value, interval.low, interval.high) == pytest.approx(
            (student.value, student.low, student.high), abs=4e-3
        )


# --- Coverage --------------------------------------------------------------------------------------------------------

COUNTS = (3, 4, 5, 10, 20, 30)
RUNS = 600

Draw = Callable[[Random], float]


def discrete(*chances: tuple[float, float]) -> tuple[Draw, float]:
    """Values with their probabilities, and their mean."""
    values, weights = zip(*chances, strict=True)
    return lambda random: random.choices(values, weights)[0], sum(value * weight for value, weight in chances)


def ranks(seats: int, *weights: float) -> tuple[Draw, float]:
    """Ranks from 1 with these probabilities, on a scale where 1 is the first and 0 the last of ``seats``."""
    return discrete(*((1 - place / (seats - 1), weight) for place, weight in enumerate(weights)))


BOUNDED: dict[str, tuple[Draw, float]] = {
    "a coin": ranks(2, 0.5, 0.5),
    "80% wins": ranks(2, 0.8, 0.2),
    "95% wins": ranks(2, 0.95, 0.05),
    "all ranks of 3 alike": ranks(3, 1 / 3, 1 / 3, 1 / 3),
    "95% first of 3": ranks(3, 0.95, 0.03, 0.02),
    "95% second of 3": ranks(3, 0.03, 0.95, 0.02),
    "90% first of 4, else last": ranks(4, 0.9, 0, 0, 0.1),
    "first or second of 4": ranks(4, 0.6, 0.4, 0, 0),
    "all ranks of 5 alike": ranks(5, 0.2, 0.2, 0.2, 0.2, 0.2),
    "95% first of 5, else last": ranks(5, 0.95, 0, 0, 0, 0.05),
    "shares of blocks": (lambda random: random.betavariate(6, 4), 0.6),
    "high shares": (lambda random: random.betavariate(8, 1), 8 / 9),
    "all or nothing": (lambda random: random.betavariate(0.2, 0.2), 0.5),
}
DIFFERENCES: dict[str, tuple[Draw, float]] = {
    "equal versions": (lambda random: random.gauss(0, 0.17), 0.0),
    "a better version": (lambda random: random.gauss(0.05, 0.17), 0.05),
    "a noisy game": (lambda random: random.gauss(0.1, 0.25), 0.1),
    "differ in 1 of 10 blocks": discrete((0.0, 0.9), (0.5, 0.1)),
    "differ in 1 of 20 blocks": discrete((0.0, 0.95), (1.0, 0.05)),
    "win everything in 1 of 10 blocks": discrete((1.0, 0.1), (-0.06, 0.9)),
    "win or lose everything": discrete((1.0, 0.5), (-1.0, 0.5)),
    "win, tie or lose": discrete((1.0, 0.4), (0.0, 0.3), (-1.0, 0.3)),
}
MONEY: dict[str, tuple[Draw, float]] = {
    "normal": (lambda random: round(random.gauss(44, 15)), 44.0),
    "skewed": (lambda random: random.lognormvariate(0, 0.5), math.exp(0.125)),
    "two amounts": discrete((44.0, 0.8), (30.0, 0.2)),
}


def coverage(of: Callable[[Sequence[float]], Mean], draw: Draw, mean: float, count: int, seed: str) -> float:
    """How often the interval of ``count`` draws contains the true mean, among those that are shown."""
    random, held = Random(f"{seed} {count}"), []
    for _ in range(RUNS):
        interval = of([draw(random) for _ in range(count)])
        if interval.low is not None and interval.high is not None:
            assert interval.high > interval.low
            held.append(interval.low - 1e-9 <= mean <= interval.high + 1e-9)
    return fmean(held)


@pytest.mark.parametrize(
    ("of", "draws", "on_average", "at_least"),
    [(bounded, BOUNDED, 0.97, 0.92), (difference, DIFFERENCES, 0.96, 0.85), (unbounded, MONEY, 0.93, 0.88)],
    ids=["bounded", "difference", "unbounded"],
)
def test_intervals_contain_the_true_mean_as_often_as_they_say(
    of: Callable[[Sequence[float]], Mean], draws: dict[str, tuple[Draw, float]], on_average: float, at_least: float
) -> None:
    shares = {(name, count): coverage(of, *draw, count, name) for name, draw in draws.items() for count in COUNTS}
    assert fmean(shares.values()) >= on_average
    assert min(shares.values()) >= at_least, min(shares.items(), key=lambda item: item[1])
