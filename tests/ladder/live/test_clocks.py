from __future__ import annotations

import pytest

from bots.protocol import Limits
from bots.runner import clock as of_runner
from ladder.live.clocks import SeatClock

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
