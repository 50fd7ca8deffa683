from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bots.protocol import Limits
from bots.runner import clock as of_runner
from ladder.live.clocks import DatabaseClock, SeatClock

LIMITS = Limits(move_ms=1000, bank_ms=2500, game_ms=6000)


def test_a_move_can_use_its_time_and_the_rest_of_the_bank() -> None:
    assert SeatClock.full(LIMITS).allowed_ms == 3500
    assert SeatClock.full(LIMITS).spent(2000).allowed_ms == 2500


def test_the_remaining_game_time_limits_every_move() -> None:
    clock = SeatClock.full(LIMITS).spent(3500).spent(1000)
    assert (clock.left(), clock.allowed_ms) == ({"move_ms": 1000, "bank_ms": 0, "game_ms": 1500}, 1000)
    assert clock.spent(1000).game_is_next
    assert not clock.game_is_next


@pytest.mark.parametrize("spent", [[], [1], [999, 1001, 1700], [3500, 1000, 1500], [5000, 5000]])
def test_a_live_clock_equals_the_clock_of_the_runner(spent: list[int]) -> None:
    clock, other = SeatClock.full(LIMITS), of_runner.Clock(LIMITS)
    for wall_ms in spent:
        clock = clock.spent(wall_ms)
        other.spend(wall_ms * of_runner.MS)
    assert clock.left() == other.left()
    assert (clock.allowed_ms * of_runner.MS, clock.game_is_next) == (other.allowed_ns, other.game_is_next)


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def read(clock: DatabaseClock, asked_s: float, took_s: float = 0.0, set_by_s: float = 0.0) -> float:
    """Ask at ``asked_s`` a database whose time was noon at 0. The time that it seems to be then, in s after noon."""
    answer = NOON + timedelta(seconds=asked_s + took_s + set_by_s)
    return asked_s + took_s + set_by_s - (clock.moment_of(answer, asked_s) - asked_s)


def test_the_time_of_the_database_does_not_seem_later_after_a_slow_reading() -> None:
    clock = DatabaseClock()
    for asked_s in range(200):
        took_s = 0.0 if asked_s % 20 == 0 else 0.7
        assert read(clock, asked_s, took_s) == pytest.approx(asked_s)


def test_the_clock_follows_a_database_whose_time_was_set() -> None:
    clock = DatabaseClock()
    for asked_s, set_by_s in enumerate([0, 0, 3600, 3600, -60, -60, 0]):
        assert read(clock, asked_s, set_by_s=set_by_s) == pytest.approx(asked_s + set_by_s)


def test_the_clock_follows_a_database_that_is_faster_within_a_minute() -> None:
    clock = DatabaseClock()
    for asked_s in range(0, 600, 5):
        gained_s = asked_s / 1000
        assert read(clock, asked_s, set_by_s=gained_s) == pytest.approx(asked_s + gained_s, abs=0.07)
