from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bots.protocol import Limits
from bots.runner.clock import MS, Clock

LIMITS = Limits(move_ms=1000, bank_ms=500, game_ms=4000)


def test_a_move_within_its_time_leaves_the_bank_alone() -> None:
    clock = Clock(LIMITS)
    clock.spend(1000 * MS)
    assert clock.left() == {"move_ms": 1000, "bank_ms": 500, "game_ms": 3000}


def test_time_beyond_the_move_time_comes_from_the_bank() -> None:
    clock = Clock(LIMITS)
    clock.spend(1200 * MS)
    assert clock.left() == {"move_ms": 1000, "bank_ms": 300, "game_ms": 2800}
    assert clock.allowed_ns == 1300 * MS


def test_the_game_bounds_the_last_moves() -> None:
    clock = Clock(LIMITS)
    for _ in range(3):
        assert not clock.game_is_next
        clock.spend(1000 * MS)
    assert clock.game_is_next
    assert clock.allowed_ns == 1000 * MS


@given(st.lists(st.integers(0, 3000 * MS), max_size=20))
def test_nothing_ever_rises_or_falls_below_zero(spans: list[int]) -> None:
    clock = Clock(LIMITS)
    before = clock.left()
    for span in spans:
        clock.spend(span)
        after = clock.left()
        assert 0 <= after["bank_ms"] <= before["bank_ms"]
        assert 0 <= after["game_ms"] <= before["game_ms"]
        before = after


def test_a_copy_runs_by_itself() -> None:
    clock = Clock(LIMITS)
    twin = clock.copy()
    clock.spend(1400 * MS)
    assert twin.left() == {"move_ms": 1000, "bank_ms": 500, "game_ms": 4000}
