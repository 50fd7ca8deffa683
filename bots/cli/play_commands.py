"""Commands that run bots on this machine: ``esr check``, ``play`` and ``replay-decision``."""

from __future__ import annotations

import json
import secrets
import signal
from argparse import ArgumentParser, Namespace
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, TypeVar

from rich.progress import MofNCompleteColumn

from bots.cli.frame import (
    FOUND,
    STDERR_LINES,
    Command,
    Screen,
    UsageError,
    cut,
    explained,
    incidents,
    logs_folder,
    records_file,
    result_table,
    write_logs,
    write_record,
)
from bots.cli.programs import (
    Answer,
    Local,
    MakeLauncher,
    command_of,
    debug,
    feed,
    find_game,
    launcher_for,
    lines_of,
    python_argument,
    read_limits,
    require_one_way,
    sandbox_argument,
    seat_bots,
    under_python,
    warn_about_plain,
)
from bots.cli.records import Replay, read_log, read_record, rebuild
from bots.manifest import Manifest, ManifestError, read_folder
from bots.runner import Launcher, LocalProgram, PlatformFailure
from bots.runner.clock import cores
from bots.series import Played, Series, Tallies, play_game, play_series
from bots.validation import Check, Problem, TableCheck
from games.registry import GAMES

# --- esr check -------------------------------------------------------------------------------------------------------

SHOWN_PROBLEMS = 3
"""How many problems of one table are shown; a bot that does one thing wrong mostly does it often."""


def check_arguments(parser: ArgumentParser) -> None:
    """The bot's folder, or a command."""
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="DIR", help="folder of the bot, with a bot.py or a bot.toml"
    )
    parser.add_argument(
        "--command", dest="command_line", metavar="CMD",
        help="command line to check as a bot; DIR then only needs a bot.toml with its games; runs without a sandbox",
    )  # fmt: skip
    python_argument(parser)
    parser.add_argument("--logs", type=Path, metavar="DIR", help="write every record and every seat's log there")
    parser.add_argument("--limits", default="", help="such as move_ms=500,bank_ms=2000")
    sandbox_argument(parser)


def run_check(options: Namespace, screen: Screen) -> int:
    """Check table by table, and say what is wrong and how to look into it."""
    check = check_of(options)
    warn_about_plain(screen, options.sandbox, [check.program])
    report = check.report(_watched(check, options, screen))
    screen.answer(report.document())
    for game, seats in report.untried:
        screen.say(f"  {game}, {seats} seats: not tried")
    if report.ok:
        screen.say(f"{report.name} plays everything it claims.", "green")
        return 0
    failed = sum(not table.ok for table in report.tables)
    screen.say(f"{report.name} has failed at {failed} of {len(report.tables)} tables.", "red")
    if options.logs is None:
        screen.say("Add --logs DIR to keep the games and to look into a decision with `esr replay-decision`.")
    return FOUND


def check_of(options: Namespace) -> Check[Local]:
    """What the command line asks for. Raises ``UsageError``."""
    require_one_way(options.sandbox, options.python, options.command_line or ())
    manifest, program = _command(options) if options.command_line else _bot(options)
    return Check(manifest, program, launcher_for(options.sandbox)(), read_limits(options.limits))


def _bot(options: Namespace) -> tuple[Manifest, Local]:
    folder: Path | None = options.folder
    if folder is None:
        raise UsageError("Name the folder of a bot, or a command with --command.")
    manifest = _manifest(folder, start=True)
    return manifest, under_python(LocalProgram(folder.resolve(), manifest.args, manifest.entry), options.python)


def _command(options: Namespace) -> tuple[Manifest, Local]:
    program = command_of(options.command_line)
    if options.folder is None:
        return Manifest(program.label), program
    return _manifest(options.folder, start=False), program


def _manifest(folder: Path, *, start: bool) -> Manifest:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. `esr new-bot {folder} --game GAME` writes a bot there.")
    try:
        return read_folder(folder, start=start)
    except ManifestError as error:
        raise UsageError(str(error)) from error


def _watched(check: Check[Local], options: Namespace, screen: Screen) -> Iterator[TableCheck]:
    logs = logs_folder(options.logs)
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(f"checking {check.manifest.name}", total=len(check.manifest.tables))
        for table in check.tables():
            written = write_logs(logs, table.played)
            for line in told(table, None if options.command_line else options.folder, written):
                screen.say(line)
            progress.advance(task)
            yield table


