"""The processes of the site: command lines, execution and startup timeouts."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from esr_platform.supervisor.broker import IGNORED_LINES, refusal, server_command

# --- Processes -------------------------------------------------------------------------------------------------------

_SET_PARENT_DEATH_SIGNAL = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_LAST_LINES = 20


def die_with_parent() -> None:
    """Have the kernel kill this process when the thread that started it ends. Linux only."""
    if _libc is not None:
        _libc.prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


@dataclass(frozen=True)
class ProcessCommand:
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
    """A running :class:`ProcessCommand`.

    ``output`` is the non-blocking read end of its standard output and error, ``silent`` whether that has ended, and
    ``last_lines`` its most recent lines.
    """

    def __init__(self, command: ProcessCommand) -> None:
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
        """``None`` while the process runs; negative if a signal ended it.

        The process is not reaped here, so that its process id stays reserved until :meth:`kill_session`.
        """
        if self._process.returncode is not None:
            return self._process.returncode
        end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    @property
    def cpu_seconds(self) -> float | None:
        """CPU time of the process and its ended children; ``None`` after its end and on systems without /proc."""
        if self._process.returncode is not None:
            return None
        try:
            fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return None
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # utime, stime, cutime, cstime

    def lines(self) -> list[str]:
        """Return the complete lines since the last call, without ignored lines; at the end also the rest."""
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
        """Send the signal ``number`` to the process if it is still running."""
        if self.exit_code is None:
            os.kill(self.pid, number)

    def kill_session(self) -> None:
        """Kill the process group, also if the process itself has already ended, and reap the process."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()

    def close(self) -> None:
        """Close the pipe of its output."""
        assert self._process.stdout is not None
        self._process.stdout.close()


# --- Startup timeouts ------------------------------------------------------------------------------------------------

LIMIT_S = 300.0
STALLED_S = 60.0
"""Time without progress after which we give up. Waits for a busy disk or processor are shorter."""

PROGRESS_S = 0.1
"""CPU time that counts as progress. An idle process uses less in ``STALLED_S``."""

REPORT_EVERY_S = 15.0


class Patience:
    """Decides how long to wait for ``what``, which is named in the reports on the terminal.

    ``used`` returns the CPU time of the awaited process in seconds, or ``None`` if it is unknown. In that case, only
    ``limit`` ends the wait.
    """

    def __init__(
        self,
        what: str,
        used: Callable[[], float | None],
        limit: float = LIMIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.what = what
        self._used = used
        self._limit = limit
        self._clock = clock
        self._begun = self._progressed = clock()
        self._known = used()
        self._next_report = REPORT_EVERY_S

    @property
    def waited(self) -> float:
        """Number of seconds since the wait started."""
        return self._clock() - self._begun

    def exhausted(self) -> bool:
        """Whether to give up. Call it often: each call checks for progress since the previous call."""
        now, used = self._clock(), self._used()
        # A restarted process begins at zero, so a lower value is also progress.
        if used is None or self._known is None or abs(used - self._known) >= PROGRESS_S:
            self._progressed, self._known = now, used
        return now - self._progressed > STALLED_S or now - self._begun > self._limit

    def report(self) -> str | None:
        """Return a line about the wait once per ``REPORT_EVERY_S``, otherwise ``None``."""
        if self.waited < self._next_report:
            return None
        self._next_report = (self.waited // REPORT_EVERY_S + 1) * REPORT_EVERY_S
        used = self._used()
        cpu = "" if used is None else f", {used:.1f} s CPU time"
        return f"Still waiting for {self.what} ({self.waited:.0f} s{cpu})."


# --- Command lines ---------------------------------------------------------------------------------------------------

WEB_STOP_SECONDS = 1
"""Time that the web server waits for open requests. Open streams do not end by themselves."""


def redis(var: Path) -> ProcessCommand:
    """The embedded Redis with data in ``var``."""
    return ProcessCommand("redis", server_command(var), ignored=IGNORED_LINES, refusal=partial(refusal, var))


def web(host: str, port: int, environment: Mapping[str, str]) -> ProcessCommand:
    """The web server."""
    arguments = [
        *(sys.executable, "-m", "uvicorn", "esr_platform.asgi:application"),
        *("--http", "esr_platform.handover:WebProtocol", "--host", host, "--port", str(port)),
        *("--timeout-graceful-shutdown", str(WEB_STOP_SECONDS)),
        *("--lifespan", "off", "--no-access-log", "--log-level", "warning"),
    ]
    return ProcessCommand("web", arguments, environment)


def streams(environment: Mapping[str, str]) -> ProcessCommand:
    """A stream process, to which web servers hand over connections of players and spectators."""
    return ProcessCommand("streams", [sys.executable, "-m", "django", "serve_streams"], environment)


def bots(environment: Mapping[str, str]) -> ProcessCommand:
    """The worker that plays matches, validates uploads and computes estimates, with one process per core."""
    return _worker("bots", "on_time,soon,validations,estimates,matches", os.cpu_count() or 1, environment)


LIVE_THREADS = 64
"""Threads of the worker for live tables: at least one for each hosted bot that plays there (MAX_LIVE_HOSTED_SEATS)."""


def host(environment: Mapping[str, str]) -> ProcessCommand:
    """The worker that asks hosted bots at live tables for decisions, with one thread per bot.

    A bot may sleep until its time is over. It then occupies a thread, which costs little, and no processor core
    (``bots.sandbox.cores``), so the bots at other tables do not wait for it.
    """
    return _worker("host", "seats,live", LIVE_THREADS, environment, "--pool", "threads")


def default(environment: Mapping[str, str]) -> ProcessCommand:
    """The worker for all other tasks. It never plays games, so its queue stays short."""
    return _worker("default", "default,live", 1, environment)


def beat(environment: Mapping[str, str]) -> ProcessCommand:
    """The scheduler, which sends periodic tasks to the workers."""
    return ProcessCommand("beat", [*_celery(), "beat", "--loglevel", "WARNING", "--pidfile", ""], environment)


def _worker(name: str, queues: str, at_once: int, environment: Mapping[str, str], *options: str) -> ProcessCommand:
    arguments = [
        *_celery(),
        *("worker", "--queues", queues, "--concurrency", str(at_once), "--hostname", f"{name}@%h"),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle", "--without-heartbeat"),
        *options,
    ]
    return ProcessCommand(name, arguments, {**environment, "REMAP_SIGTERM": "SIGQUIT"})


def _celery() -> list[str]:
    return [sys.executable, "-m", "celery", "--quiet", "--app", "esr_platform"]
