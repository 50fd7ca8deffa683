"""Launchers without a sandbox, and the choice of a launcher. No setting influences it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Protocol

from bots.protocol import Limits
from bots.runner.launcher import Launcher, PlatformFailure, Process
from bots.runner.spec import HouseProgram, LocalProgram, Program
from bots.sandbox.code import Code, code_of
from bots.sandbox.leases import SharedCore, seats_folder
from bots.sandbox.limited import LimitedStarter
from bots.sandbox.limits import missing
from bots.sandbox.portable import PortableStarter
from bots.sandbox.proof import sandbox
from bots.sandbox.runtime import runtime_folder
from bots.sandbox.sandboxed import SandboxLauncher

# --- Plain processes -------------------------------------------------------------------------------------------------


class Starter(Protocol):
    """A way to start processes. ``caution`` is a sentence for whoever plays here, empty where all limits hold."""

    caution: str

    def start(self, code: Code, limits: Limits) -> Process:
        """Start code that has been found and checked. Raises ``OSError`` or ``PlatformFailure`` where that fails."""
        ...

    def sweep(self) -> int:
        """End what dead workers have left on this host; how many processes there were."""
        ...


def best_starter() -> Starter:
    """The one with limits, on a system that has what it takes, and else the one that works everywhere."""
    return PortableStarter() if missing() else LimitedStarter()


class PlainLauncher:
    """Starts house bots and folders of this machine with an empty environment, the limits there are, and nothing more.

    Uploaded code is refused here, and no setting changes that.
    """

    def __init__(self, starter: Starter | None = None) -> None:
        self._starter = starter or best_starter()

    @property
    def caution(self) -> str:
        """What whoever plays on this system has to be told first, one sentence; empty where all limits hold."""
        return self._starter.caution

    def start(self, program: HouseProgram | LocalProgram, limits: Limits) -> Process:
        """Start ``program``. Raises ``PlatformFailure``, also for a program of any other kind."""
        if type(program) not in (HouseProgram, LocalProgram):
            raise PlatformFailure(f"only house bots and local bots run outside the sandbox, not {program!r}")
        code = code_of(program)
        try:
            return self._starter.start(code, limits)
        except OSError as error:
            raise PlatformFailure(f"could not start a bot: {error}") from error

    def sweep(self) -> int:
        """End what dead workers have left on this host, and forget old copies; how many processes there were."""
        return self._starter.sweep()


class HouseOnlyLauncher(PlainLauncher):
    """What a ladder has on a machine without a sandbox: its own house bots, and nothing else."""

    def start(self, program: Program, limits: Limits) -> Process:
        """Start a house bot. Raises ``PlatformFailure``, also for anything else."""
        if not isinstance(program, HouseProgram):
            raise PlatformFailure("this machine has no working sandbox, so only house bots can play")
        return super().start(program, limits)


# --- The choice ------------------------------------------------------------------------------------------------------


def launcher_for_uploads() -> SandboxLauncher | None:
    """The sandbox if its last self-test in this process has passed, swept; ``None`` where no uploaded code can run."""
    launcher = sandbox()[0]
    if launcher is not None and not launcher.swept:
        launcher.sweep()
    return launcher


def launcher_for_ladder() -> Launcher[Program]:
    """The sandbox if its last self-test has passed in this process, otherwise one that starts nothing but house bots.

    What dead workers of this host have left is swept away first.
    """
    return launcher_for_uploads() or _house_only()


@contextmanager
def shared_core(*, live: bool = False) -> Iterator[SharedCore]:
    """A core of this host for the bots of one game, which share the cores with those of all other games.

    ``live``: people wait for the bot. Raises ``PlatformFailure`` where the runtime folder cannot be made.
    """
    core = SharedCore(seats_folder(runtime_folder()), live=live)
    try:
        yield core
    finally:
        core.close()


@cache
def _house_only() -> HouseOnlyLauncher:
    launcher = HouseOnlyLauncher()
    launcher.sweep()
    return launcher
