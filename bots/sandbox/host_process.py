"""The three pipes between the platform and one bot, as a launcher opens them."""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Final

from bots.runner.launcher import PlatformFailure

# --- Pipes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipes:
    """The platform's ends of a bot's three pipes, and the bot's."""

    stdin: int
    stdout: int
    stderr: int
    theirs: tuple[int, int, int]

    @classmethod
    def open(cls) -> Pipes:
        """Three new pipes, none of which any child inherits by itself."""
        ends: list[int] = []
        try:
            for _ in range(3):
                ends += os.pipe()
        except OSError:
            for descriptor in ends:
                os.close(descriptor)
            raise
        inbox, stdin, stdout, outbox, stderr, errors = ends
        return cls(stdin, stdout, stderr, (inbox, outbox, errors))

    def close_theirs(self) -> None:
        """Let go of the bot's ends: it has its own by now."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def close_ours(self) -> None:
        """Let go of the platform's ends, when the start has failed."""
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.close(descriptor)


# --- Processes -------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

_END_MS = 5000
_LOCK: Final = Lock()
_LINGERING: Final[list[HostProcess]] = []
"""Processes of this worker that were killed and had not ended in time."""


class HostProcess:
    """A process ``pid`` that ``child`` is or guards; ``freed`` is called once when both are gone.

    ``child`` is the process this one started. In a sandbox it is the monitor that waits for the bot. Raises
    ``ProcessLookupError`` if there is no process ``pid`` any more.
    """

    knows_cpu = True

    def __init__(self, child: subprocess.Popen[bytes], pid: int, pipes: Pipes, freed: Callable[[], None]) -> None:
        self.child, self.pid, self._freed = child, pid, freed
        self.stdin, self.stdout, self.stderr = pipes.stdin, pipes.stdout, pipes.stderr
        self._pidfd = os.pidfd_open(pid)  # raises ProcessLookupError if it is gone by now
        try:
            self._child_pidfd = os.pidfd_open(child.pid)
        except OSError:
            os.close(self._pidfd)
            raise
        self._read_clock = partial(time.clock_gettime_ns, (~pid << 3) | 2)
        self._cpu_ns = self._run_delay_ns = 0
        self._schedstat = _open(f"/proc/{pid}/schedstat")
        self._pipe = f"pipe:[{os.fstat(pipes.stdout).st_ino}]"
        self._stopped = self._monitor_killed = False

    def cpu_ns(self) -> int:
        try:
            self._cpu_ns = cpu_ns = self._read_clock()
        except OSError:
            return self._cpu_ns
        return cpu_ns

    def run_delay_ns(self) -> int:
        if self._schedstat is None:
            return 0
        try:
            on_cpu, waiting, _ = os.pread(self._schedstat, 64, 0).split()
        except OSError:
            return self._run_delay_ns
        others_ns = self._cpu_ns - int(on_cpu)
        self._run_delay_ns = int(waiting) - (others_ns if others_ns > 0 else 0)
        return self._run_delay_ns

    def gave_up_stdout(self) -> bool:
        try:
            held = _descriptors(self.pid)
        except OSError:
            return False
        return self._pipe not in held and not self._gone(self._pidfd, 0)

    def pause(self) -> None:
        self._signal(self._pidfd, signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(self._pidfd, signal.SIGCONT)

    def kill(self) -> None:
        self._signal(self._pidfd, signal.SIGKILL)

    def stop(self, patience_ms: int = 0) -> int | None:
        """Wait, kill the bot, then its monitor, and wait for both. Raises ``NeverBegun`` if the bot was never begun.

        A bot can delay its end, for example with resources that the kernel has to free. If it has not ended in time, it
        counts as killed. Its seat stays taken until :func:`release_ended` finds that it has ended, or until this worker
        process ends, so that no other bot gets its user meanwhile.
        """
        if self._stopped:
            return self.child.returncode
        self._stopped = True
        if not self._gone(self._child_pidfd, patience_ms):
            self.kill()
            if not self._gone(self._pidfd, _END_MS) or not self._gone(self._child_pidfd, _END_MS):
                self._signal(self._child_pidfd, signal.SIGKILL)
                self._monitor_killed = True
        self.kill()
        ended = self._gone(self._pidfd, _END_MS) and self._gone(self._child_pidfd, _END_MS)
        self._end_company()
        if not ended:
            logger.error("bot process %s does not exit; its sandbox user remains in use", self.pid)
            with _LOCK:
                _LINGERING.append(self)
            return -signal.SIGKILL
        return self._ended()

    def released(self) -> bool:
        """Whether both processes have ended after all; their seat is given back if they have."""
        if not self._gone(self._pidfd, 0) or not self._gone(self._child_pidfd, 0):
            return False
        self._end_company()
        with suppress(PlatformFailure):  # how it was begun no longer matters
            self._ended()
        return True

    def _ended(self) -> int | None:
        self._close()
        self._freed()
        return self._status(self.child.wait())

    def _end_company(self) -> None:
        """End what may be left besides the two; in a sandbox nothing can be."""

    def _status(self, returncode: int) -> int | None:
        return returncode

    def drop(self) -> None:
        """End it without a word, for a start that has failed: its pipes and its seat are not touched."""
        self._stopped = True
        self.kill()
        self.child.kill()
        self.child.wait()
        self._close()

    def _close(self) -> None:
        for descriptor in (self._pidfd, self._child_pidfd, self._schedstat):
            if descriptor is not None:
                os.close(descriptor)

    @staticmethod
    def _gone(pidfd: int, timeout_ms: int) -> bool:
        poll = select.poll()
        poll.register(pidfd, select.POLLIN)
        return bool(poll.poll(timeout_ms))

    @staticmethod
    def _signal(pidfd: int, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, number)


def release_ended() -> int:
    """Give back the seats of bots that have ended since :meth:`HostProcess.stop` gave up; how many still have not."""
    with _LOCK:
        _LINGERING[:] = [process for process in _LINGERING if not process.released()]
        return len(_LINGERING)


def _descriptors(pid: int) -> set[str]:
    """What a process has open, as ``/proc`` names it. Its main thread may have ended before the others.

    Raises ``OSError`` where one may not look, or the process is gone.
    """
    for thread in os.listdir(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{thread}/fd"
        names = set()
        for name in os.listdir(folder):
            with suppress(FileNotFoundError):
                names.add(os.readlink(f"{folder}/{name}"))
        if names:
            return names
    return set()


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None
