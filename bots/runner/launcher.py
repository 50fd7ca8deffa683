"""What starts bots: launchers, their processes, and the failures that are the platform's."""

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
    """Something on the platform's side went wrong: the game counts for nobody and is played again."""


class NoCoreFree(PlatformFailure):
    """A game has waited for a processor core as long as it may. Nothing is wrong with it: it is played again later."""


class NeverBegun(PlatformFailure):
    """A process that ended before a bot's code ran in it. Its stderr contains messages of the sandbox.

    ``program`` is the bot's own file that was to be executed; empty for the platform's interpreter.
    """

    def __init__(self, message: str, program: str = "") -> None:
        super().__init__(message)
        self.program = program


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C that comes inside this comes right after it. Other threads than the main one hear none anyway."""
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
    """One started bot. The runner takes over its three file descriptors, and closes them.

    ``knows_cpu`` says whether :meth:`cpu_ns` means anything; where it does not, reports have ``None`` instead.
    """

    stdin: int
    stdout: int
    stderr: int
    knows_cpu: bool

    def cpu_ns(self) -> int:
        """Processor time of all its threads so far, nanoseconds; what it last was once the process is gone."""
        ...

    def run_delay_ns(self) -> int:
        """How long its main thread waited for a processor that others had, nanoseconds; 0 where nobody measures it.

        The processor time of its other threads, by the last :meth:`cpu_ns`, is taken off, because it may have waited
        for them: only the difference of two readings means something, and it can be negative.
        """
        ...

    def gave_up_stdout(self) -> bool:
        """Whether the bot itself no longer holds its stdout, although end of file may not show."""
        ...

    def pause(self) -> None:
        """Stop it from running until :meth:`resume`; nothing if it is gone. Asked only of one that ``knows_cpu``."""
        ...

    def resume(self) -> None:
        """Let it run on."""
        ...

    def kill(self) -> None:
        """End it now; :meth:`stop` still has to wait for it."""
        ...

    def stop(self, patience_ms: int = 0) -> int | None:
        """End it and everything it started, after ``patience_ms`` if it does not go by itself, and wait for that.

        Its exit status, negative for a signal where there are signals, ``None`` if nobody knows. The three descriptors
        stay open.
        """
        ...


class Launcher(Protocol[P_contra]):
    """Starts programs. Which kinds of program it takes is its type parameter, and checked again when it is asked."""

    def start(self, program: P_contra, limits: Limits) -> Process:
        """Start ``program`` under ``limits``. Raises ``PlatformFailure`` where that is not the program's fault."""
        ...


class Observer(Protocol):
    """Watches a game as it is played. It is called between decisions and must be quick."""

    def moved(self, state: State) -> None:
        """The state has changed (first: it was dealt)."""
        ...

    def told(self, seat: int, line: bytes) -> None:
        """``line`` was written to the bot of ``seat``."""
        ...

    def heard(self, seat: int, line: bytes) -> None:
        """``line`` came from the bot of ``seat`` and was judged."""
        ...
