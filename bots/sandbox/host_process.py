"""The three pipes between the platform and one bot, and its process on the host."""

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
from pathlib import Path
from threading import Lock
from typing import Final

from bots.protocol import Limits
from bots.runner.launcher import PlatformFailure
from bots.sandbox.limits import MIB, THREADS
from bots.sandbox.memory import MemoryBound, bound_memory
from bots.sandbox.pressure import host_stall_ns

# --- Pipes -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pipes:
    """The ends of a bot's three pipes: those of the platform and those of the bot."""

    stdin: int
    stdout: int
    stderr: int
    theirs: tuple[int, int, int]

    @classmethod
    def open(cls) -> Pipes:
        """Create three pipes. Children do not inherit them automatically."""
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
        """Close the bot's ends after the bot has started with its own copies."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def close_ours(self) -> None:
        """Close the platform's ends after a start has failed."""
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.close(descriptor)


# --- Processes -------------------------------------------------------------------------------------------------------

logger = logging.getLogger(__name__)

_END_MS = 5000
_COMPUTES: Final = 0.05
"""A process has computed if it used at least this share of a core."""

_COMPUTING: Final = {"R", "D"}
"""States of a thread that runs or waits for a processor, and of one that the kernel works for."""

_LOCK: Final = Lock()
_LINGERING: Final[list[HostProcess]] = []
"""Processes of this worker that were killed but did not end in time."""


class HostProcess:
    """The process ``pid``, which is ``child`` or is guarded by it. ``freed`` is called once when both have ended.

    ``child`` is the process that this one started. In a sandbox it is the monitor that waits for the bot. Raises
    ``ProcessLookupError`` if the process ``pid`` no longer exists.
    """

    knows_cpu = True
    copied: tuple[str, str] | None = None

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
        self._computed_ns = (0, time.perf_counter_ns())
        self._schedstat = _open(f"/proc/{pid}/schedstat")
        self._runner_schedstat = _open("/proc/thread-self/schedstat")  # the thread that starts a bot also asks it
        self._pipe = f"pipe:[{os.fstat(pipes.stdout).st_ino}]"
        self._stopped = self._monitor_killed = False
        self._open_lock, self._is_open = Lock(), True
        self._memory: MemoryBound | None = None

    def bound_memory(self, limits: Limits) -> None:
        """Bound the memory of the process, best before it runs. Raises ``PlatformFailure`` if that is not possible."""
        self._memory = bound_memory(self.pid, limits.memory_mb * MIB, THREADS, self.kill)

    def exceeded_memory(self) -> bool:
        return self._memory is not None and self._memory.exceeded()

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

    def runner_delay_ns(self) -> int:
        return 0 if self._runner_schedstat is None else int(os.pread(self._runner_schedstat, 64, 0).split()[1])

    def computes(self) -> bool:
        cpu_before_ns, before_ns = self._computed_ns
        self._computed_ns = cpu_ns, now_ns = self.cpu_ns(), time.perf_counter_ns()
        return cpu_ns - cpu_before_ns > _COMPUTES * (now_ns - before_ns) or bool(_states(self.pid) & _COMPUTING)

    def host_stall_ns(self) -> int:
        return host_stall_ns()

    def gave_up_stdout(self) -> bool:
        if self._gone(self._pidfd, 0):
            return True
        try:
            return self._pipe not in _descriptors(self.pid)
        except OSError:
            return False

    def pause(self) -> None:
        self._signal(self._pidfd, signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(self._pidfd, signal.SIGCONT)

    def kill(self) -> None:
        with self._open_lock:  # another thread may kill it, and its descriptor can be that of another process later
            if self._is_open:
                self._signal(self._pidfd, signal.SIGKILL)

    def exited(self, patience_ms: int) -> bool:
        return self._gone(self._pidfd, patience_ms)

    def stop(self, patience_ms: int = 0) -> int | None:
        """Wait, kill the bot, then its monitor, and wait for both. Raises ``NeverBegun`` if the bot never began.

        A bot can delay its end, for example with resources that the kernel has to free. If it has not ended in time, it
        counts as killed. Its seat stays leased until :func:`release_ended` finds that it has ended, or until this
        worker process ends, so that no other bot gets the same user in the meantime.
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
        """Return whether both processes have ended. Returns their seat in this case."""
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
        """End other remaining processes. In a sandbox there cannot be any."""

    def _status(self, returncode: int) -> int | None:
        return returncode

    def drop(self) -> None:
        """End the process after a failed start, without its pipes and its seat."""
        self._stopped = True
        self.kill()
        self.child.kill()
        self.child.wait()
        self._close()

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()
        with self._open_lock:
            self._is_open = False
        for descriptor in (self._pidfd, self._child_pidfd, self._schedstat, self._runner_schedstat):
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
    """Return the seats of bots that have ended since :meth:`HostProcess.stop` gave up. Return how many have not."""
    with _LOCK:
        _LINGERING[:] = [process for process in _LINGERING if not process.released()]
        return len(_LINGERING)


def _descriptors(pid: int) -> set[str]:
    """Return the open files of a process, as named in ``/proc``. Its main thread may have ended before the others.

    Raises ``OSError`` if access is denied or the process has ended.
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


def _states(pid: int) -> set[str]:
    """Return the states of all threads of a process, as letters (man 5 proc_pid_stat). Empty if it has ended."""
    states = set()
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            states.add(Path(f"/proc/{pid}/task/{thread}/stat").read_text().rpartition(") ")[2][0])
    return states


def _open(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return None
