"""A long-running process of the site, in its own session, with its output in a pipe."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_SET_PARENT_DEATH_SIGNAL = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_LAST_LINES = 20


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends. Does nothing outside Linux."""
    if _libc is not None:
        _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


@dataclass(frozen=True)
class Command:
    """A program to run: its name, its arguments and the variables to add to our environment.

    Lines of output that contain one of ``ignored`` are dropped. A program with a ``refusal`` exits with an error only
    if it cannot start, and starting it again would not help: ``refusal`` turns its last lines into advice.
    """

    name: str
    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ignored: Sequence[str] = ()
    refusal: Callable[[Iterable[str]], str] | None = None


class Child:
    """A running :class:`Command`.

    ``output`` is the non-blocking read end of its standard output and error, ``silent`` whether that has ended, and
    ``last_lines`` its most recent lines.
    """

    def __init__(self, command: Command) -> None:
        self.command = command
        self._process = subprocess.Popen(
            command.arguments,
            env={**os.environ, **command.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509  # the supervisor has one thread
        )
        assert self._process.stdout is not None
        self.output = self._process.stdout.fileno()
        os.set_blocking(self.output, False)
        self.silent = False
        self.last_lines: deque[str] = deque(maxlen=_LAST_LINES)
        self._rest = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """``None`` while it runs; negative is the signal that ended it.

        It is looked at without being reaped, so that its number stays taken until :meth:`kill_session`.
        """
        if self._process.returncode is not None:
            return self._process.returncode
        end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    @property
    def cpu_seconds(self) -> float | None:
        """The CPU time of the process and its ended children; ``None`` after its end and where /proc does not exist."""
        if self._process.returncode is not None:
            return None
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # utime, stime, cutime, cstime

    def lines(self) -> list[str]:
        """The complete lines since the last call, without the ignored ones; at the end of output also the rest."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.output, 65536):
                self._rest += chunk
            self.silent = True
        *whole, self._rest = self._rest.split(b"\n")
        if self.silent:
            whole, self._rest = [*whole, self._rest], b""
        lines = [line.decode("utf-8", "replace").rstrip() for line in whole if line.strip()]
        lines = [line for line in lines if not any(ignored in line for ignored in self.command.ignored)]
        self.last_lines.extend(lines)
        return lines

    def signal(self, number: signal.Signals) -> None:
        """Send ``number`` to the process itself; one that has ended is not an error."""
        if self.exit_code is None:
            os.kill(self.pid, number)

    def kill_session(self) -> None:
        """Kill it and all that it left in its process group, also where it has ended by itself, and reap it."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()

    def close(self) -> None:
        """Hear it no more."""
        assert self._process.stdout is not None
        self._process.stdout.close()
