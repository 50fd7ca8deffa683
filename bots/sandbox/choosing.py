"""Which launcher a ladder plays with on this machine. No setting has a say in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from bots.runner.launching import Launcher
from bots.runner.spec import Program
from bots.sandbox.leases import SharedCore, seats_folder
from bots.sandbox.plain import HouseOnlyLauncher
from bots.sandbox.proving import sandbox
from bots.sandbox.runtime import runtime_folder
from bots.sandbox.sandboxed import SandboxLauncher


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
