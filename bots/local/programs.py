"""What is started for a remote game: a house bot, a bot's folder, or any command."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

from bots.local.faults import UsageError
from bots.local.launching import MakeLauncher, command_of, start_command, under_python
from bots.local.packing import files_of
from bots.local.remote import Start
from bots.local.seating import HOUSE_PREFIX, find_program
from bots.manifest import MAX_NAME
from bots.runner import HouseProgram, Limits, LocalProgram, Process
from bots.sandbox.code import code_of
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


def find_played(word: str, game: str, seats: int, make_launcher: MakeLauncher, python: Path | None = None) -> Played:
    """``house:NAME``, a folder or a ``.py`` file as in ``esr play``, else a command line. Raises ``UsageError``.

    ``python`` is the interpreter or virtual environment of Python bots, if it is not the site's.
    """
    path = Path(word).expanduser()
    is_bot = path.is_dir() or (path.suffix == ".py" and path.is_file())
    if not word.startswith(HOUSE_PREFIX) and not is_bot:
        return _command(word)
    name, program = find_program(word, GAMES[game], seats)
    launcher, starting = make_launcher(), Lock()  # two games may begin at once
    started = under_python(program, python) if isinstance(program, LocalProgram) else program

    def start() -> Process:
        with starting:
            return launcher.start(started, UNBOUNDED)

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


def _command(word: str) -> Played:
    try:
        program = command_of(word)
    except UsageError as error:
        raise UsageError(
            f"{word!r} is neither the folder of a bot, nor a house bot such as house:random. {error}"
        ) from error
    return Played(lambda: start_command(program), Path(program.words[0]).name[:MAX_NAME], "")
