"""Which launcher a ladder plays with on this machine. No setting has a say in it."""

from __future__ import annotations

from functools import cache

from bots.runner.launching import Launcher
from bots.runner.spec import Program
from bots.sandbox.plain import HouseOnlyLauncher
from bots.sandbox.proving import sandbox
from bots.sandbox.sandboxed import SandboxLauncher


@cache
def launcher_for_uploads() -> SandboxLauncher | None:
    """The sandbox if its self-test has passed in this process, swept; ``None`` where strangers' code cannot run."""
    launcher = sandbox()[0]
    if launcher is not None:
        launcher.sweep()
    return launcher


@cache
def launcher_for_ladder() -> Launcher[Program]:
    """The sandbox if its self-test has passed in this process, otherwise one that starts nothing but house bots.

    What dead workers of this host have left is swept away first.
    """
    launcher: SandboxLauncher | HouseOnlyLauncher = sandbox()[0] or HouseOnlyLauncher()
    launcher.sweep()
    return launcher