def told(table: TableCheck, folder: Path | None, logs: list[Path]) -> Iterator[str]:
    """Yield the lines about one table: that it passed, or its first problems.

    ``logs`` are the files of its game, the record first. ``folder`` is the folder of the bot. It is ``None`` for a
    command, whose decisions cannot be replayed.
    """
    where = f"  {table.game}, {table.seats} seats"
    if table.ok:
        slowest_ms = max(table.decisions_us, default=0) / 1000
        yield f"{where}: ok, {len(table.decisions_us)} decisions, the slowest {slowest_ms:.1f} ms"
        return
    yield f"{where}: {len(table.problems)} {'problem' if len(table.problems) == 1 else 'problems'}"
    for problem in table.problems[:SHOWN_PROBLEMS]:
        yield from _told_problem(problem)
        if logs and folder is not None and problem.ply is not None:
            log = logs[1 + problem.seat]
            yield f"      look into it: esr replay-decision {logs[0]} {problem.ply} {folder} --log {log} --pdb"


def _told_problem(problem: Problem) -> Iterator[str]:
    if problem.decision is None:
        yield f"    seat {problem.seat} did not start: {problem.reason}: {problem.detail}"
    else:
        decision = problem.question["decision"]
        yield f"    seat {problem.seat}, decision {problem.decision}: {problem.reason}: {problem.detail}"
        yield f"      asked: {cut(json.dumps(decision))}"
        if problem.answer:
            yield f"      answered: {cut(problem.answer)}"
    for line in problem.stderr_tail.splitlines()[-STDERR_LINES:]:
        yield f"      stderr: {line}"
    if reason := explained(problem.stderr_tail):
        yield f"      {reason}"


CHECK_COMMAND = Command(
    "check",
    "Let a bot play one game with itself in every format that it supports, and report what went wrong.",
    """\
  esr check mybot
  esr check mybot --python .venv             with the packages of a virtual environment
  esr check mybot --command 'node bot.js'    any command line, for the games in mybot/bot.toml
  esr check mybot --logs logs        keep the games, to look into one with `esr replay-decision`

The bot.toml of a bot says which games it supports; without one it supports every game. A strike or a forfeit is a
failure (exit status 1). The site runs the same check on every upload, in its sandbox. Commands and --python run
without a sandbox, without the memory limit and with your packages, so they show how a bot plays at home or as a
remote bot, and not whether the site accepts it as an upload.""",
    check_arguments,
    run_check,
)


# --- esr play --------------------------------------------------------------------------------------------------------


def play_arguments(parser: ArgumentParser) -> None:
    """The game, the bots in the order of their seats, and how to play."""
    parser.add_argument("game", metavar="GAME", help=", ".join(GAMES))
    parser.add_argument("bots", nargs="*", metavar="BOT", help="house:random, or the folder of a bot")
    parser.add_argument(
        "--command", dest="commands", action="append", default=[], metavar="CMD",
        help="command line that plays as a bot, after the bots above; repeat it for more; runs without a sandbox",
    )  # fmt: skip
    python_argument(parser)
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games (1)")
    parser.add_argument("--seed", help="game i, from 0, has the seed SHA-256(play/SEED/i); default: a new one")
    parser.add_argument("--rotate", action="store_true", help="everybody moves on by one seat after every game")
    parser.add_argument(
        "--parallel", type=int, nargs="?", const=0, default=1, metavar="N",
        help="play N games at once; without N as many as there are processors",
    )  # fmt: skip
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the records there, one a line")
    parser.add_argument("--logs", type=Path, metavar="DIR", help="write every record and every seat's log there")
    parser.add_argument("--limits", default="", help="such as move_ms=500,bank_ms=2000")
    sandbox_argument(parser)


def run_play(options: Namespace, screen: Screen) -> int:
    """Play, then show the table; whatever went wrong at a seat is shown as it happens."""
    series = series_of(options)
    make_launcher = launcher_for(options.sandbox)
    warn_about_plain(screen, options.sandbox, [bot.program for bot in series.bots])
    tallies = Tallies.between([bot.label for bot in series.bots])
    games: list[dict[str, Any]] = []
    try:
        _play(series, make_launcher, options, screen, tallies, games)
    finally:
        if tallies.ranked():
            screen.show(result_table(tallies, f"{series.game}, seed {series.seed}"))
    answer = {"ok": True, "game": series.game, "seed": series.seed, "games": games}
    screen.answer({**answer, "table": [tally.document() for tally in tallies.ranked()]})
    return 0


