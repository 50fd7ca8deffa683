"""Bots on the command line: folders, files, house bots and commands, and how they are started locally."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import file_digest, sha256
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock
from time import monotonic_ns
from types import MappingProxyType
from typing import Any, Final

from bots.archives import ENTRY, Archive, ArchiveLimits, ArchiveRefused, hidden_notice, is_junk, read_upload, zip_of
from bots.cli.frame import Screen, UsageError, did_you_mean
from bots.cli.records import DecisionReplay, RecordedDecision
from bots.cli.site import Start
from bots.house.catalogue import HOUSE
from bots.languages import Language
from bots.manifest import FILE, MAX_NAME, ManifestError, read_folder
from bots.protocol import is_ready
from bots.runner import HouseProgram, Launcher, Limits, LocalProgram, PlatformFailure, Process, SeatSpec
from bots.runner.channel import open_channel
from bots.runner.process_end import LAST_WORDS_MS, ProcessEnd, StdoutEnded, end_process, next_line
from bots.sandbox import PlainLauncher, SandboxLauncher, offers, self_test
from bots.sandbox.code import code_of
from bots.sandbox.host_process import Pipes
from bots.sandbox.interpreter import OPTIONS_WITH_PACKAGES, bots_interpreter, command, environment, version_outside
from bots.sandbox.library import local_library
from bots.sandbox.portable import PortableProcess
from games.game import Game
from games.registry import GAMES
from games.rules import Document, Move
from games.words import either

# --- Archives --------------------------------------------------------------------------------------------------------

_MOST: Final = 256 * 2**20
"""Maximum folder size in bytes. The upload limit of a site is much lower; the reader of uploads reports it."""


@dataclass(frozen=True)
class PackedBot:
    """A bot as it is uploaded: file name and content. ``hidden`` are the hidden files and folders of its folder."""

    filename: str
    data: bytes
    hidden: tuple[str, ...] = ()

    def read(self, limits: ArchiveLimits) -> Archive:
        """Read the bot as a site with these limits does. Raises ``UsageError`` with the message of the site."""
        try:
            archive = read_upload(self.filename, self.data, limits)
        except ArchiveRefused as error:
            raise UsageError(str(error)) from error
        if not self.hidden:
            return archive
        return replace(archive, notices=(hidden_notice(self.hidden), *archive.notices))


def packed(path: Path) -> PackedBot:
    """Return a bot folder, packed as a ``.zip``, or a ``.py`` or ``.zip`` file. Raises ``UsageError``."""
    require_path(path)
    try:
        if not path.is_dir():
            return PackedBot(path.name, path.read_bytes())
        files = {file.as_posix(): path / file for file in files_of(path)}
        _require_bot_folder(path, files)
        programs = {name for name, file in files.items() if file.stat().st_mode & 0o100}
        data = zip_of({name: file.read_bytes() for name, file in files.items()}, programs)
        hidden = sorted(hidden_path.name for hidden_path in path.iterdir() if hidden_path.name.startswith("."))
        return PackedBot(f"{path.resolve().name}.zip", data, tuple(name for name in hidden if not is_junk(name)))
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error


def require_path(path: Path) -> None:
    """Raise ``UsageError`` if the bot at ``path`` does not exist."""
    if not path.exists():
        raise UsageError(f"{path} does not exist. Run `esr new-bot {path} --game GAME` to create a bot.")


def bot_folder(folder: Path) -> Path:
    """Return ``folder``, or the only folder in it if that one contains the bot, as the site reads archives."""
    if not folder.is_dir() or any((folder / name).is_file() for name in (ENTRY, FILE)):
        return folder
    inside = [path for path in folder.iterdir() if not path.name.startswith(".") and not is_junk(path.name)]
    if len(inside) == 1 and any((inside[0] / name).is_file() for name in (ENTRY, FILE)):
        return inside[0]
    return folder


def files_of(folder: Path) -> list[Path]:
    """List the files of a bot folder as sorted relative paths, without hidden files and Python caches."""
    files = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") or part == "__pycache__" for part in inside.parts):
            files.append(inside)
    return files


def _require_bot_folder(folder: Path, files: Mapping[str, Path]) -> None:
    sizes = {name: file.stat().st_size for name, file in files.items()}
    if sum(sizes.values()) > _MOST:
        largest = max(sizes, key=sizes.__getitem__)
        raise UsageError(
            f"{folder} is too large: {sum(sizes.values()) // 2**20} MiB in {len(files)} files (limit: {_MOST // 2**20}"
            f" MiB). The largest file is {largest} ({sizes[largest] // 2**20} MiB). Is it a bot folder?"
        )


# --- Programs --------------------------------------------------------------------------------------------------------

UNBOUNDED: Final = Limits(memory_mb=2**20)
"""Bots on their owner's machine have no memory limit."""

