"""What is started for a remote game: a house bot, a bot's folder, or any command."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

from bots.local.faults import UsageError
from bots.local.launching import MakeLauncher
from bots.local.packing import files_of
from bots.local.remote import Start
from bots.local.seating import HOUSE_PREFIX, find_program
from bots.manifest import MAX_NAME
from bots.runner import HouseProgram, Limits, LocalProgram, PlatformFailure, Process
from bots.sandbox.code import code_of
from bots.sandbox.pipes import Pipes
from bots.sandbox.portable import PortableProcess
from games.registry import GAMES

UNBOUNDED: Final = Limits(memory_mb=2**20)
"""Nobody holds a bot on its owner's machine to the memory of the site's."""

_DIGITS: Final = 12


@dataclass(frozen=True)
class Played:
    """What plays: how a process of it is started, what it is called, and which state of it this is.

    ``label`` is ``""`` where nobody can tell one state from another.
    """

    start: Start
    name: str
    label: str


def find_played(word: str, game: str, seats: int, make_launcher: MakeLauncher) -> Played:
    """``house:NAME``, a folder or a ``.py`` file as in ``esr play``, else a command line. Raises ``UsageError``."""
    path = Path(word).expanduser()
    is_bot = path.is_dir() or (path.suffix == ".py" and path.is_file())
    if not word.startswith(HOUSE_PREFIX) and not is_bot:
        return _command(word)
    name, program = find_program(word, GAMES[game], seats)
    launcher, starting = make_launcher(), Lock()  # two games may begin at once

    def start() -> Process:
        with starting:
            return launcher.start(program, UNBOUNDED)

    return Played(start, name[:MAX_NAME], _state_of(program))


def _state_of(program: HouseProgram | LocalProgram) -> str:
    """Twelve digits that are others when a file of the bot is another, or what it is started with."""
    code = code_of(program)
    if code.digest:
        return code.digest[:_DIGITS]
    digest = sha256(repr((code.entry, code.args)).encode())
    for file in files_of(code.folder):
        digest.update(f"{file.as_posix()}\0".encode())
        digest.update(sha256((code.folder / file).read_bytes()).digest())
    return digest.hexdigest()[:_DIGITS]


def _command(line: str) -> Played:
    try:
        words = shlex.split(line, posix=os.name == "posix")
    except ValueError as error:
        raise UsageError(f"{line!r} is no command: {error}.") from error
    if not words or shutil.which(words[0]) is None:
        raise UsageError(
            f"{line!r} is neither the folder of a bot, nor a house bot such as house:random, nor a command of this"
            " machine."
        )
    return Played(lambda: _start(words), Path(words[0]).name[:MAX_NAME], "")


def _start(words: list[str]) -> Process:
    """Start a command as the shell would: here, with our environment, and no limits."""
    pipes = Pipes.open()
    stdin, stdout, stderr = pipes.theirs
    try:
        child = subprocess.Popen(words, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)
    except OSError as error:
        pipes.close_ours()
        raise PlatformFailure(f"{words[0]} cannot be started: {error.strerror}") from error
    finally:
        pipes.close_theirs()
    return PortableProcess(child, pipes)
