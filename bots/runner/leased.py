"""Play a match only while its lease is held: the processes and the observer end with the lease."""

from __future__ import annotations

from threading import Lock
from typing import Final, Generic, TypeVar

from bots.protocol import Limits
from bots.runner.launcher import Launcher, Observer, Process
from esr_platform.heartbeats import Heartbeat, LeaseLost
from games.rules import State

GIVEN_UP_BEFORE_S: Final = 5.0
"""A worker that cannot renew its lease ends its bots this much before the lease expires, in seconds."""

P = TypeVar("P")


class LeasedProcesses(Generic[P]):
    """A launcher that can kill all that it has started, for a match whose lease is lost.

    Without it, a bot could use the rest of its time for a decision while another match of its block has begun.
    """

    def __init__(self) -> None:
        self._lock, self._is_lost = Lock(), False
        self._started: list[Process] = []
        self._launcher: Launcher[P] | None = None

    def of(self, launcher: Launcher[P]) -> LeasedProcesses[P]:
        """Start processes with ``launcher``."""
        self._launcher = launcher
        return self

    def start(self, program: P, limits: Limits) -> Process:
        """Start ``program``, and kill it at once if the lease is lost. Raises ``PlatformFailure``."""
        assert self._launcher is not None
        process = self._launcher.start(program, limits)
        with self._lock:
            self._started.append(process)
            if self._is_lost:
                process.kill()
        return process

    def kill(self) -> None:
        """Kill all processes, also those that are being started."""
        with self._lock:
            self._is_lost = True
            for process in self._started:
                process.kill()


class WhileLeased:
    """An ``Observer`` that raises ``LeaseLost`` at the first event after the loss. It passes on the others.

    The end of killed processes is such an event.
    """

    def __init__(self, heart: Heartbeat, observer: Observer | None) -> None:
        self._heart, self.observer = heart, observer

    def moved(self, state: State) -> None:
        self._check()
        if self.observer is not None:
            self.observer.moved(state)

    def sent(self, seat: int, line: bytes) -> None:
        self._check()
        if self.observer is not None:
            self.observer.sent(seat, line)

    def heard(self, seat: int, line: bytes) -> None:
        self._check()
        if self.observer is not None:
            self.observer.heard(seat, line)

    def _check(self) -> None:
        if self._heart.lost:
            raise LeaseLost
