from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bots.protocol import Limits
from bots.runner.match_seat import PONDERING_NS, MatchSeat
from bots.runner.questions import MoveQuestion


class Worked:
    """A process whose processor time is what one says."""

    def __init__(self) -> None:
        self.knows_cpu, self.copied = True, None
        self.stdout, self.stdin = os.pipe()
        self.stderr = os.dup(self.stdout)
        self.cpu = 0
        self.done: list[str] = []

    def cpu_ns(self) -> int:
        return self.cpu

    def run_delay_ns(self) -> int:
        return 0

    def runner_delay_ns(self) -> int:
        return 0

    def gave_up_stdout(self) -> bool:
        return False

    def exceeded_memory(self) -> bool:
        return False

    def pause(self) -> None:
        self.done.append("pause")

    def resume(self) -> None:
        self.done.append("resume")

    def kill(self) -> None:
        self.done.append("kill")

    def exited(self, patience_ms: int) -> bool:
        return False

    def stop(self, patience_ms: int = 0) -> int | None:
        return os.EX_OK


@pytest.fixture
def table() -> Iterator[tuple[MatchSeat, Worked]]:
    match_seat, process = MatchSeat(0, "bot", "", Limits()), Worked()
    match_seat.seat_process(process)
    yield match_seat, process
    match_seat.leave()


def ask(match_seat: MatchSeat, process: Worked, cpu_at_the_answer: int) -> None:
    """Ask once; the answer comes when the bot has used so much processor time."""
    MoveQuestion(match_seat, b"{}\n").put()
    process.cpu = match_seat.cpu_seen_ns = cpu_at_the_answer
    match_seat.settle(0, 0, 0, 1)


def test_a_bot_that_thinks_out_of_turn_is_stopped_until_it_is_asked_again(table: tuple[MatchSeat, Worked]) -> None:
    match_seat, process = table
    ask(match_seat, process, 5)
    process.cpu += PONDERING_NS + 1
    ask(match_seat, process, process.cpu)
    assert process.done == ["pause"]
    ask(match_seat, process, process.cpu)
    assert process.done == ["pause", "resume", "pause"]


def test_a_bot_that_thinks_long_in_its_turn_is_left_alone(table: tuple[MatchSeat, Worked]) -> None:
    match_seat, process = table
    for cpu in range(0, 100 * PONDERING_NS, 10 * PONDERING_NS):
        ask(match_seat, process, cpu)
    assert process.done == []
