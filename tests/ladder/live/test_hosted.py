"""A worker asks a hosted program for each decision of a live game, and only the program's own time is its own."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F

from bots.house.catalogue import HOUSE
from bots.models import BotVersion
from bots.protocol import Limits
from bots.runner import FakeProgram
from bots.sandbox import SandboxLauncher
from games.rules import Document
from ladder.live import actions
from ladder.live.end import finish
from ladder.live.game import LockedMatch
from ladder.live.hosted import AT_WORK, PATIENCE, PATIENCE_FOR_SUBSTITUTES, UNHEARD, ask_seat, remind, take
from ladder.matches.leases import MOST_FAILURES
from ladder.models import LedgerEntry, LiveSeat, Match, PlayedMove
from tests.ladder.accounts import accounts
from tests.ladder.live.hosted import Fakes, asked_once, default, house_game, owing, play_on, wakes
from tests.ladder.live.people import check_ended, live_seat_at, people, play_to_the_end, settle, table_for
from tests.ladder.live.play import pass_time

pytestmark = pytest.mark.usefixtures("house")

COMMITTED = pytest.mark.django_db(transaction=True)
"""Hints are given once a transaction is committed."""

HASTY = Limits(startup_ms=400, move_ms=100, bank_ms=0, game_ms=60_000)


def live_seat_of(match: Match) -> LiveSeat:
    live_seat = owing(match)
    assert live_seat is not None
    return live_seat


def later(live_seat: LiveSeat, by: timedelta) -> None:
    """Let so much time pass for a seat that owes something."""
    LiveSeat.objects.filter(pk=live_seat.pk).update(due_at=F("due_at") - by, lease_until=F("lease_until") - by)


def test_bots_of_the_house_play_a_live_game_to_a_result_that_counts(sandbox_launcher: SandboxLauncher) -> None:
    match = house_game("greedy", "haggler")
    asked = play_on(match, sandbox_launcher)
    assert finish(match.pk)
    match.refresh_from_db()
    assert (match.status, match.result.report["forfeits"]) == ("finished", [])
    assert PlayedMove.objects.filter(match=match).count() == asked > 20
    assert not PlayedMove.objects.filter(match=match).exclude(default="").exists()
    assert LedgerEntry.objects.filter(result=match.result).count() == 1
    assert accounts() == []


def test_bots_of_the_house_are_asked_inside_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.worker.live.consult", None)
    match = house_game("level-1", "haggler")
    moves = [asked_once(match) for _ in range(12)]
    assert not any(move.default for move in moves)
    assert all(move.wall_ms < 1000 for move in moves)


def test_code_of_the_house_that_fails_is_a_failure_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise LookupError("a fault of ours")

    match = house_game("greedy", "haggler")
    live_seat = live_seat_of(match)
    with monkeypatch.context() as broken:
        broken.setattr("bots.runner.inside._program", lambda *_: (HOUSE["greedy"], fail))
        assert not ask_seat(match.pk, live_seat.seat.index)
    live_seat.refresh_from_db()
    assert (live_seat.owes, live_seat.lease, live_seat.strikes, live_seat.forfeit) == (True, None, 0, "")
    assert not asked_once(match).default


def test_each_decision_has_a_new_process_with_the_whole_log() -> None:
    messages: list[Document] = []

    def attentive(message: Document) -> Any:
        messages.append(message)
        return default(message)

    match, launcher = house_game(), Fakes(attentive)
    for _ in range(8):
        asked_once(match, launcher)
    hellos = [message for message in messages if message["type"] == "hello" and message["seat"] == 0]
    decides = [message for message in messages if message["type"] == "decide" and message["decision"]["seat"] == 0]
    assert launcher.starts == 8
    assert [message["resumed"] for message in hellos] == [False, *[True] * (len(hellos) - 1)]
    assert len({message["seed"] for message in hellos}) == len(hellos) == len(decides)
    assert [message["id"] for message in decides] == list(range(1, len(decides) + 1))
    assert [len(message["log"]) for message in decides] == sorted(len(message["log"]) for message in decides)
    assert decides[-1]["log"][: len(decides[0]["log"])] == decides[0]["log"]


def test_only_the_time_that_the_program_thought_is_taken_from_its_clock() -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    later(live_seat, timedelta(minutes=2))
    move = asked_once(match, Fakes(default))
    live_seat.refresh_from_db()
    assert move.wall_ms < 1000
    assert live_seat.game_ms == 60_000 - move.wall_ms
    assert not live_seat.forfeit


@pytest.mark.parametrize(
    ("answer", "reason"),
    [({"nonsense": 1}, "illegal"), (b"{\n", "malformed"), (b"x" * 70_000 + b"\n", "too_long"), (b"", "late")],
)
def test_a_fault_is_a_strike_and_the_default_move_is_played(answer: Any, reason: str) -> None:
    match = house_game(limits=HASTY)
    move = asked_once(match, Fakes(lambda message: answer if message["type"] == "decide" else None))
    live_seat = LiveSeat.objects.get(seat=move.seat)
    assert (move.default, live_seat.strikes, live_seat.forfeit) == (reason, 1, "")
    assert move.detail


def test_the_third_strike_costs_the_game_and_the_others_play_on() -> None:
    match, silent = house_game(limits=HASTY), Fakes(lambda message: b"" if message["type"] == "decide" else None)
    seat = live_seat_of(match).seat.index
    while not LiveSeat.objects.filter(table=match.pk).exclude(forfeit="").exists():
        asked_once(match, silent if live_seat_of(match).seat.index == seat else Fakes(default))
    play_on(match, Fakes(default))
    assert finish(match.pk)
    forfeits = Match.objects.get(pk=match.pk).result.report["forfeits"]
    assert [(forfeit["seat"], forfeit["reason"]) for forfeit in forfeits] == [(seat, "strikes")]


@pytest.mark.parametrize(("at", "reason"), [("hello", "exit"), ("decide", "exit"), ("never", "not_ready")])
def test_a_program_that_ends_or_never_begins_has_lost_the_game(at: str, reason: str) -> None:
    def leave(message: Document) -> Any:
        if message["type"] == at:
            raise SystemExit(3)
        return b"" if message["type"] == "hello" and at == "never" else default(message)

    match = house_game(limits=HASTY)
    move = asked_once(match, Fakes(leave))
    live_seat = LiveSeat.objects.get(seat=move.seat)
    assert (move.default, live_seat.forfeit, live_seat.strikes) == ("forfeit", reason, 0)
    assert live_seat.evidence


def test_a_decision_that_only_the_machine_made_late_is_asked_again() -> None:
    delayed, pause, calls = {"ns": 0}, threading.Event(), []

    def slow_once(message: Document) -> Any:
        if message["type"] == "decide":
            calls.append(message["id"])
            if len(calls) == 1:
                delayed["ns"] = 290_000_000
                pause.wait(0.3)
        return default(message)

    limits = Limits(startup_ms=500, move_ms=200, bank_ms=0, game_ms=60_000)
    match = house_game(limits=limits)
    move = asked_once(match, Fakes(FakeProgram(slow_once, run_delay_ns=lambda: delayed["ns"])))
    live_seat = LiveSeat.objects.get(seat=move.seat)
    assert (move.default, live_seat.strikes, live_seat.starts, calls) == ("", 0, 2, [1, 1])
    assert move.wall_ms < 200


def test_after_the_third_machine_delay_the_answer_counts() -> None:
    delayed, pause = {"ns": 0}, threading.Event()

    def slow(message: Document) -> Any:
        if message["type"] == "decide":
            delayed["ns"] += 290_000_000
            pause.wait(0.3)
        return default(message)

    match = house_game(limits=Limits(startup_ms=500, move_ms=200, bank_ms=0, game_ms=60_000))
    launcher = Fakes(FakeProgram(slow, run_delay_ns=lambda: delayed["ns"]))
    move = asked_once(match, launcher)
    assert (move.default, launcher.starts) == ("late", 3)


@COMMITTED
def test_a_platform_failure_is_retried_and_costs_no_seat(broker: str) -> None:
    match, launcher = house_game(), Fakes(default, failures=MOST_FAILURES - 1)
    live_seat = live_seat_of(match)
    for failed in range(MOST_FAILURES - 1):
        assert not ask_seat(match.pk, live_seat.seat.index, failed, launcher)
        assert wakes(broker)[-1] == ([match.pk, live_seat.seat.index, failed + 1], True)
    assert ask_seat(match.pk, live_seat.seat.index, MOST_FAILURES - 1, launcher)
    live_seat.refresh_from_db()
    assert (live_seat.strikes, live_seat.forfeit) == (0, "")


def test_a_game_at_which_the_platform_fails_too_often_is_void_and_says_why() -> None:
    match, launcher = house_game(), Fakes(default, failures=9)
    seat = live_seat_of(match).seat.index
    for failed in range(MOST_FAILURES):
        assert not ask_seat(match.pk, seat, failed, launcher)
    match.refresh_from_db()
    assert match.status == "void"
    assert match.reason == f"The bot at seat {seat} could not be run after 3 attempts: no room for another process"
    assert not LiveSeat.objects.filter(table=match.pk, owes=True).exists()
    assert not LedgerEntry.objects.filter(kind="result").exists()
    assert accounts() == []


@COMMITTED
def test_a_program_that_is_not_on_this_machine_waits_for_one_that_has_it(broker: str) -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    BotVersion.objects.filter(pk=live_seat.seat.version_id).update(digest="0" * 64)
    assert not ask_seat(match.pk, live_seat.seat.index)
    assert wakes(broker)[-1] == ([match.pk, live_seat.seat.index, 0], True)
    live_seat.refresh_from_db()
    assert (live_seat.owes, live_seat.lease, live_seat.forfeit) == (True, None, "")


def test_a_seat_is_asked_by_one_worker_at_a_time() -> None:
    match = house_game()
    seat = live_seat_of(match).seat.index
    turn = take(match.pk, seat)
    assert turn is not None
    assert take(match.pk, seat) is None
    assert not ask_seat(match.pk, seat, launcher=Fakes(default))


def test_the_turn_of_a_lost_worker_is_anothers_and_what_the_first_brings_counts_no_more() -> None:
    match, answered = house_game(), list[bool]()
    live_seat = live_seat_of(match)

    class Slow(Fakes):
        def start(self, program: object, limits: Limits) -> Any:
            later(live_seat, AT_WORK + timedelta(seconds=1))
            answered.append(ask_seat(match.pk, live_seat.seat.index, launcher=Fakes(default)))
            return super().start(program, limits)

    assert not ask_seat(match.pk, live_seat.seat.index, launcher=Slow(default))
    assert answered == [True]
    assert PlayedMove.objects.filter(match=match, seat=live_seat.seat, decision=live_seat.asked).count() == 1
    assert LiveSeat.objects.get(pk=live_seat.pk).starts == 2


@COMMITTED
def test_nobody_is_asked_before_the_others_moves_are_shown(broker: str) -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    later(live_seat, timedelta(seconds=-30))
    launcher = Fakes(default)
    assert not ask_seat(match.pk, live_seat.seat.index, launcher=launcher)
    assert launcher.starts == 0
    assert wakes(broker)[-1] == ([match.pk, live_seat.seat.index, 0], True)


def test_a_turn_ends_with_its_decision() -> None:
    match = house_game()
    live_seat, turns = live_seat_of(match), list[bool]()

    class Watching(Fakes):
        def start(self, program: object, limits: Limits) -> Any:
            turns.append(LiveSeat.objects.filter(pk=live_seat.pk, lease__isnull=False).exists())
            return super().start(program, limits)

    asked_once(match, Watching(default))
    assert turns == [True]
    assert not LiveSeat.objects.filter(table=match.pk).exclude(lease=None, lease_until=None).exists()


def test_a_seat_that_owes_nothing_is_not_asked() -> None:
    match, launcher = house_game(), Fakes(default)
    play_on(match, launcher)
    before = launcher.starts
    assert not ask_seat(match.pk, 0, launcher=launcher)
    assert finish(match.pk)
    assert not ask_seat(match.pk, 1, launcher=launcher)
    assert launcher.starts == before


@COMMITTED
def test_a_lost_hint_is_given_again_but_not_every_second(broker: str) -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    sent = len(wakes(broker))
    assert remind() == 0
    later(live_seat, UNHEARD + timedelta(seconds=1))
    assert [remind(), remind()] == [1, 1]
    assert wakes(broker)[sent:] == [([match.pk, live_seat.seat.index, 0], False)]


@COMMITTED
def test_a_lost_worker_is_missed(broker: str) -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    assert take(match.pk, live_seat.seat.index) is not None
    assert remind() == 0
    later(live_seat, AT_WORK + timedelta(seconds=1))
    assert remind() == 1
    assert ask_seat(match.pk, live_seat.seat.index, launcher=Fakes(default))


def test_a_game_that_no_machine_can_go_on_with_is_void_after_a_while() -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    later(live_seat, PATIENCE + timedelta(seconds=1))
    assert remind() == 1
    match.refresh_from_db()
    assert match.status == "void"
    assert match.reason == f"No worker could run {live_seat.seat.version} at seat {live_seat.seat.index} for 3 min."


def substituted() -> tuple[Match, LiveSeat]:
    """A rated game of three people of whom the first has gone, and whose substitute owes a decision."""
    match = table_for("edel-stein-reich", people(3), rated=True)
    actions.resign(match.pk, 0)
    live_seat = live_seat_at(match, 0)
    assert (live_seat.kind, live_seat.owes) == ("substitute", True)
    settle(match)
    return match, live_seat


def test_without_a_machine_for_the_substitute_the_default_move_is_played() -> None:
    match, live_seat = substituted()
    assert remind() == 0
    later(live_seat, PATIENCE_FOR_SUBSTITUTES + timedelta(seconds=1))
    assert (remind(), remind()) == (1, 0)
    match.refresh_from_db()
    assert match.status == "running"
    move = PlayedMove.objects.get(match=match)
    assert (move.default, move.decision) == ("absent", live_seat.asked)
    assert move.detail == f"No worker could run {live_seat.substitute} at seat 0 for 1 min."
    play_to_the_end(match)
    check_ended(match)


def test_a_worker_that_is_at_it_again_by_then_is_not_passed_over() -> None:
    match, live_seat = substituted()
    later(live_seat, PATIENCE_FOR_SUBSTITUTES + timedelta(seconds=1))
    assert take(match.pk, 0) is not None
    assert remind() == 0
    assert not PlayedMove.objects.exists()


def test_a_platform_failure_of_a_substitute_does_not_end_the_game() -> None:
    match, _ = substituted()
    assert not ask_seat(match.pk, 0, MOST_FAILURES - 1, Fakes(default, failures=1))
    match.refresh_from_db()
    assert match.status == "running"
    assert PlayedMove.objects.get(match=match).default == "absent"
    assert not LiveSeat.objects.exclude(forfeit="", strikes=0).exists()


def test_a_failing_substitute_does_not_delay_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    match, live_seat = substituted()
    later(live_seat, PATIENCE_FOR_SUBSTITUTES + timedelta(seconds=1))

    def broken(*_: object) -> None:
        raise ValueError("something of it is broken")

    monkeypatch.setattr(LockedMatch, "settle", broken)
    assert remind() == 1
    match.refresh_from_db()
    assert match.status == "void"


def test_a_remote_seat_is_nothing_for_workers() -> None:
    match = house_game()
    live_seat = live_seat_of(match)
    LiveSeat.objects.filter(pk=live_seat.pk).update(kind="remote", deadline=F("due_at") + timedelta(hours=1))
    pass_time(match)
    assert take(match.pk, live_seat.seat.index) is None
    assert remind() == 0
