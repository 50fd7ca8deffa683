from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import FakeProgram, MatchReport
from bots.runner.channel import News, PolledChannel
from bots.runner.match_seat import KNOWN_AFTER
from games.rules import Document
from tests.bots.runner.fakes import CHANNEL, default, play

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("each_channel")]

LIMITS = Limits(startup_ms=500, move_ms=200, bank_ms=0, game_ms=60_000)


def reasons_at_two(report: MatchReport) -> list[str]:
    """Why seat 0 got strikes at its second decision. On a busy machine others can be late as well."""
    return [strike.reason for strike in report.seats[0].strikes if strike.id == 2]


def slow_at_two(wait_s: float, delay_ms: int, played_before: int = 0) -> MatchReport:
    """A game in which seat 0 takes ``wait_s`` for its second decision, of which the machine took ``delay_ms``."""
    delayed = {"ns": 0}
    pause = threading.Event()

    def slow(message: Document) -> Any:
        if message["type"] == "decide" and message["id"] == 2:
            delayed["ns"] = delay_ms * 1_000_000
            pause.wait(wait_s)
        return default(message)

    bot = FakeProgram(slow, run_delay_ns=lambda: delayed["ns"])
    return play(bot, default, limits=LIMITS, played_before=played_before)


def test_an_answer_that_only_the_machine_made_late_is_marked_and_the_game_is_to_be_played_again() -> None:
    report = slow_at_two(0.3, delay_ms=290)
    assert reasons_at_two(report) == ["late"]
    (delay,) = [delay for delay in report.machine_delays if (delay.seat, delay.decision) == (0, 2)]
    assert delay.wall_us > delay.allowed_us == 200_000
    assert report.machine_delays
    assert report.play_again


def test_while_a_late_answer_is_awaited_the_runner_sleeps() -> None:
    waits = []

    class Counted(PolledChannel):
        def wait(self, timeout_ns: int) -> News:
            waits.append(timeout_ns)
            return super().wait(timeout_ns)

    before = CHANNEL.set(Counted)
    try:
        report = slow_at_two(0.3, delay_ms=290)
    finally:
        CHANNEL.reset(before)
    assert report.machine_delays, "the answer came after the limit of 0.2 s"
    assert sum(timeout_ns <= 0 for timeout_ns in waits) < 20


def test_after_the_third_delayed_attempt_the_result_is_final() -> None:
    report = slow_at_two(0.3, delay_ms=290, played_before=2)
    assert report.machine_delays
    assert not report.play_again


@pytest.mark.parametrize(("share", "again"), [(0.5, True), (0.9, False)])
def test_a_bot_that_has_used_most_of_its_time_itself_gains_nothing(share: float, again: bool) -> None:
    delayed = {"ns": 0}

    def busy(message: Document) -> Any:
        if message["type"] == "decide" and message["id"] == 2:
            delayed["ns"] = 10**9
            enough = time.thread_time() + share * LIMITS.move_ms / 1000
            late = time.monotonic() + 1.2 * LIMITS.move_ms / 1000
            while time.thread_time() < enough:
                pass
            threading.Event().wait(max(0.0, late - time.monotonic()))
        return default(message)

    report = play(FakeProgram(busy, run_delay_ns=lambda: delayed["ns"]), default, limits=LIMITS)
    assert reasons_at_two(report) == ["late"]
    assert bool(report.machine_delays) == report.play_again == again


@pytest.mark.parametrize("delay_ms", [0, 1, 20])
def test_a_bot_that_was_too_slow_by_itself_gains_nothing(delay_ms: int) -> None:
    report = slow_at_two(0.25, delay_ms=delay_ms)
    assert reasons_at_two(report) == ["late"]
    assert not report.machine_delays
    assert not report.play_again


def test_a_bot_that_never_answers_gains_nothing_by_a_slow_machine() -> None:
    def silent(message: Document) -> Any:
        return b"" if message["type"] == "decide" and message["id"] == 2 else default(message)

    ticks = iter(range(0, 10**12, 30_000_000))
    report = play(FakeProgram(silent, run_delay_ns=lambda: next(ticks)), default, limits=LIMITS)
    assert reasons_at_two(report) == ["late"]
    assert not report.machine_delays


def test_a_delay_without_lateness_is_measured_and_changes_nothing() -> None:
    report = slow_at_two(0.02, delay_ms=15)
    assert reasons_at_two(report) == []
    assert report.seats[0].decisions[1].machine_delay_us >= 14_000


CALM = Limits(startup_ms=500, move_ms=600, bank_ms=0, game_ms=60_000)
"""Limits that leave time for delays of a busy machine."""


def excused(number: int, own_ms: int, usual_ms: int = 0, *, read_late: bool = False) -> bool:
    """Whether lag excuses an answer of seat 0 at a late decision, of which ``own_ms`` are its own time.

    With a negative number, the lag is longer than the whole decision, so all of it is lag. At all decisions before, it
    takes ``usual_ms``. If they are ``read_late``, the runner itself waited for a processor in this time.
    """
    delayed, runner_delayed, pause = {"ns": 0}, {"ns": 0}, threading.Event()

    def slow(message: Document) -> Any:
        if message["type"] == "decide" and message["id"] < number:
            pause.wait(usual_ms / 1000)
            runner_delayed["ns"] += usual_ms * 1_000_000 * read_late
        if message["type"] == "decide" and message["id"] == number:
            wall_ms = CALM.move_ms + 100
            delayed["ns"] = (wall_ms - own_ms) * 1_000_000
            pause.wait(wall_ms / 1000)
        return default(message)

    bot = FakeProgram(slow, run_delay_ns=lambda: delayed["ns"], runner_delay_ns=lambda: runner_delayed["ns"])
    report = play(bot, default, limits=CALM)
    assert [strike.reason for strike in report.seats[0].strikes if strike.id == number] == ["late"]
    return any(delay.decision == number for delay in report.machine_delays)


@pytest.mark.parametrize("way", ["sleeps", "computes"])
def test_waiting_by_choice_is_the_own_time_of_a_bot_like_computing(way: str) -> None:
    lag = {"ns": 0}

    def late(message: Document) -> Any:
        if message["type"] == "decide" and message["id"] == 2:
            until = time.monotonic() + 1.1 * CALM.move_ms / 1000
            while way == "computes" and time.monotonic() < until:
                pass
            threading.Event().wait(max(0.0, until - time.monotonic()))
            lag["ns"] = CALM.move_ms * 1_000_000 // 10
        return default(message)

    report = play(FakeProgram(late, run_delay_ns=lambda: lag["ns"]), default, limits=CALM)
    assert reasons_at_two(report) == ["late"]
    assert not any(delay.decision == 2 for delay in report.machine_delays)


@pytest.mark.parametrize(
    ("number", "usual_ms", "right"), [(KNOWN_AFTER, 0, True), (KNOWN_AFTER + 1, 0, False), (KNOWN_AFTER + 1, 150, True)]
)
def test_lag_excuses_a_known_bot_only_for_an_answer_that_takes_no_longer_than_usual(
    number: int, usual_ms: int, right: bool
) -> None:
    assert excused(number, own_ms=120, usual_ms=usual_ms) == right


def test_an_answer_that_the_platform_read_late_does_not_make_long_answers_usual() -> None:
    assert not excused(KNOWN_AFTER + 1, own_ms=120, usual_ms=150, read_late=True)


def test_lag_excuses_a_fast_bot_at_any_decision() -> None:
    assert excused(KNOWN_AFTER + 1, own_ms=-1000)
