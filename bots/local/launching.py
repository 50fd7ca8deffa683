"""How bots are started on one's own machine: as plain processes, or in the sandbox where there is one."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from typing import Final

from bots.local.faults import UsageError
from bots.local.screen import Screen
from bots.runner import HouseProgram, Launcher, LocalProgram
from bots.sandbox import PlainLauncher, SandboxLauncher, self_test
from bots.sandbox.portable import CAUTION
from bots.sandbox.system import missing

HAS_SANDBOX: Final = not missing()
"""The sandbox is made of what only Linux has."""

Local = HouseProgram | LocalProgram
MakeLauncher = Callable[[], Launcher[Local]]


def sandbox_argument(parser: ArgumentParser) -> None:
    """``--sandbox``."""
    parser.add_argument("--sandbox", action="store_true", help="put every bot in the sandbox of the site (Linux only)")


def launcher_for(sandbox: bool) -> MakeLauncher:
    """What makes the launcher. Raises ``UsageError`` where the sandbox is wanted and does not work."""
    if not sandbox:
        return PlainLauncher
    if not HAS_SANDBOX:
        raise UsageError("The sandbox needs Linux. Without --sandbox bots run here as plain processes.")
    test = self_test()
    if not test.ok:
        raise UsageError(f"The sandbox does not work here: {test.problem} {test.remedy}")
    return SandboxLauncher


def warn_about_plain(screen: Screen, sandbox: bool, programs: Iterable[Local]) -> None:
    """Say in one line that nothing holds one's own bots back, where that is so."""
    if sandbox or not any(isinstance(program, LocalProgram) for program in programs):
        return
    plain = (
        "Bots run as plain processes, without a sandbox (--sandbox puts them into one): play only code that you trust."
    )
    screen.say(plain if HAS_SANDBOX else CAUTION, "dim")
