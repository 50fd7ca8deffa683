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
from bots.sandbox.cores import CoreUse, SharedCore
from bots.sandbox.leases import seats_folder
from bots.sandbox.limited_starter import LimitedStarter
from bots.sandbox.limits import missing
from bots.sandbox.portable import PortableStarter
from bots.sandbox.proof import sandbox
from bots.sandbox.runtime import runtime_folder
from bots.sandbox.sandbox_launcher import SandboxLauncher

# --- Plain processes -------------------------------------------------------------------------------------------------


class Starter(Protocol):
    """A way to start processes. ``caution`` is a warning for users, empty if all limits are enforced."""

    caution: str

    def start(self, code: Code, limits: Limits) -> Process:
        """Start verified code. Raises ``OSError`` or ``PlatformFailure`` if that fails."""
        ...

    def sweep(self) -> int:
        """End processes that dead workers left on this host. Return their number."""
        ...


def best_starter() -> Starter:
    """Return the starter with limits if this system supports it, else the portable one."""
    return PortableStarter() if missing() else LimitedStarter()


class PlainLauncher:
    """Starts house bots and local folders with an empty environment and the available limits, without a sandbox.

    It rejects uploaded code, and no setting changes that.
    """

    def __init__(self, starter: Starter | None = None) -> None:
        self._starter = starter or best_starter()

    @property
    def caution(self) -> str:
        """A warning for users of this system in one sentence, empty if all limits are enforced."""
        return self._starter.caution

    def start(self, program: HouseProgram | LocalProgram, limits: Limits) -> Process:
        """Start ``program``. Raises ``PlatformFailure``, also for a program of any other kind."""
        if type(program) not in (HouseProgram, LocalProgram):
            raise PlatformFailure(f"only house bots and local bots run outside the sandbox, not {program!r}")
        code = code_of(program)
        try:
            return self._starter.start(code, limits)
        except OSError as error:
            foreign = bool(self.caution) and not code.language.is_interpreted
            hint = "; a site runs programs for Linux: check it there, for example in WSL or in a container"
            raise PlatformFailure(f"could not start a bot: {error}{hint if foreign else ''}") from error

    def sweep(self) -> int:
        """End processes that dead workers left on this host, and remove old copies. Return the number of processes."""
        return self._starter.sweep()


class HouseOnlyLauncher(PlainLauncher):
    """The launcher of a ladder on a machine without a sandbox. It starts only house bots."""

    def start(self, program: Program, limits: Limits) -> Process:
        """Start a house bot. Raises ``PlatformFailure``, also for anything else."""
        if not isinstance(program, HouseProgram):
            raise PlatformFailure("this machine has no working sandbox, so only house bots can play")
        return super().start(program, limits)


# --- The choice ------------------------------------------------------------------------------------------------------


def launcher_for_uploads() -> SandboxLauncher | None:
    """Return the sandbox, after a sweep, if its last self-test in this process has passed, else ``None``."""
    launcher = sandbox()[0]
    if launcher is not None and not launcher.swept:
        launcher.sweep()
    return launcher


def launcher_for_ladder() -> Launcher[Program]:
    """Return the sandbox if its last self-test in this process has passed, else a launcher that starts only house bots.

    Processes that dead workers left on this host are ended first.
    """
    return launcher_for_uploads() or _house_only()


@contextmanager
def shared_core(use: CoreUse, site: object = "") -> Iterator[SharedCore]:
    """Yield a core of this host for the bots of one game. All games share the cores.

    ``site`` identifies the site among those on this host, for example by its data folder. Raises ``PlatformFailure`` if
    the runtime folder cannot be created.
    """
    core = SharedCore(seats_folder(runtime_folder()), use, str(site))
    try:
        yield core
    finally:
        core.close()


@cache
def _house_only() -> HouseOnlyLauncher:
    launcher = HouseOnlyLauncher()
    launcher.sweep()
    return launcher
