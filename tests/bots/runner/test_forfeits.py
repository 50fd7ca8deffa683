from __future__ import annotations

from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import MatchReport
from games.record import verify
from games.rules import Document
from tests.bots.runner.fakes import HASTY, Watcher, at, default, later_legal, leave, play

pytestmark = pytest.mark.usefixtures("each_channel")


def only_forfeit(report: MatchReport) -> tuple[int, str]:
    """Who lost by what; everything else about a forfeited game is checked here."""
    (forfeit,) = report.forfeits
    state = verify(report.record, report.forfeits_by_seat)
    assert state.outcome == report.record["outcome"]
    assert report.record["outcome"]["ranks"][forfeit.seat] == len(report.seats)
    assert forfeit.evidence
    others = [seat for index, seat in enumerate(report.seats) if index != forfeit.seat]
    assert all(not seat.strikes for seat in others)
    return forfeit.seat, forfeit.reason


def silent_start(message: Document) -> Any:
    return b"" if message["type"] == "hello" else default(message)


def test_a_bot_that_is_never_ready_loses_and_the_others_play_on() -> None:
    watcher = Watcher()
    report = play(later_legal, silent_start, later_legal, limits=HASTY, observer=watcher)
    assert only_forfeit(report) == (1, "not_ready")
    assert report.seats[1].ready_us is None
    assert report.forfeits[0].decision is None
    assert watcher.messages(1, "decide") == []
    assert watcher.messages(1, "end") == []
    assert len(watcher.messages(0, "end")) == 1


@pytest.mark.parametrize("chatter", [b"loading...", b"x" * 200_000], ids=["short", "too long"])
def test_chatter_before_ready_does_no_harm(chatter: bytes) -> None:
    def chatty(message: Document) -> Any:
        return chatter + b'\n{"type": "ready"}\n' if message["type"] == "hello" else default(message)

    report = play(chatty, default)
    assert report.forfeits == ()
    assert report.seats[0].strikes == ()


@pytest.mark.parametrize("number", [1, 7])
def test_an_exit_at_a_decision_is_a_forfeit(number: int) -> None:
    report = play(default, at(number, leave), default)
    assert only_forfeit(report) == (1, "exit")
    assert report.forfeits[0].decision == number
    assert report.seats[1].exit_status == 3
    steps = [step for step in report.record["steps"] if step.get("seat") == 1]
    assert {step.get("default") for step in steps if "forced" not in step} >= {"forfeit"}


def test_an_exit_before_ready_is_an_exit() -> None:
    assert only_forfeit(play(default, leave, default)) == (1, "exit")


def test_an_exit_after_the_last_decision_is_nothing() -> None:
    count = len(play(default, default).seats[0].decisions)

    def says_and_leaves(message: Document) -> Any:
        if message["type"] == "end":
            raise SystemExit(1)
        return default(message)

    report = play(says_and_leaves, default)
    assert report.forfeits == ()
    assert len(report.seats[0].decisions) == count


def test_the_time_for_the_whole_game_is_a_forfeit_when_it_is_used_up() -> None:
    limits = Limits(startup_ms=500, move_ms=20, bank_ms=5000, game_ms=60)
    report = play(default, at(2, b""), limits=limits)
    assert only_forfeit(report) == (1, "time")
    assert sum(decision.wall_us for decision in report.seats[1].decisions) >= 59_000


def test_a_table_without_anybody_left_is_played_to_the_end() -> None:
    report = play(leave, leave, leave)
    assert [forfeit.reason for forfeit in report.forfeits] == ["exit"] * 3
    assert report.record["outcome"]["ranks"] == [1, 1, 1]
    assert verify(report.record, report.forfeits_by_seat).outcome == report.record["outcome"]


def test_a_forfeit_during_simultaneous_choices_leaves_the_others_theirs() -> None:
    report = play(at(1, leave), later_legal, later_legal, later_legal)
    assert only_forfeit(report) == (0, "exit")
    assert not any("default" in step for step in report.record["steps"] if step.get("seat", 0) != 0)
