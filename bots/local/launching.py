"""How bots are started on your own machine: as plain processes, in the sandbox, or as any command line."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.local.faults import UsageError
from bots.local.screen import Screen
from bots.runner import HouseProgram, Launcher, Limits, LocalProgram, PlatformFailure, Process
from bots.sandbox import PlainLauncher, SandboxLauncher, self_test
from bots.sandbox.pipes import Pipes
from bots.sandbox.portable import PortableProcess

_PLAIN: Final = (
    "Bots run as plain processes, without a sandbox (--sandbox puts them into one): play only code that you trust."
)
_UNBOUND: Final = (
    "Commands, and bots under --python, run as in your shell: without a sandbox and without the memory limit of the"
    " site. Play only code that you trust."
)
_EITHER: Final = "--sandbox runs bots as the site does, --command and --python as your shell does. Leave one out."
_PYTHONS: Final = ("bin/python", "Scripts/python.exe")


@dataclass(frozen=True)
class CommandProgram:
    """A command line, run as the shell would: in ``folder`` or here, with our environment and without limits."""

    words: tuple[str, ...]
    folder: Path | None = None

    @property
    def label(self) -> str:
        """The name of the first file among the arguments, as in ``node bot.js``, else that of the command."""
        files = [word for word in self.words[1:] if Path(word).is_file()]
        return Path(files[0] if files else self.words[0]).name


Local = HouseProgram | LocalProgram | CommandProgram
MakeLauncher = Callable[[], Launcher[Local]]


def sandbox_argument(parser: ArgumentParser) -> None:
    """``--sandbox``."""
    parser.add_argument("--sandbox", action="store_true", help="put every bot in the sandbox of the site (Linux only)")


def python_argument(parser: ArgumentParser) -> None:
    """``--python``."""
    parser.add_argument(
        "--python", type=Path, metavar="PATH",
        help="virtual environment or interpreter for your Python bots (default: the site's, without your packages)",
    )  # fmt: skip


def launcher_for(sandbox: bool) -> MakeLauncher:
    """What makes the launcher. Raises ``UsageError`` where the sandbox is wanted and does not work."""
    if not sandbox:
        return LocalLauncher
    test = self_test()
    if not test.ok:
        raise UsageError(f"The sandbox does not work here: {test.problem} {test.remedy}")
    return SandboxedLauncher


class LocalLauncher:
    """Starts house bots and your own folders as plain processes, and commands as the shell does."""

    def __init__(self) -> None:
        self._plain = PlainLauncher()

    def start(self, program: Local, limits: Limits) -> Process:
        """Start ``program``. Raises ``PlatformFailure``."""
        return start_command(program) if isinstance(program, CommandProgram) else self._plain.start(program, limits)


class SandboxedLauncher:
    """Starts house bots and your own folders in the sandbox, and no commands."""

    def __init__(self) -> None:
        self._sandbox = SandboxLauncher()

    def start(self, program: Local, limits: Limits) -> Process:
        """Start ``program``. Raises ``PlatformFailure``, also for a command."""
        if isinstance(program, CommandProgram):
            raise PlatformFailure("a command does not run in the sandbox")
        return self._sandbox.start(program, limits)


def start_command(program: CommandProgram) -> Process:
    """Start a command as the shell would. Raises ``PlatformFailure``."""
    pipes = Pipes.open()
    stdin, stdout, stderr = pipes.theirs
    try:
        child = subprocess.Popen(
            program.words, stdin=stdin, stdout=stdout, stderr=stderr, cwd=program.folder, start_new_session=True
        )
    except OSError as error:
        pipes.close_ours()
        raise PlatformFailure(f"{program.words[0]} cannot be started: {error.strerror}") from error
    finally:
        pipes.close_theirs()
    return PortableProcess(child, pipes)


def command_of(line: str) -> CommandProgram:
    """The program of a command line. Raises ``UsageError`` if the line is invalid or its command is not found."""
    try:
        words = shlex.split(line, posix=os.name == "posix")
    except ValueError as error:
        raise UsageError(f"{line!r} is not a command line: {error}.") from error
    if not words or shutil.which(words[0]) is None:
        raise UsageError(f"{line!r} is not a command of this machine: {words[0] if words else 'it'!r} was not found.")
    return CommandProgram(tuple(words))


def interpreter_at(path: Path) -> Path:
    """The interpreter of a virtual environment, or ``path`` if it is one itself. Raises ``UsageError``.

    A link is not followed: a virtual environment is known by the path of its interpreter.
    """
    here = path.expanduser().absolute()
    for found in (here, *(here / name for name in _PYTHONS)):
        if found.is_file() and os.access(found, os.X_OK):
            return found
    raise UsageError(f"{path} is neither a virtual environment nor a Python interpreter.")


def under_python(program: LocalProgram, python: Path | None) -> LocalProgram | CommandProgram:
    """``program`` run by the interpreter at ``python``, with its packages; a program that is not Python stays."""
    if python is None or not program.entry.endswith(".py"):
        return program
    return CommandProgram((str(interpreter_at(python)), program.entry, *program.args), program.folder)


def require_one_way(sandbox: bool, python: Path | None, commands: Sequence[str] = ()) -> None:
    """Raises ``UsageError`` for ``--sandbox`` together with ``--command`` or ``--python``."""
    if sandbox and (commands or python is not None):
        raise UsageError(_EITHER)


def warn_about_plain(screen: Screen, sandbox: bool, programs: Iterable[Local]) -> None:
    """Say in one line that nothing restricts your own bots, where that is so."""
    kinds = {type(program) for program in programs}
    if CommandProgram in kinds:
        screen.say(_UNBOUND, "dim")
    elif not sandbox and LocalProgram in kinds:
        screen.say(PlainLauncher().caution or _PLAIN, "dim")