_DIGITS: Final = 12


@dataclass(frozen=True)
class RemoteProgram:
    """A bot for `esr play-remote`: how to start it, its name, and a label that changes with its files or words."""

    start: Start
    name: str
    label: str


def find_played(
    word: str, game: str, seats: int, make_launcher: MakeLauncher, python: Path | None = None
) -> RemoteProgram:
    """Find a house bot, folder or ``.py`` file as in ``esr play``, or else a command line. Raises ``UsageError``.

    ``python`` is the interpreter or virtual environment for Python bots; by default, the one of house bots.
    """
    path = Path(word).expanduser()
    is_bot = path.is_dir() or (path.suffix == ".py" and path.is_file())
    if not word.startswith(HOUSE_PREFIX) and not is_bot:
        return _command(word)
    name, program = find_program(word, GAMES[game], seats)
    launcher, starting = make_launcher(), Lock()  # two games can begin at the same time
    started = under_python(program, python) if isinstance(program, LocalProgram) else program

    def start() -> Process:
        with starting:
            return launcher.start(started, UNBOUNDED)

    return RemoteProgram(start, name[:MAX_NAME], _state_of(program))


def _state_of(program: HouseProgram | LocalProgram) -> str:
    """Return 12 hexadecimal digits that change if a file or the arguments of the bot change."""
    code = code_of(program)
    if code.digest:
        return code.digest[:_DIGITS]
    digest = sha256(repr((code.entry, code.args)).encode())
    for file in files_of(code.folder):
        digest.update(f"{file.as_posix()}\0".encode())
        digest.update(sha256((code.folder / file).read_bytes()).digest())
    return digest.hexdigest()[:_DIGITS]


def _command(word: str) -> RemoteProgram:
    try:
        program = command_of(word)
    except UsageError as error:
        raise UsageError(
            f"{word!r} is not a bot folder, a house bot such as house:random, or a command. {error}"
        ) from error
    digest = sha256(repr(program.words).encode())
    for path in filter(Path.is_file, map(Path, program.words)):
        with path.open("rb") as file:
            digest.update(file_digest(file, "sha256").digest())
    label = digest.hexdigest()[:_DIGITS]
    return RemoteProgram(lambda: start_command(program), Path(program.words[0]).name[:MAX_NAME], label)


# --- Starts ----------------------------------------------------------------------------------------------------------

_PLAIN: Final = "Warning: bots run without a sandbox. Run only code that you trust, or use --sandbox."
_UNBOUND: Final = (
    "Warning: commands and bots with --python run without a sandbox and without the site's memory limit."
    " Run only code that you trust."
)
_EITHER: Final = "--sandbox cannot be combined with --command or --python."
_PYTHONS: Final = ("bin/python", "Scripts/python.exe")


@dataclass(frozen=True)
class CommandProgram:
    """A command line that runs in ``folder`` or the current folder, with our environment and without limits."""

    words: tuple[str, ...]
    folder: Path | None = None

    @property
    def label(self) -> str:
        """The name of the first file argument (as in ``node bot.js``), or else of the command."""
        files = [word for word in self.words[1:] if Path(word).is_file()]
        return Path(files[0] if files else self.words[0]).name


