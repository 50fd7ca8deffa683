from __future__ import annotations

import threading
from typing import Any

import pytest

from bots.protocol import Limits
from bots.runner import Advice, FakeProgram, PlatformFailure, Process, consult
from bots.sandbox import InProcessLauncher
from games.rules import Document
from tests.bots.runner.fakes import CHANNEL, HASTY, Play, consultation, default, leave, middle, raw

pytestmark = pytest.mark.usefixtures("each_channel")


def asked(bot: Play | FakeProgram, limits: Limits | None = None, **more: Any) -> Advice:
    """Ask a fake for the decision 17."""
    program = bot if isinstance(bot, FakeProgram) else FakeProgram(bot)
    return consult(consultation(program, limits=limits, **more), InProcessLauncher(), CHANNEL.get())


def test_a_consulted_bot_gets_the_whole_log_and_returns_its_move() -> None:
    messages: list[Document] = []

    def attentive(message: Document) -> Any:
        messages.append(message)
        return default(message)

    state = middle()
    advice = asked(attentive, state=state)
    seat = state.pending[0]
    assert [message["type"] for message in messages] == ["hello", "decide"]
    assert messages[0]["resumed"]
    assert messages[1]["log"] == state.entries(seat) != []
    assert state.check(seat, advice.move) == state.default_move(seat)
    assert advice.fault is None
    assert advice.thought is not None
    assert advice.thought.id == 17
    assert advice.ready_us is not None


def test_nobody_judges_here_whether_a_move_is_legal() -> None:
    advice = asked(lambda _: {"nonsense": 1})
    assert (advice.move, advice.fault) == ({"nonsense": 1}, None)
    assert advice.line == b'{"id":17,"move":{"nonsense":1}}\n'


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"no json\n", "malformed"),
        (b"x" * 70_000 + b"\n", "too_long"),
        (raw(18, "money"), "wrong_id"),
        (raw(0, "money"), "wrong_id"),
    ],
)
def test_a_wrong_answer_is_named_as_in_every_game(answer: bytes, reason: str) -> None:
    advice = asked(lambda message: answer if message["type"] == "decide" else None)
    assert advice.fault is not None
    assert (advice.fault.reason, advice.move) == (reason, None)


def test_an_answer_to_an_earlier_decision_is_dropped() -> None:
    advice = asked(lambda message: raw(16, "x") + raw(17, "y") if message["type"] == "decide" else None)
    assert (advice.move, advice.fault) == ("y", None)


@pytest.mark.parametrize(
    ("limits", "left", "reason", "least_us"), [(HASTY, None, "late", 10_000), (None, 20, "time", 20_000)]
)
def test_a_bot_that_says_nothing_is_late_or_has_used_up_the_time_for_the_game(
    limits: Limits | None, left: int | None, reason: str, least_us: int
) -> None:
    advice = asked(lambda message: b"" if message["type"] == "decide" else None, limits, left=left)
    assert advice.fault is not None
    assert (advice.fault.reason, advice.machine_delay) == (reason, None)
    assert advice.thought is not None
    assert least_us <= advice.thought.wall_us < 900_000


def test_a_bot_that_is_never_ready_is_asked_nothing() -> None:
    advice = asked(lambda _: b"", HASTY)
    assert advice.fault is not None
    assert (advice.fault.reason, advice.thought, advice.ready_us) == ("not_ready", None, None)


@pytest.mark.parametrize("at", ["hello", "decide"])
def test_a_bot_that_ends_has_left(at: str) -> None:
    advice = asked(lambda message: leave(message) if message["type"] == at else None)
    assert advice.fault is not None
    assert (advice.fault.reason, advice.exit_status) == ("exit", 3)
    assert (advice.thought is None) == (at == "hello")


def test_a_late_answer_that_was_the_machines_fault_says_so() -> None:
    delayed = {"ns": 0}
    pause = threading.Event()

    def slow(message: Document) -> Any:
        if message["type"] == "decide":
            delayed["ns"] = 290_000_000
            pause.wait(0.3)
        return default(message)

    limits = Limits(startup_ms=500, move_ms=200, bank_ms=0, game_ms=60_000)
    advice = asked(FakeProgram(slow, run_delay_ns=lambda: delayed["ns"]), limits)
    assert advice.fault is not None
    assert advice.fault.reason == "late"
    assert advice.machine_delay is not None
    assert advice.machine_delay.decision == 17


def test_a_program_that_cannot_be_started_is_a_platform_failure() -> None:
    class Broken:
        def start(self, program: FakeProgram, limits: Limits) -> Process:
            raise PlatformFailure("no room")

    with pytest.raises(PlatformFailure, match="no room"):
        consult(consultation(FakeProgram(default)), Broken(), CHANNEL.get())
