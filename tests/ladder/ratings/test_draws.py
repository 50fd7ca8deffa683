from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ladder.ratings.draws import packed, rank_intervals, told_apart, unpacked

intervals = st.tuples(st.integers(-5000, 5000), st.integers(0, 3000)).map(lambda one: (one[0], one[0] + one[1]))


def drawn(middle: int, spread: int, shared: list[int] | None = None, seed: int = 1) -> list[int]:
    random = Random(seed)
    return [middle + round(random.gauss(0, spread)) + move for move in shared or [0] * 400]


@given(st.lists(st.integers(-(2**31), 2**31 - 1)))
def test_draws_come_back_as_they_were_kept(draws: list[int]) -> None:
    assert list(unpacked(packed(draws))) == draws


def test_a_draw_is_kept_in_four_bytes_little_endian() -> None:
    assert packed([1, -2]) == b"\x01\x00\x00\x00\xfe\xff\xff\xff"


def test_two_are_told_apart_when_nothing_is_not_in_the_interval_of_their_difference() -> None:
    assert told_apart(1_560_000, drawn(1_560_000, 20_000), 1_500_000, drawn(1_500_000, 20_000, seed=2))
    assert not told_apart(1_540_000, drawn(1_540_000, 20_000), 1_500_000, drawn(1_500_000, 20_000, seed=2))


def test_luck_that_both_had_does_not_keep_two_together() -> None:
    shared = drawn(0, 100_000, seed=3)
    one, other = drawn(1_540_000, 1000, shared), drawn(1_500_000, 1000, shared, seed=2)
    assert told_apart(1_540_000, one, 1_500_000, other)


@given(st.lists(intervals, min_size=1, max_size=30))
def test_a_rank_is_as_good_as_the_number_of_those_who_are_wholly_above_allows(found: list[tuple[int, int]]) -> None:
    for (low, high), (best, worst) in zip(found, rank_intervals(found), strict=True):
        assert best == 1 + sum(other_low > high for other_low, _ in found)
        assert worst == len(found) - sum(other_high < low for _, other_high in found)
        assert 1 <= best <= worst <= len(found)