Local = HouseProgram | LocalProgram | CommandProgram
MakeLauncher = Callable[[], Launcher[Local]]


def sandbox_argument(parser: ArgumentParser) -> None:
    """Add ``--sandbox``."""
    parser.add_argument("--sandbox", action="store_true", help="run every bot in the sandbox (Linux only)")


def python_argument(parser: ArgumentParser) -> None:
    """Add ``--python``."""
    parser.add_argument(
        "--python", type=Path, metavar="PATH",
        help="virtual environment or interpreter for your Python bots (default: Python without your packages)",
    )  # fmt: skip


_NAMES: Final = " ".join(GAMES)
GAME_NAMES: Final[dict[str, Any]] = {
    "bash": "_esr_games",
    "zsh": f"({_NAMES})",
    "fish": f"(string split ' ' '{_NAMES}')",
    "preamble": {"bash": f"_esr_games() {{ compgen -W '{_NAMES}' -- \"$1\"; }}"},
}
"""What a shell completes for ``GAME``, in the form that shtab reads. With ``choices``, errors would show the usage."""


def game_argument(parser: ArgumentParser, *names: str, **options: Any) -> None:
    """Add ``GAME``, or the option ``names``."""
    game = parser.add_argument(*names or ("game",), metavar="GAME", help=f"game: {', '.join(GAMES)}", **options)
    game.complete = GAME_NAMES  # type: ignore[attr-defined]


def launcher_for(sandbox: bool) -> MakeLauncher:
    """Return the launcher class. Raises ``UsageError`` if the sandbox is requested but does not work."""
    if not sandbox:
        return LocalLauncher
    test = self_test()
    if not test.ok:
        raise UsageError(f"The sandbox does not work on this machine: {test.problem} {test.remedy}")
    return SandboxedLauncher


class LocalLauncher:
    """Starts house bots, folders and commands as plain processes."""

    def __init__(self) -> None:
        self._plain = PlainLauncher()

    def start(self, program: Local, limits: Limits) -> Process:
        """Start ``program``. Raises ``PlatformFailure``."""
        return start_command(program) if isinstance(program, CommandProgram) else self._plain.start(program, limits)


class SandboxedLauncher:
    """Starts house bots and folders in the sandbox. Commands are not supported."""

    def __init__(self) -> None:
        self._sandbox = SandboxLauncher()

    def start(self, program: Local, limits: Limits) -> Process:
        """Start ``program``. Raises ``PlatformFailure``, also for a command."""
        if isinstance(program, CommandProgram):
            raise PlatformFailure("commands cannot run in the sandbox")
        return self._sandbox.start(program, limits)


