"""How bots are started on one's own machine: as plain processes, or in the sandbox where there is one."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from typing import Final

from bots.local.faults import UsageError
from bots.local.screen import Screen
from bots.runner import HouseProgram, Launcher, LocalProgram
from bots.sandbox import PlainLauncher, SandboxLauncher, self_test

Local = HouseProgram | LocalProgram
MakeLauncher = Callable[[], Launcher[Local]]

_PLAIN: Final = (
    "Bots run as plain processes, without a sandbox (--sandbox puts them into one): play only code that you trust."
)


def sandbox_argument(parser: ArgumentParser) -> None:
    """``--sandbox``."""
    parser.add_argument("--sandbox", action="store_true", help="put every bot in the sandbox of the site (Linux only)")


def launcher_for(sandbox: bool) -> MakeLauncher:
    """What makes the launcher. Raises ``UsageError`` where the sandbox is wanted and does not work."""
    if not sandbox:
        return PlainLauncher
    test = self_test()
    if not test.ok:
        raise UsageError(f"The sandbox does not work here: {test.problem} {test.remedy}")
    return SandboxLauncher


def warn_about_plain(screen: Screen, sandbox: bool, programs: Iterable[Local]) -> None:
    """Say in one line that nothing holds one's own bots back, where that is so."""
    if not sandbox and any(isinstance(program, LocalProgram) for program in programs):
        screen.say(PlainLauncher().caution or _PLAIN, "dim")
