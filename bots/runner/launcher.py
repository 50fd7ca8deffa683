"""Interfaces of launchers, processes and observers, and failures of the platform."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from bots.protocol import Limits
from games.rules import State

# --- Failures --------------------------------------------------------------------------------------------------------


class PlatformFailure(Exception):
    """A failure of the platform, not of a bot. The match has no result and is re-run."""


class NoCoreFree(PlatformFailure):
    """A match has waited for a processor core for the maximum time. It is re-run later."""


class NeverBegun(PlatformFailure):
    """A process ended before code of the bot ran in it. Its stderr contains messages of the sandbox.

    ``program`` is the file of the bot to execute, or empty for the interpreter of the platform.
    """

    def __init__(self, message: str, program: str = "") -> None:
        super().__init__(message)
        self.program = program


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Delay Ctrl-C until the end of this context. Only the main thread receives Ctrl-C."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


# --- Launchers -------------------------------------------------------------------------------------------------------

P_contra = TypeVar("P_contra", contravariant=True)


class Process(Protocol):
    """A started bot. The runner owns its three file descriptors and closes them.

    ``knows_cpu`` is true if :meth:`cpu_ns` measures processor time. If it is false, reports contain ``None`` instead.
    ``copied`` are the folder of the running copy and the folder on this machine that it is a copy of, if its owner
    runs it here: tracebacks then name the owner's files.
    """

    stdin: int
    stdout: int
    stderr: int
    knows_cpu: bool
    copied: tuple[str, str] | None

    def cpu_ns(self) -> int:
        """Return the processor time of all threads in nanoseconds; after the end of the process, the last value."""
        ...

    def run_delay_ns(self) -> int:
        """Return how long the main thread waited for a processor, in nanoseconds; 0 if the system does not measure it.

        The processor time of the other threads at the last :meth:`cpu_ns` is subtracted, because the main thread may
        have waited for them. So only the difference of two values is meaningful, and it can be negative.
        """
        ...

    def runner_delay_ns(self) -> int:
        """Return how long the thread that started the bot waited for a processor, in nanoseconds; 0 if not measured."""
        ...

    def computes(self) -> bool:
        """Return whether the process has computed since the last call, or computes or waits for a processor now.

        Always true if the system does not show it.
        """
        ...

    def host_stall_ns(self) -> int:
        """Return how long any process of this host has had to wait for a resource, in nanoseconds since it was booted.

        0 if the system does not measure it. Only the difference of two values is meaningful.
        """
        ...

    def gave_up_stdout(self) -> bool:
        """Return whether the bot itself has exited or closed its stdout, even if a child process keeps the pipe open.

        The pipe can still contain lines that the bot wrote before.
        """
        ...

    def exceeded_memory(self) -> bool:
        """Return whether the process was killed because it needed more memory than its limit.

        Always false if the system does not bound memory.
        """
        ...

    def pause(self) -> None:
        """Suspend the process until :meth:`resume`. Does nothing if it has ended. Requires ``knows_cpu``."""
        ...

    def resume(self) -> None:
        """Resume the process after :meth:`pause`."""
        ...

    def kill(self) -> None:
        """Kill the process. :meth:`stop` still has to wait for its end. Thread-safe."""
        ...

    def exited(self, patience_ms: int) -> bool:
        """Wait up to ``patience_ms`` milliseconds until the process has exited, and return whether it has.

        Call it before :meth:`stop`.
        """
        ...

    def stop(self, patience_ms: int = 0) -> int | None:
        """End the process and all its child processes, and wait for their end. Return the exit status.

        The process gets ``patience_ms`` milliseconds to exit. The exit status is negative for a signal, and ``None`` if
        it is unknown. The three descriptors stay open.
        """
        ...


class Launcher(Protocol[P_contra]):
    """Starts programs. The type parameter is the kind of programs that it accepts; it also checks it at runtime."""

    def start(self, program: P_contra, limits: Limits) -> Process:
        """Start ``program`` under ``limits``. Raises ``PlatformFailure`` unless the program caused the failure."""
        ...


class Observer(Protocol):
    """Observes a running game. It is called between decisions and must be fast."""

    def moved(self, state: State) -> None:
        """Handle a change of the state. The first call is after the deal."""
        ...

    def sent(self, seat: int, line: bytes) -> None:
        """Handle a line that was sent to the bot of ``seat``."""
        ...

    def heard(self, seat: int, line: bytes) -> None:
        """Handle a line of the bot of ``seat`` that was judged."""
        ...