def series_of(options: Namespace) -> Series[Local]:
    """What the command line asks for. Raises ``UsageError``."""
    require_one_way(options.sandbox, options.python, options.commands)
    if not options.bots and not options.commands:
        raise UsageError("No bots. Name a folder or a house bot such as house:random for every seat, or use --command.")
    game = find_game(options.game, len(options.bots) + len(options.commands))
    bots = seat_bots(options.bots, game, options.commands, options.python)
    seed = options.seed if options.seed is not None else str(secrets.randbelow(1_000_000))
    if not seed.isascii():
        raise UsageError("The seed may hold ASCII characters only.")
    if options.games < 1:
        raise UsageError("There is at least 1 game to play.")
    if options.parallel < 0:
        raise UsageError("At least 1 game is played at once.")
    return Series(game.slug, bots, seed, options.games, read_limits(options.limits), options.rotate)


def _play(
    series: Series[Local],
    make_launcher: MakeLauncher,
    options: Namespace,
    screen: Screen,
    tallies: Tallies,
    games: list[dict[str, Any]],
) -> None:
    """Play every game, count it, write its files at once."""
    folder = logs_folder(options.logs)
    with records_file(options.record) as records, screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(series.game, total=series.games)
        for played in _played(series, make_launcher, options.parallel or cores(), folder is not None):
            tallies.add(played)
            games.append(played.document())
            write_record(records, played)
            write_logs(folder, played)
            for line in incidents(played):
                screen.say(line)
            progress.advance(task)


def _played(series: Series[Local], make_launcher: MakeLauncher, at_once: int, keep: bool) -> Iterator[Played]:
    if min(at_once, series.games) > 1:
        return play_at_once(series, make_launcher, min(at_once, series.games), keep)
    return play_series(series, make_launcher(), keep)


PLAY_COMMAND = Command(
    "play",
    "Play games between bots on this machine: your own folders, house bots and commands.",
    """\
  esr play edel-stein-reich mybot house:greedy house:random
  esr play edel-stein-reich mybot house:greedy house:random --games 200 --rotate --parallel --record games.jsonl
  esr play edel-stein-reich-duel mybot house:random --logs logs     what was asked and answered, to look into
  esr play edel-stein-reich-duel house:kontor --command 'node bot.js'
  esr play edel-stein-reich-duel house:kontor mybot --python .venv --limits startup_ms=60000

A bot is a folder with a bot.py or a bot.toml, one .py file, or a house bot (`esr games` lists them). Strikes, forfeits
and what a bot writes to stderr are shown as they happen; none of that is an error of this command.

A command speaks the bot protocol on stdin and stdout. It runs as in your shell, with your environment, without a
sandbox and without the memory limit of the site. --python runs your Python bots in the same way with the packages of a
virtual environment, such as numpy or torch. The limits of time are those of the site; --limits changes them.""",
    play_arguments,
    run_play,
)


# --- esr replay-decision ---------------------------------------------------------------------------------------------

_NO_LOG: Final = (
    "Without --log the seed of the hello and the clocks are not those of the game; everything else is."
    " `esr play --logs DIR` writes logs."
)


def replay_decision_arguments(parser: ArgumentParser) -> None:
    """The record, which decision, and whose bot."""
    parser.add_argument("record", metavar="RECORD", help="a file with a record; FILE:12 is the record in its line 12")
    parser.add_argument("ply", type=int, metavar="PLY", help="the index of the move among the record's steps, from 0")
    parser.add_argument("folder", type=Path, metavar="DIR", help="the bot's folder")
    parser.add_argument("--log", type=Path, metavar="FILE", help="the seat's owner's log: exact hello and clocks")
    parser.add_argument("--pdb", action="store_true", help="stop in Python's debugger where the strategy is called")
    python_argument(parser)
    parser.add_argument(
        "--messages", type=Path, metavar="FILE",
        help="write what the bot is sent there: its standard input for a debugger of your own",
    )  # fmt: skip


def run_replay_decision(options: Namespace, screen: Screen) -> int:
    """Feed the earlier decisions, then this one, and compare with what was played."""
    if options.pdb and options.json:
        raise UsageError("--pdb talks to a person, --json to a machine: leave one of them out.")
    log = read_log(options.log) if options.log else None
    replay = rebuild(read_record(options.record), options.ply, log)
    program = _program(options)
    if options.messages:
        _write_messages(options.messages, replay)
    if log is None:
        screen.say(_NO_LOG, "dim")
    answers = (
        list(debug(replay, program, options.python)) if options.pdb else _fed(replay, program, options.python, screen)
    )
    _tell(replay, answers, screen)
    answered = len(answers) == len(replay.questions) and answers[-1].move is not None
    screen.answer(_document(replay, answers, answered))
    return 0 if answered else FOUND


