from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import MatchReport
from bots.runner.bot_log import decided_plies
from bots.runner.clock import cores
from games.record import verify
from games.rules import Document
from tests.bots.runner.fakes import HASTY, Watcher, at, default, later_legal, leave, play
from tests.judge.verdicts import check

pytestmark = pytest.mark.usefixtures("each_channel")


def only_forfeit(report: MatchReport) -> tuple[int, str]:
    """The seat that lost, with the reason; everything else about a forfeited game is checked here."""
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


def test_a_match_that_all_seats_forfeited_is_played_to_the_end() -> None:
    report = play(leave, leave, leave)
    assert [forfeit.reason for forfeit in report.forfeits] == ["exit"] * 3
    assert report.record["outcome"]["ranks"] == [1, 1, 1]
    assert verify(report.record, report.forfeits_by_seat).outcome == report.record["outcome"]


def test_a_forfeit_during_simultaneous_choices_leaves_the_others_theirs() -> None:
    report = play(at(1, leave), later_legal, later_legal, later_legal)
    assert only_forfeit(report) == (0, "exit")
    assert not any("default" in step for step in report.record["steps"] if step.get("seat", 0) != 0)


# --- when seats gave up ------------------------------------------------------------------------------------------


def gave_up(report: MatchReport) -> dict[int, int | None]:
    """By seat, after how many steps it gave up, as the report and the outcome agree."""
    times = {forfeit.seat: forfeit.at for forfeit in report.forfeits}
    scores = report.record["outcome"]["scores"]
    assert times == {seat: score["forfeit_at"] for seat, score in enumerate(scores) if "forfeit" in score}
    assert verify(report.record, report.forfeits_by_seat).outcome == report.record["outcome"]
    assert check(report.record) == []
    return times


def decided_by(report: MatchReport, seat: int, number: int) -> int:
    """The step of the decision ``number`` of ``seat``, from 1."""
    return decided_plies(report.record, seat)[number - 1]


def test_a_bot_that_gives_up_earlier_ranks_below_one_that_gives_up_later() -> None:
    report = play(at(9, leave), at(4, leave), later_legal)
    times = gave_up(report)
    assert set(times) == {0, 1} and times[1] < times[0]
    assert report.record["outcome"]["ranks"] == [2, 3, 1]


@pytest.mark.parametrize(("first", "ranks"), [(0, [2, 1]), (1, [1, 2])])
def test_of_two_bots_that_both_crash_the_later_one_wins(first: int, ranks: list[int]) -> None:
    bots = [at(3, leave), at(3, leave)]
    bots[first] = at(2, leave)
    report = play(*bots)
    times = gave_up(report)
    assert times == {seat: decided_by(report, seat, 2 if seat == first else 3) for seat in (0, 1)}
    assert report.record["outcome"]["ranks"] == ranks


def test_of_two_bots_that_are_struck_out_the_later_one_wins() -> None:
    def silly(message: Document) -> Any:
        return "steal" if message["type"] == "decide" else None

    report = play(silly, at(1, "money", silly))
    times = gave_up(report)
    assert {forfeit.reason for forfeit in report.forfeits} == {"strikes"}
    assert times == {0: decided_by(report, 0, 3), 1: decided_by(report, 1, 4)}
    assert report.record["outcome"]["ranks"] == [2, 1]


@pytest.mark.parametrize("crash", [(0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_bots_that_give_up_in_one_simultaneous_choice_tie(crash: tuple[int, ...]) -> None:
    report = play(*(at(1, leave) if seat in crash else later_legal for seat in range(3)))
    first = next(ply for ply, step in enumerate(report.record["steps"]) if "move" in step)
    assert gave_up(report) == dict.fromkeys(crash, first)
    assert {report.record["outcome"]["ranks"][seat] for seat in crash} == {3 - len(crash) + 1}


@pytest.mark.skipif(cores() < 2, reason="bots think at the same time only on several cores")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_order_in_which_they_crash_does_not_matter(order: tuple[int, int]) -> None:
    gone = Event()

    def first(message: Document) -> Any:
        gone.set()
        return leave(message)

    def second(message: Document) -> Any:
        gone.wait()
        return leave(message)

    bots = [later_legal] * 3
    bots[order[0]], bots[order[1]] = at(1, first), at(1, second)
    report = play(*bots)
    assert len(set(gave_up(report).values())) == 1
    assert report.record["outcome"]["ranks"] == [2, 2, 1]


def test_a_bot_that_never_started_gave_up_before_the_first_step() -> None:
    report = play(at(1, leave), leave, later_legal)
    times = gave_up(report)
    assert times[1] == 0 and times[0] == decided_by(report, 0, 1) > 0
    assert report.record["outcome"]["ranks"] == [2, 3, 1]