def start_command(
    program: CommandProgram, *, our_stderr: bool = False, variables: Mapping[str, str] = MappingProxyType({})
) -> Process:
    """Start a command as a plain process with additional environment variables. Raises ``PlatformFailure``.

    With ``our_stderr``, it writes to our stderr.
    """
    pipes = Pipes.open()
    stdin, stdout, stderr = pipes.theirs
    try:
        child = subprocess.Popen(
            program.words, stdin=stdin, stdout=stdout, stderr=None if our_stderr else stderr, cwd=program.folder,
            env={**os.environ, **variables}, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        pipes.close_ours()
        raise PlatformFailure(f"cannot start {program.words[0]}: {error.strerror}") from error
    finally:
        pipes.close_theirs()
    return PortableProcess(child, pipes)


def command_of(line: str) -> CommandProgram:
    """Parse a command line. Raises ``UsageError`` if it is invalid or its command is not found."""
    try:
        words = shlex.split(line, posix=os.name == "posix")
    except ValueError as error:
        raise UsageError(f"Invalid command line {line!r}: {error}. Check its quotation marks.") from error
    if not words:
        raise UsageError("The command line is empty. Pass the command that starts the bot.")
    if shutil.which(words[0]) is None:
        raise UsageError(f"Command not found: {words[0]!r}. Install it or pass its full path.")
    return CommandProgram(tuple(words))


def interpreter_at(path: Path) -> Path:
    """Return the interpreter of the virtual environment ``path``, or ``path`` itself. Raises ``UsageError``.

    Links are not resolved: Python finds a virtual environment by the path of its interpreter.
    """
    here = path.expanduser().absolute()
    for interpreter in (here, *(here / name for name in _PYTHONS)):
        if interpreter.is_file() and os.access(interpreter, os.X_OK):
            return interpreter
    raise UsageError(
        f"{path} is not a virtual environment or a Python interpreter. Pass the folder of a virtual environment."
    )


def under_python(program: LocalProgram, python: Path | None) -> LocalProgram | CommandProgram:
    """Return ``program`` run by the interpreter at ``python``. Programs in other languages are not changed."""
    if python is None or not program.entry.endswith(".py"):
        return program
    return CommandProgram((str(interpreter_at(python)), program.entry, *program.args), program.folder)


def require_one_way(sandbox: bool, python: Path | None, commands: Sequence[str] = ()) -> None:
    """Raise ``UsageError`` if ``--sandbox`` is combined with ``--command`` or ``--python``."""
    if sandbox and (commands or python is not None):
        raise UsageError(_EITHER)


def warn_about_plain(screen: Screen, sandbox: bool, programs: Iterable[Local]) -> None:
    """Print a warning if your bots run without a sandbox."""
    kinds = {type(program) for program in programs}
    if CommandProgram in kinds:
        screen.say(_UNBOUND, "dim")
    elif not sandbox and LocalProgram in kinds:
        screen.say(PlainLauncher().caution or _PLAIN, "dim")


def runtime_version(language: Language, sandbox: bool) -> str:
    """Return the version of the runtime of ``language`` here, or in the sandbox; empty for Python and executables."""
    if not sandbox:
        return version_outside(language)
    return next((offer.version for offer in offers() if offer.name == language.name and language.runtime), "")


def unchecked_here(sandbox: bool) -> dict[str, str]:
    """Return what a check on this system leaves open, in words by name."""
    if sandbox:
        return {}
    calls = {"sandbox": "calls that fail in the sandbox, such as writing files, sockets and new processes"}
    if not PlainLauncher().caution:
        return calls
    return {"memory": "the memory limit", "threads": "the limit of threads", "lag": "delays by other programs", **calls}


# --- Seats -----------------------------------------------------------------------------------------------------------

HOUSE_PREFIX = "house:"
LocalSeat = SeatSpec[Local]


def game_of(slug: str) -> Game:
    """Return the game with this slug. Raises ``UsageError`` if it does not exist."""
    if slug not in GAMES:
        question = did_you_mean(slug, GAMES)
        raise UsageError(f"Unknown game {slug!r}.{question} Available games: {', '.join(GAMES)}.")
    return GAMES[slug]


def find_game(slug: str, seats: int) -> Game:
    """Return the game with this slug. Raises ``UsageError`` if it does not exist or does not have ``seats`` seats."""
    game = game_of(slug)
    if seats not in game.seat_counts:
        suited = [other.slug for other in GAMES.values() if seats in other.seat_counts]
        instead = f" Games for {seats} bots: {', '.join(suited)}." if suited else ""
        raise UsageError(f"{slug} needs {either(game.seat_counts)} bots; you named {seats}.{instead}")
    return game


def seat_bots(
    words: Sequence[str], game: Game, commands: Sequence[str] = (), python: Path | None = None
) -> tuple[LocalSeat, ...]:
    """Return one seat per word, then one per command line.

    A bot folder is labeled by its name, because copies of a bot have the same name in bot.toml, and by its path if
    another folder has the same name. The second seat of a bot is labeled ``greedy#2``. ``python`` runs your own Python
    bots. Raises ``UsageError`` for an unknown house bot, a path without a bot, a bot that does not support the format,
    and a command that is not found.
    """
    named: list[tuple[str, Local]] = []
    folders: dict[str, set[Path]] = defaultdict(set)
    for word in words:
        name, program = find_program(word, game, len(words) + len(commands))
        if isinstance(program, LocalProgram) and Path(word).expanduser().is_dir():
            name = program.folder.name
            folders[name].add(program.folder)
        if len(folders[name]) > 1:
            name = word.rstrip("/")
        named.append((name, under_python(program, python) if isinstance(program, LocalProgram) else program))
    named += [(command.label, command) for command in map(command_of, commands)]
    seats: list[LocalSeat] = []
    seen: Counter[str] = Counter()
    for name, seated in named:
        seen[name] += 1
        seats.append(SeatSpec(name if seen[name] == 1 else f"{name}#{seen[name]}", seated))
    return tuple(seats)


def find_program(word: str, game: Game, seats: int) -> tuple[str, HouseProgram | LocalProgram]:
    """Return the name and the program of a house bot, a bot folder or a Python file. Raises ``UsageError``."""
    if word.startswith(HOUSE_PREFIX):
        name = word.removeprefix(HOUSE_PREFIX)
        return name, _house_bot(name, game, seats)
    path = Path(word).expanduser()
    if path.is_file() and path.suffix == ".py":
        return path.stem, LocalProgram(path.parent.resolve(), entry=path.name)
    if path.is_dir():
        return _own_bot(path, game, seats)
    hint = f" Did you mean {HOUSE_PREFIX}{word}?" if word in HOUSE else ""
    raise UsageError(f"{word!r} is not a bot folder, a .py file or a house bot such as house:random.{hint}")


def house_bots(game: Game, seats: int) -> list[str]:
    """Return the names of the house bots that support ``game`` with ``seats`` seats."""
    return [name for name, bot in HOUSE.items() if bot.plays(game.slug, seats)]


def _house_bot(name: str, game: Game, seats: int) -> HouseProgram:
    suited = house_bots(game, seats)
    if name in suited:
        return HouseProgram(name)
    available = f"House bots for this format: {', '.join(suited) or 'none'}."
    if name in HOUSE:
        raise UsageError(f"house:{name} does not support {game.slug} with {seats} seats. {available}")
    raise UsageError(f"Unknown house bot {name!r}.{did_you_mean(name, suited)} {available}")


def _own_bot(folder: Path, game: Game, seats: int) -> tuple[str, LocalProgram]:
    folder = bot_folder(folder)
    try:
        manifest = read_folder(folder)
    except ManifestError as error:
        raise UsageError(str(error)) from error
    if (game.slug, seats) not in manifest.formats:
        raise UsageError(
            f"{manifest.name} does not support {game.slug} with {seats} seats."
            f" If it does, add this format to [games] in its {FILE}."
        )
    return manifest.name, LocalProgram(folder.resolve(), manifest.args, manifest.entry)


def read_limits(text: str) -> Limits:
    """Parse limits such as ``move_ms=500,bank_ms=0``; other limits keep their defaults. Raises ``UsageError``."""
    defaults = Limits()
    names = [field.name for field in fields(defaults)]
    chosen: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        if name not in names:
            raise UsageError(f"--limits: unknown limit {name!r}. Available limits: {', '.join(names)}.")
        at_least = "of at least 0" if name == "bank_ms" else "greater than 0"
        if not value.isdecimal() or (int(value) == 0 and name != "bank_ms"):
            raise UsageError(f"--limits: {name} must be a whole number {at_least}, not {value!r}.")
        chosen[name] = int(value)
    return replace(defaults, **chosen)


# --- Decisions from a file -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reply:
    """The bot's answer to one decision: a legal move, or ``None`` and a fault; ``wall_us`` is its time if measured."""

    question: RecordedDecision
    line: str
    move: Move | None
    fault: str
    wall_us: int | None = None

    @property
    def as_played(self) -> bool:
        """Whether the bot gave the same answer as in the game."""
        return self.move is not None and self.move == self.question.played and self.question.default is None


def feed(replay: DecisionReplay, program: LocalProgram, python: Path | None = None) -> Iterator[Reply]:
    """Start the bot and yield its answer to every decision, without a time limit.

    ``python`` is as for ``find_played``. The bot's stderr goes to our stderr. If the bot exits or closes its stdout,
    the last answer has a fault. Its child processes are ended. Raises ``PlatformFailure`` if it cannot be started.
    """
    code = code_of(program)
    started, variables = under_python(program, python), {}
    if not isinstance(started, CommandProgram):
        started = CommandProgram(tuple(command(code, code.folder, UNBOUNDED.memory_mb)), code.folder)
        variables = environment(local_library()) if code.imports_packages else {}
    process = start_command(started, our_stderr=True, variables=variables)
    channel = open_channel(process)
    questions = iter(replay.questions)
    question, started_ns = next(questions), monotonic_ns()
    patience_ms = 0
    try:
        channel.send(lines_of([replay.hello]))
        while is_ready(next_line(process, channel) or b"") is not True:
            pass
        while True:
            started_ns = monotonic_ns()
            channel.send(lines_of([question.message]))
            line = next_line(process, channel)
            yield _answer(question, line, (monotonic_ns() - started_ns) // 1000)
            following = next(questions, None)
            if following is None:
                return
            question = following
    except StdoutEnded:
        patience_ms = LAST_WORDS_MS
    finally:
        end = end_process(process, channel, patience_ms)
    yield _no_answer(question, end, (monotonic_ns() - started_ns) // 1000)


def debug(replay: DecisionReplay, program: LocalProgram, python: Path | None = None) -> Iterator[Reply]:
    """Run a Python bot in pdb, stop in its strategy at the last decision, then yield its answers.

    The debugger uses the terminal, and the bot reads and writes files. ``python`` is as for ``feed``.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        as_file(files("bots.cli").joinpath("debugged", "stage.py")) as stage,
    ):
        questions, answers = Path(folder, "questions.jsonl"), Path(folder, "answers.jsonl")
        questions.write_bytes(lines_of(replay.messages))
        answers.touch()
        words = [str(stage), str(questions), str(answers), program.entry, *program.args]
        if python is None:
            interpreter = [str(bots_interpreter()), *OPTIONS_WITH_PACKAGES]
            variables = {**os.environ, **environment(local_library())}
        else:
            interpreter, variables = [str(interpreter_at(python))], dict(os.environ)
        done = subprocess.run([*interpreter, *words], cwd=program.folder, env=variables, check=False)
        *lines, rest = answers.read_bytes().split(b"\n")
    replies = [line for line in lines if is_ready(line) is not True]
    for question, line in zip(replay.questions, replies, strict=False):
        yield _answer(question, line, None)
    for question in replay.questions[len(replies) :]:
        yield _no_answer(question, ProcessEnd(done.returncode, mid_line=bool(rest)), None)
        return


def lines_of(messages: Sequence[Document]) -> bytes:
    """Encode the messages for a bot's standard input."""
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def _no_answer(question: RecordedDecision, end: ProcessEnd, wall_us: int | None) -> Reply:
    return Reply(question, "", None, f"no answer: {end}.", wall_us)


def _answer(question: RecordedDecision, line: bytes | None, wall_us: int | None) -> Reply:
    if line is None:
        return Reply(question, "", None, "too_long: the answer is longer than 64 KiB.", wall_us)
    move, fault = question.judge(line)
    return Reply(question, line.decode("utf-8", errors="backslashreplace").rstrip("\r\n"), move, fault, wall_us)