def _program(options: Namespace) -> LocalProgram:
    try:
        manifest = read_folder(options.folder)
    except ManifestError as error:
        raise UsageError(str(error)) from error
    if options.pdb and manifest.language != "python":
        raise UsageError(
            "--pdb is Python's debugger, and this bot is a program of another kind."
            " Write what it reads with --messages FILE, and start it in a debugger of its own with that as its input."
        )
    return LocalProgram(options.folder.resolve(), manifest.args, manifest.entry)


def _write_messages(path: Path, replay: Replay) -> None:
    try:
        path.write_bytes(lines_of(replay.messages))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error


def _fed(replay: Replay, program: LocalProgram, python: Path | None, screen: Screen) -> list[Answer]:
    answers = []
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task("asking", total=len(replay.questions))
        for answer in feed(replay, program, python):
            answers.append(answer)
            progress.advance(task)
    return answers


def _tell(replay: Replay, answers: list[Answer], screen: Screen) -> None:
    last = replay.questions[-1]
    decision = last.message["decision"]
    screen.say(f"{replay.hello['game']}, seat {replay.hello['seat']}, decision {last.id}, ply {last.ply}")
    for answer in answers:
        if answer.question is not last and not answer.as_played:
            screen.say(f"  decision {answer.question.id} was another one in the game: {_difference(answer)}")
    screen.say(f"  asked:       {cut(json.dumps(decision))}")
    default = f", the default move: {last.default}" if last.default else ""
    screen.say(f"  in the game: {json.dumps(last.played)}{default}")
    if answers and answers[-1].question is last:
        screen.say(f"  the bot now: {_said(answers[-1])}")
    else:
        screen.say("  the bot now: did not come as far as this question")


def _difference(answer: Answer) -> str:
    default = f" (default: {answer.question.default})" if answer.question.default else ""
    return f"{json.dumps(answer.question.played)}{default}, now {_said(answer)}"


def _said(answer: Answer) -> str:
    took = "" if answer.wall_us is None else f", after {answer.wall_us / 1000:.1f} ms"
    if answer.move is not None:
        return f"{json.dumps(answer.move)}, legal{took}"
    return f"{answer.fault}{took}" + (f" It said: {cut(answer.line)}" if answer.line else "")


def _document(replay: Replay, answers: list[Answer], answered: bool) -> dict[str, Any]:
    last = replay.questions[-1]
    told = [
        {
            "id": answer.question.id,
            "ply": answer.question.ply,
            "move": answer.move,
            "fault": answer.fault or None,
            "line": answer.line,
            "as_played": answer.as_played,
            "wall_us": answer.wall_us,
        }
        for answer in answers
    ]
    played = {"move": last.played, "default": last.default}
    return {"ok": answered, "hello": replay.hello, "question": last.message, "played": played, "answers": told}


REPLAY_DECISION_COMMAND = Command(
    "replay-decision",
    "Ask a bot one decision of a finished game again, after every earlier one of that seat.",
    """\
  esr play edel-stein-reich mybot house:random house:random --seed 7 --logs logs
  esr replay-decision logs/edel-stein-reich-3-game0.record.json 40 mybot \\
      --log logs/edel-stein-reich-3-game0.seat0.log.json --pdb

The bot gets the documents that it had in the game: hello, views, decisions, logs and clocks. No clock runs. With --pdb
it stops in the debugger, at the terminal, at the first line of its strategy, or where it has read the question if all
of its code is one file. breakpoint() works as well, as long as the bot reads sys.stdin and writes sys.stdout. Exit
status 1 if it does not answer with a legal move.""",
    replay_decision_arguments,
    run_replay_decision,
)


# --- Several games at a time -----------------------------------------------------------------------------------------

P = TypeVar("P")


def play_at_once(
    series: Series[P], launcher: Callable[[], Launcher[P]], workers: int, keep: bool = False
) -> Iterator[Played]:
    """Play the games, ``workers`` at a time, and give them in the order of their numbers.

    ``launcher`` makes one in every process: a class of ``bots.sandbox``. Raises ``PlatformFailure``.
    """
    context = get_context("spawn")  # the one way to start processes that every system has, and that copies no threads
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts_to_others) as pool:
        waiting: deque[Future[Played]] = deque()
        try:
            for number in range(series.games):
                waiting.append(pool.submit(_play_one, series, number, launcher, keep))
                if len(waiting) >= 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise PlatformFailure("a process that played games has died") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_others() -> None:
    """A process that waits for a game has nothing to stop; Ctrl-C reaches every process of a terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_one(series: Series[P], number: int, launcher: Callable[[], Launcher[P]], keep: bool) -> Played:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return play_game(series, number, _made(launcher), keep)
    finally:
        _leave_interrupts_to_others()


@cache
def _made(launcher: Callable[[], Launcher[P]]) -> Launcher[P]:
    return launcher()
