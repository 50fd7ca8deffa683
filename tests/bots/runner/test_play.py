from __future__ import annotations

import threading
from typing import Any

import pytest

import games
from bots.protocol import Limits, bot_seed
from bots.runner import FakeProgram
from games.record import from_json, to_json, verify
from games.rules import Document
from tests.bots.runner.fakes import SEED, Watcher, default, later_legal, play
from tests.services.ports import wait_until

pytestmark = pytest.mark.usefixtures("each_channel")


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_game_of_legal_moves_is_played_to_its_end_and_verifies(seats: int) -> None:
    report = play(*[later_legal] * seats)
    state = verify(from_json(to_json(report.record)), report.forfeits_by_seat)
    assert state.outcome == report.record["outcome"]
    assert report.record["seed"] == SEED.hex()
    assert report.forfeits == ()
    assert [seat.label for seat in report.seats] == [f"bot {seat}" for seat in range(seats)]
    assert all(not seat.strikes and seat.ready_us is not None and seat.exit_status == 0 for seat in report.seats)


def test_hello_has_the_game_the_limits_and_a_seed_for_each_seat() -> None:
    watcher = Watcher()
    limits = Limits(move_ms=900)
    report = play(default, default, default, limits=limits, observer=watcher)
    hellos = [watcher.messages(seat, "hello") for seat in range(3)]
    assert [len(messages) for messages in hellos] == [1, 1, 1]
    assert hellos[1][0] == {
        "type": "hello",
        "protocol": 1,
        "game": "edel-stein-reich",
        "rules": "1",
        "seats": 3,
        "seat": 1,
        "resumed": False,
        "limits": {"startup_ms": 3000, "move_ms": 900, "bank_ms": 10_000, "game_ms": 60_000, "memory_mb": 512},
        "seed": bot_seed(b"secret", "m1", 1, 1),
        "library": games.__version__,
    }
    assert [seat.bot_seed for seat in report.seats] == [hello[0]["seed"] for hello in hellos]


def test_ids_count_each_seats_own_decisions_from_one() -> None:
    watcher = Watcher()
    report = play(later_legal, later_legal, later_legal, observer=watcher)
    for seat in range(3):
        ids = [message["id"] for message in watcher.messages(seat, "decide")]
        assert ids == list(range(1, len(ids) + 1))
        assert [thought.id for thought in report.seats[seat].decisions] == ids


def test_the_logs_of_all_decides_and_the_end_are_the_whole_log_once() -> None:
    watcher = Watcher()
    report = play(later_legal, later_legal, later_legal, later_legal, observer=watcher)
    state = verify(report.record)
    for seat in range(4):
        pieces = watcher.messages(seat, "decide") + watcher.messages(seat, "end")
        assert [entry for piece in pieces for entry in piece["log"]] == state.entries(seat)
        assert pieces[-1]["outcome"] == report.record["outcome"]


def test_the_clock_of_decide_messages_has_integers_and_never_rises() -> None:
    watcher = Watcher()
    play(later_legal, later_legal, observer=watcher)
    clocks = [message["clock"] for message in watcher.messages(0, "decide")]
    assert all(type(value) is int for clock in clocks for value in clock.values())
    assert {clock["move_ms"] for clock in clocks} == {1000}
    for name in ("bank_ms", "game_ms"):
        values = [clock[name] for clock in clocks]
        assert values == sorted(values, reverse=True)


def test_simultaneous_questions_tell_nobody_what_the_others_chose() -> None:
    watcher = Watcher()
    play(later_legal, default, later_legal, observer=watcher)
    first = [watcher.messages(seat, "decide")[0] for seat in range(3)]
    assert all(message["decision"]["kind"] == "action" for message in first)
    assert all(player["action"] is None for message in first for player in message["view"]["players"])


def test_an_observer_sees_every_position_and_every_answer() -> None:
    watcher = Watcher()
    report = play(default, default, observer=watcher)
    assert len(watcher.came) == sum(len(seat.decisions) for seat in report.seats) == watcher.positions - 1


def test_the_report_is_plain_json_without_the_record() -> None:
    document = play(default, default).document()
    assert "record" not in document
    assert document["seats"][0]["decisions"][0].keys() == {"id", "wall_us", "cpu_us", "machine_delay_us"}


def test_a_specification_for_no_game_is_refused() -> None:
    with pytest.raises(ValueError, match="seat"):
        play(default)


class CountedCore:
    """A core that is always free. ``asked`` counts calls of ``hold``, ``events`` what changed."""

    is_due = False

    def __init__(self) -> None:
        self.asked, self.held = 0, False
        self.events: list[str] = []

    def hold(self) -> None:
        self.asked += 1
        self.try_hold()

    def try_hold(self) -> bool:
        if not self.held:
            self.held = True
            self.events.append("held")
        return True

    def release(self) -> None:
        if self.held:
            self.held = False
            self.events.append("released")


def test_a_game_with_a_core_has_one_bot_at_a_time_start_and_think_and_gives_it_back_in_the_end() -> None:
    core, thinking, at_once = CountedCore(), [0], [0]

    def think(message: Document) -> Any:
        thinking[0] += 1
        at_once[0] = max(at_once[0], thinking[0])
        thinking[0] -= 1
        return default(message)

    report = play(think, think, think, core=core)
    questions = sum(len(seat.decisions) for seat in report.seats)
    assert (core.asked, core.held, at_once[0]) == (3 + questions, False, 1)


def test_a_bot_occupies_its_core_only_while_it_computes() -> None:
    core, computes, woken = CountedCore(), [True], threading.Event()

    def sleep(message: Document) -> Any:
        if message["type"] == "decide" and message["id"] == 2:
            before = len(core.events)
            computes[0] = False
            wait_until(lambda: core.events[before:] == ["released"], "the core is given back")
            computes[0] = True
            wait_until(lambda: core.events[before:] == ["released", "held"], "the core is held again")
            woken.set()
        return default(message)

    play(FakeProgram(sleep, computes=lambda: computes[0]), default, core=core, limits=Limits(move_ms=600_000))
    assert woken.is_set()
    assert not core.held
