"""Trials: games that end at the first fault of a bot, and that blame the host for everything it may have caused."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import FakeProgram, MatchReport
from bots.runner.clock import MS
from bots.runner.match_seat import MatchSeat
from bots.runner.trial import UNMEASURED_SHARE
from games.record import verify
from games.rules import Document
from tests.bots.runner.fakes import at, default, leave, play

LIMITS = Limits(startup_ms=2000, move_ms=500, bank_ms=0, game_ms=60_000)
CHEAT = "no such move"


def faults(report: MatchReport) -> list[str]:
    """The reasons of all strikes and forfeits, by seat."""
    struck = [strike.reason for seat in report.seats for strike in seat.strikes]
    return struck + [forfeit.reason for forfeit in report.forfeits]


def late_start(wait_s: float, *, lag_ms: int = 0, busy: bool = False, says: Any = None) -> MatchReport:
    """A trial in which the start of seat 0 takes ``wait_s``, of which ``lag_ms`` are server lag.

    On a ``busy`` host, some process waits all the time.
    """

    def slow(message: Document) -> Any:
        if message["type"] == "hello":
            threading.Event().wait(wait_s)
            return says
        return default(message)

    stall_ns = time.perf_counter_ns if busy else lambda: 0
    bot = FakeProgram(slow, run_delay_ns=lambda: lag_ms * 1_000_000, host_stall_ns=stall_ns)
    return play(bot, default, limits=LIMITS, trial=True)


@pytest.mark.parametrize("number", [1, 2, 9])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_trial_ends_at_the_first_strike_with_a_record_up_to_that_decision(seat: int, number: int) -> None:
    bots = [default, default, default]
    bots[seat] = at(number, CHEAT)
    report = play(*bots, trial=True)
    assert faults(report) == ["illegal"]
    assert report.seats[seat].decisions[-1].id == number
    assert report.record["outcome"] is None
    assert verify(report.record).outcome is None
    assert report.record["steps"], "the decision with the strike is in the record"


def test_a_trial_ends_at_an_exit() -> None:
    report = play(default, at(3, leave), trial=True)
    assert faults(report) == ["exit"]
    assert (report.seats[1].exit_status, len(report.seats[1].decisions)) == (3, 3)
    assert report.record["outcome"] is None


def test_a_bot_that_is_not_ready_ends_a_trial_before_the_next_one_is_started() -> None:
    report = late_start(30, says=b"")
    assert faults(report) == ["not_ready"]
    assert report.seats[0].start is not None and report.seats[0].start.wall_us >= 2_000_000
    assert report.seats[1].start is None


def test_a_trial_without_a_fault_is_a_whole_game() -> None:
    report = play(default, default, trial=True)
    assert faults(report) == []
    assert report.record["outcome"] is not None
    assert all(seat.start is not None and seat.start.wall_us == seat.ready_us for seat in report.seats)


def test_a_late_start_that_lag_explains_is_the_host_s_in_a_trial_however_close_to_the_limit_the_bot_was() -> None:
    report = late_start(2.2, lag_ms=500)  # 85% of its time is its own
    (delay,) = report.machine_delays
    assert (delay.seat, delay.decision, delay.allowed_us, delay.machine_delay_us) == (0, None, 2_000_000, 500_000)
    assert delay.wall_us > delay.allowed_us
    assert report.seats[1].start is None, "the trial ends, because it decides nothing"


def test_lag_that_does_not_explain_a_late_start_leaves_it_to_the_bot() -> None:
    report = late_start(3, lag_ms=500)
    assert (faults(report), report.machine_delays) == (["not_ready"], ())


@pytest.mark.parametrize(("wait_s", "hosts"), [(2.1, True), (3.5, False)])
def test_on_a_busy_host_part_of_the_time_can_be_unmeasured_lag(wait_s: float, hosts: bool) -> None:
    assert UNMEASURED_SHARE == 5, "2.1 s may be 1.68 s on an idle host, but 3.5 s are at least 2.8 s"
    report = late_start(wait_s, busy=True)
    assert (faults(report), bool(report.machine_delays)) == (["not_ready"], hosts)


def test_a_host_that_was_not_busy_is_not_to_blame() -> None:
    assert late_start(2.2).machine_delays == ()


def test_a_late_answer_that_is_wrong_too_is_tried_again() -> None:
    delayed = {"ns": 0}

    def late(message: Document) -> bytes:
        delayed["ns"] = 10**12
        threading.Event().wait(0.6)
        return b"{}\n"

    bot = FakeProgram(at(2, late), run_delay_ns=lambda: delayed["ns"])
    report = play(bot, default, limits=LIMITS, trial=True)
    assert [(delay.seat, delay.decision) for delay in report.machine_delays] == [(0, 2)]


def test_the_bank_that_decides_in_a_trial_does_not_pay_for_a_busy_host() -> None:
    match_seat = MatchSeat(0, "bot", "00", Limits(move_ms=200, bank_ms=200))
    match_seat.unmeasured_ns = 60 * MS
    match_seat.settle(300 * MS, 0, 0, 400 * MS)
    assert match_seat.fair_clock is not None
    assert (match_seat.clock.left()["bank_ms"], match_seat.fair_clock.left()["bank_ms"]) == (100, 160)
