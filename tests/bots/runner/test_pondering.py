from __future__ import annotations

import os

from bots.protocol import Limits
from bots.runner.chair import PONDERING_NS, Chair


class Worked:
    """A process whose processor time is what one says."""

    stdin = stdout = stderr = -1

    def __init__(self) -> None:
        self.cpu = 0
        self.done: list[str] = []

    def cpu_ns(self) -> int:
        return self.cpu

    def run_delay_ns(self) -> int:
        return 0

    def gave_up_stdout(self) -> bool:
        return False

    def pause(self) -> None:
        self.done.append("pause")

    def resume(self) -> None:
        self.done.append("resume")

    def kill(self) -> None:
        self.done.append("kill")

    def stop(self, patience_ms: int = 0) -> int | None:
        return os.EX_OK


def test_a_bot_that_thinks_out_of_turn_is_stopped_until_it_is_asked_again() -> None:
    chair, process = Chair(0, "bot", "", Limits()), Worked()
    chair.wake(process)
    chair.rest(process)
    process.cpu = PONDERING_NS + 1
    chair.wake(process)
    chair.rest(process)
    chair.cpu_seen_ns = process.cpu
    chair.wake(process)
    chair.rest(process)
    assert process.done == ["pause", "resume", "pause"]


def test_a_bot_that_waits_for_its_turn_is_left_alone() -> None:
    chair, process = Chair(0, "bot", "", Limits()), Worked()
    for cpu in range(0, 10 * PONDERING_NS, PONDERING_NS // 2):
        process.cpu = cpu
        chair.wake(process)
        chair.cpu_seen_ns = cpu
        chair.rest(process)
    assert process.done == []
