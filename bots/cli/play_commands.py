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
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from rich.progress import MofNCompleteColumn

from bots.archives import Notice
from bots.cli.frame import (
    FOUND,
    MACHINE,
    STDERR_LINES,
    Screen,
    SubCommand,
    UsageError,
    cut,
    incidents,
    logs_folder,
    near_lines,
    records_file,
    result_table,
    write_logs,
    write_record,
)
from bots.cli.programs import (
    Local,
    MakeLauncher,
    Reply,
    bot_folder,
    command_of,
    debug,
    feed,
    find_game,
    game_argument,
    launcher_for,
    lines_of,
    packed,
    python_argument,
    read_limits,
    require_one_way,
    require_path,
    runtime_version,
    sandbox_argument,
    seat_bots,
    unchecked_here,
    under_python,
    warn_about_plain,
)
from bots.cli.records import DecisionReplay, read_log, read_record, rebuild
from bots.cli.site import known_limits
from bots.languages import LANGUAGES
from bots.manifest import Manifest, ManifestError, read_folder
from bots.runner import Launcher, LocalProgram, PlatformFailure
from bots.runner.clock import cores
from bots.runner.trial import UNMEASURED_SHARE
from bots.series import Series, SeriesGame, Tallies, play_game, play_series
from bots.validation import Check, FormatCheck, ValidationProblem

# --- esr check -------------------------------------------------------------------------------------------------------


def check_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr check``."""
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="PATH",
        help="bot folder that contains bot.py or bot.toml, or the .py or .zip file to upload",
    )  # fmt: skip
    parser.add_argument(
        "--command", dest="command_line", metavar="CMD",
        help="command line to check instead of a folder; PATH is optional and provides only bot.toml",
    )  # fmt: skip
    python_argument(parser)
    _logs_and_limits_arguments(parser)
    sandbox_argument(parser)


def _logs_and_limits_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--logs", type=Path, metavar="DIR", help="folder for game records and bot logs")
    parser.add_argument(
        "--limits", default="", metavar="LIMITS", help="limits to change, for example move_ms=500,bank_ms=2000"
    )


def run_check(options: Namespace, screen: Screen) -> int:
    """Check every format until the first problem, and report it with the command that replays the decision."""
    require_one_way(options.sandbox, options.python, options.command_line or ())
    with TemporaryDirectory(prefix="esr-check-") as space:
        manifest, program, notices = _command(options) if options.command_line else _bot(options, Path(space) / "bot")
        check = Check(manifest, program, launcher_for(options.sandbox)(), read_limits(options.limits))
        warn_about_plain(screen, options.sandbox, [program])
        unchecked = [*unchecked_here(options.sandbox)]
        language = LANGUAGES[manifest.language]
        version = "" if options.command_line else runtime_version(language, options.sandbox)
        if version and language.runtime is not None:
            screen.say(f"Runtime: {language.runtime.program} {version}.")
        notices += tuple(_logs_inside(options))
        for notice in notices:
            screen.say(notice.text, "yellow")
        report = check.report(_watched(check, options, screen))
    notes = {"notices": [notice._asdict() for notice in notices], "unchecked": unchecked, "version": version}
    screen.answer({**report.document(), **notes})
    for game, seats in report.untried:
        screen.say(f"  {game}, {seats} seats: skipped")
    if report.ok:
        screen.say(f"{report.name} passed in {_formats(len(report.formats))}.", "green")
        if len(unchecked) > 1:
            left_open = ", ".join(unchecked_here(options.sandbox).values())
            screen.say(f"Not checked on this system: {left_open}. {_ON_LINUX}")
        return 0
    if report.ok is None:
        screen.say(
            "No verdict: the bot was late, but this computer was busy and may have slowed it. Stop other programs or"
            " make the bot faster, and run the check again.",
            "red",
        )
        return MACHINE
    last = report.formats[-1]
    screen.say(f"{report.name} failed in {last.game} with {last.seats} seats.", "red")
    if options.logs is None:
        screen.say("Use --logs DIR to save the games. You can then debug a decision with `esr replay-decision`.")
    return FOUND


_ON_LINUX: Final = "Run `esr check --sandbox` on Linux to check them, for example in WSL or in a container."


def _formats(count: int) -> str:
    return f"{count} format" if count == 1 else f"{count} formats"


_Checked = tuple[Manifest, Local, tuple[Notice, ...]]


def _bot(options: Namespace, space: Path) -> _Checked:
    """Read the bot as the site does, unless a virtual environment runs it. Files are unpacked at ``space``."""
    path: Path | None = options.folder
    if path is None:
        raise UsageError("Nothing to check. Pass a bot folder or --command CMD.")
    path = bot_folder(path)
    if options.python is not None and path.is_dir():
        manifest = _manifest(path, start=True)
        return manifest, under_python(LocalProgram(path.resolve(), manifest.args, manifest.entry), options.python), ()
    archive = packed(path).read(known_limits())
    if not path.is_dir():
        archive.write_to(space)
    folder, manifest = path.resolve() if path.is_dir() else space, archive.manifest
    program = LocalProgram(folder, manifest.args, manifest.entry)
    return manifest, under_python(program, options.python), archive.notices


def _logs_inside(options: Namespace) -> Iterator[Notice]:
    """Yield a notice if the logs are written into the bot folder."""
    if options.logs is not None and options.folder is not None:
        folder, logs = options.folder.resolve(), options.logs.resolve()
        if logs.is_relative_to(folder):
            outside = folder.parent / f"{folder.name}-logs"
            text = f"{logs} is in the bot folder, so the logs will be uploaded with the bot. Use --logs {outside}."
            yield Notice("logs_inside", text)


def _command(options: Namespace) -> _Checked:
    program = command_of(options.command_line)
    if options.folder is None:
        return Manifest(program.label), program, ()
    return _manifest(options.folder, start=False), program, ()


def _manifest(folder: Path, *, start: bool) -> Manifest:
    require_path(folder)
    try:
        return read_folder(folder, start=start)
    except ManifestError as error:
        raise UsageError(str(error)) from error


def _watched(check: Check[Local], options: Namespace, screen: Screen) -> Iterator[FormatCheck]:
    logs = logs_folder(options.logs)
    folder = options.folder if not options.command_line and options.folder.is_dir() else None
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(f"Checking {check.manifest.name}", total=len(check.manifest.formats))
        for result in check.formats():
            written = write_logs(logs, result.played)
            for line in check_lines(result, folder, written):
                screen.say(line)
            progress.advance(task)
            yield result


def check_lines(result: FormatCheck, folder: Path | None, logs: list[Path]) -> Iterator[str]:
    """Yield the lines about one format: its result and times, warnings, and its problem if there was one.

    ``logs`` are the files of its game, with the record first. ``folder`` is the bot folder, or ``None`` for a command
    or a file, whose decisions cannot be replayed.
    """
    where = f"  {result.game}, {result.seats} seats"
    if result.ok is None:
        (delay,) = result.delays
        late = "the start" if delay.decision is None else f"decision {delay.decision}"
        yield (
            f"{where}: undecided after {result.tries} attempts: seat {delay.seat}, {late}: {_ms(delay.wall_us)} of"
            f" {_ms(delay.allowed_us)}, including a measured lag of {_ms(delay.machine_delay_us)}"
        )
        over_us = delay.wall_us - delay.machine_delay_us - delay.allowed_us
        if over_us > 0:
            yield (
                f"    {_ms(over_us)} over the limit without this lag. A busy computer can cost a bot up to"
                f" 1/{UNMEASURED_SHARE} of its time without being measured, so this can be lag or the bot itself."
            )
        return
    times = (
        f"start {_ms(result.ready_us or 0)}, {len(result.decisions_us)} decisions, slowest {_ms(_slowest_us(result))}"
    )
    if result.ok:
        yield f"{where}: passed ({times}, lag {_ms(result.lag_us)})"
    else:
        yield f"{where}: failed ({times}, lag {_ms(result.lag_us)})" if result.started else f"{where}: failed"
    if result.tries > 1:
        yield f"    attempt {result.tries}: no verdict before, because this computer was busy"
    for line in near_lines({limit: result.shares[limit] for limit in result.near}):
        yield f"    {line}"
    for problem in result.problems:
        yield from _problem_lines(problem)
        if logs and folder is not None and problem.ply is not None:
            log = logs[1 + problem.seat]
            yield f"      debug it: esr replay-decision {logs[0]} {problem.ply} {folder} --log {log} --pdb"


def _slowest_us(result: FormatCheck) -> int:
    return max(result.decisions_us, default=0)


def _ms(us: int) -> str:
    return f"{us / 1000:.1f} ms"


def _problem_lines(problem: ValidationProblem) -> Iterator[str]:
    if problem.decision is None:
        yield f"    seat {problem.seat} did not start: {problem.reason}: {problem.detail}"
    else:
        decision = problem.question["decision"]
        yield f"    seat {problem.seat}, decision {problem.decision}: {problem.reason}: {problem.detail}"
        yield f"      decision: {cut(json.dumps(decision))}"
        if problem.answer:
            yield f"      answer: {cut(problem.answer)}"
    for line in problem.stderr_tail.splitlines()[-STDERR_LINES:]:
        yield f"      stderr: {line}"


CHECK_COMMAND = SubCommand(
    "check",
    "Check a bot: play one self-play game per supported format and report errors.",
    """\
examples:
  esr check mybot
  esr check mybot.zip                        check an archive before you upload it
  esr check mybot --python .venv             use the packages of a virtual environment
  esr check mybot --command 'node bot.js'    check a command in the formats listed in mybot/bot.toml
  esr check mybot --logs logs                save the games for `esr replay-decision`

A bot supports the games listed in its bot.toml. Without a bot.toml, it supports every game. The check ends at the first
strike or forfeit, and the exit code is then 1. It is 3 if this computer was too busy for a verdict. A bot that needs
more than 70% of a time limit gets a warning.

The command first reads the bot as the site does, with the site's limits if you ran `esr login`. The site then validates
every upload with the same games, in its sandbox. With --command or --python, the bot runs without
a sandbox and without the memory limit, so it can pass this check and still be rejected as an upload.""",
    check_arguments,
    run_check,
)


# --- esr play --------------------------------------------------------------------------------------------------------


def play_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr play``."""
    game_argument(parser)
    parser.add_argument(
        "bots", nargs="*", metavar="BOT", help="bot folder, .py file or house bot such as house:random, one per seat"
    ).complete = "file"  # type: ignore[attr-defined]
    parser.add_argument(
        "--command", dest="commands", action="append", default=[], metavar="CMD",
        help="command line that plays as a bot; repeatable; takes the seats after the BOT arguments",
    )  # fmt: skip
    python_argument(parser)
    parser.add_argument("--games", type=int, default=1, metavar="N", help="number of games (default: 1)")
    parser.add_argument("--seed", help="seed of the series, ASCII (default: random); game i uses SHA-256(play/SEED/i)")
    parser.add_argument("--rotate", action="store_true", help="rotate seats by one after each game")
    parser.add_argument(
        "--parallel", type=int, nargs="?", const=0, default=1, metavar="N",
        help="number of games to play in parallel (default: 1; without N: one per processor)",
    )  # fmt: skip
    parser.add_argument("--record", type=Path, metavar="FILE", help="file for the game records, one per line")
    _logs_and_limits_arguments(parser)
    sandbox_argument(parser)


def run_play(options: Namespace, screen: Screen) -> int:
    """Play the games and show the results. Strikes, forfeits and stderr lines are shown after each game."""
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
    """Build the series from the command-line options. Raises ``UsageError``."""
    require_one_way(options.sandbox, options.python, options.commands)
    if not options.bots and not options.commands:
        raise UsageError(
            "No bots given. Pass one bot per seat (a folder or a house bot such as house:random) or use --command."
        )
    game = find_game(options.game, len(options.bots) + len(options.commands))
    bots = seat_bots(options.bots, game, options.commands, options.python)
    seed = options.seed if options.seed is not None else str(secrets.randbelow(1_000_000))
    if not seed.isascii():
        raise UsageError("--seed must contain only ASCII characters.")
    if options.games < 1:
        raise UsageError("--games must be at least 1.")
    if options.parallel < 0:
        raise UsageError("--parallel must be at least 1, or have no value to use all processors.")
    return Series(game.slug, bots, seed, options.games, read_limits(options.limits), options.rotate)


def _play(
    series: Series[Local],
    make_launcher: MakeLauncher,
    options: Namespace,
    screen: Screen,
    tallies: Tallies,
    games: list[dict[str, Any]],
) -> None:
    """Play every game, add it to the tallies and write its files immediately."""
    folder = logs_folder(options.logs)
    shown: dict[tuple[str, str], int] = {}
    with records_file(options.record) as records, screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(series.game, total=series.games)
        for played in _played(series, make_launcher, options.parallel or cores(), folder is not None):
            tallies.add(played)
            games.append(played.document())
            write_record(records, played)
            write_logs(folder, played)
            for line in incidents(played, shown):
                screen.say(line)
            progress.advance(task)


def _played(series: Series[Local], make_launcher: MakeLauncher, at_once: int, keep: bool) -> Iterator[SeriesGame]:
    if min(at_once, series.games) > 1:
        return play_at_once(series, make_launcher, min(at_once, series.games), keep)
    return play_series(series, make_launcher(), keep)


PLAY_COMMAND = SubCommand(
    "play",
    "Play games between bots on this machine.",
    """\
examples:
  esr play edel-stein-reich mybot house:greedy house:random
  esr play edel-stein-reich mybot house:greedy house:random --games 200 --rotate --parallel --record games.jsonl
  esr play edel-stein-reich-duel mybot house:random --logs logs
  esr play edel-stein-reich-duel house:kontor --command 'node bot.js'
  esr play edel-stein-reich-duel house:kontor mybot --python .venv --limits startup_ms=60000

BOT is a folder that contains bot.py or bot.toml, a single .py file, or a house bot (run `esr games` to list them).
The results name a bot after its folder or file.
Strikes, forfeits and stderr output of the bots are shown after each game, equal output of a bot once.
They do not change the exit code.

A command must speak the bot protocol on stdin and stdout. It runs in your environment, without a sandbox and without
the site's memory limit. --python runs your Python bots in the same way, with packages such as numpy or torch from a
virtual environment. Time limits are the same as on the site unless you change them with --limits.""",
    play_arguments,
    run_play,
)


# --- esr replay-decision ---------------------------------------------------------------------------------------------

_NO_LOG: Final = (
    "Without --log, the bot seed and the clocks differ from the original game. `esr play --logs DIR` writes bot logs."
)


def replay_decision_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of ``esr replay-decision``."""
    parser.add_argument(
        "record", metavar="RECORD", help="game record file; FILE:12 selects line 12 of a file with several records"
    ).complete = "file"  # type: ignore[attr-defined]
    parser.add_argument("ply", type=int, metavar="PLY", help="index of the step in the record, starting at 0")
    parser.add_argument("folder", type=Path, metavar="DIR", help="bot folder")
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="bot log of the seat, for the original seed and clocks"
    )
    parser.add_argument("--pdb", action="store_true", help="stop in the Python debugger when the strategy is called")
    python_argument(parser)
    parser.add_argument(
        "--messages", type=Path, metavar="FILE",
        help="file for the messages sent to the bot; use it as standard input in another debugger",
    )  # fmt: skip


def run_replay_decision(options: Namespace, screen: Screen) -> int:
    """Replay the earlier decisions, then this one, and compare the answer with the game."""
    if options.pdb and options.json:
        raise UsageError("--pdb is interactive and cannot be combined with --json. Omit one of them.")
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
            f"--pdb only supports Python bots; the language of this bot is {manifest.language!r}."
            " Write its input with --messages FILE and run the bot with this input in another debugger."
        )
    return LocalProgram(options.folder.resolve(), manifest.args, manifest.entry)


def _write_messages(path: Path, replay: DecisionReplay) -> None:
    try:
        path.write_bytes(lines_of(replay.messages))
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from error


def _fed(replay: DecisionReplay, program: LocalProgram, python: Path | None, screen: Screen) -> list[Reply]:
    answers = []
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task("Replaying", total=len(replay.questions))
        for answer in feed(replay, program, python):
            answers.append(answer)
            progress.advance(task)
    return answers


def _tell(replay: DecisionReplay, answers: list[Reply], screen: Screen) -> None:
    last = replay.questions[-1]
    decision = last.message["decision"]
    screen.say(f"{replay.hello['game']}, seat {replay.hello['seat']}, decision {last.id}, ply {last.ply}")
    for answer in answers:
        if answer.question is not last and not answer.as_played:
            screen.say(f"  decision {answer.question.id} differs from the game: {_difference(answer)}")
    screen.say(f"  decision:    {cut(json.dumps(decision))}")
    default = f" (default move: {last.default})" if last.default else ""
    screen.say(f"  in the game: {json.dumps(last.played)}{default}")
    if answers and answers[-1].question is last:
        screen.say(f"  bot now:     {_result(answers[-1])}")
    else:
        screen.say("  bot now:     did not reach this decision")


def _difference(answer: Reply) -> str:
    default = f" (default move: {answer.question.default})" if answer.question.default else ""
    return f"{json.dumps(answer.question.played)}{default}, now {_result(answer)}"


def _result(answer: Reply) -> str:
    took = "" if answer.wall_us is None else f" ({answer.wall_us / 1000:.1f} ms)"
    if answer.move is not None:
        return f"{json.dumps(answer.move)}, legal{took}"
    return f"{answer.fault}{took}" + (f" Answer: {cut(answer.line)}" if answer.line else "")


def _document(replay: DecisionReplay, answers: list[Reply], answered: bool) -> dict[str, Any]:
    last = replay.questions[-1]
    rows = [
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
    return {"ok": answered, "hello": replay.hello, "question": last.message, "played": played, "answers": rows}


REPLAY_DECISION_COMMAND = SubCommand(
    "replay-decision",
    "Replay one decision of a finished game with a bot.",
    """\
examples:
  esr play edel-stein-reich mybot house:random house:random --seed 7 --logs logs
  esr replay-decision logs/edel-stein-reich-3-game0.record.json 40 mybot \\
      --log logs/edel-stein-reich-3-game0.seat0.log.json --pdb

The bot receives the same messages as in the game: hello, then every decision of its seat up to PLY, with views, logs
and clocks. There is no time limit. The exit code is 1 if the bot does not answer with a legal move.

With --pdb, the bot stops in the debugger at the first line of its strategy. A bot with a single source file stops
after it has read the decision. breakpoint() also works if the bot reads sys.stdin and writes sys.stdout.""",
    replay_decision_arguments,
    run_replay_decision,
)


# --- Games in parallel -----------------------------------------------------------------------------------------------

P = TypeVar("P")


def play_at_once(
    series: Series[P], launcher: Callable[[], Launcher[P]], workers: int, keep: bool = False
) -> Iterator[SeriesGame]:
    """Play the games in ``workers`` processes and yield them in order.

    ``launcher`` is called once in every process. Raises ``PlatformFailure``.
    """
    context = get_context("spawn")  # works on every system and copies no threads
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_ignore_interrupts) as pool:
        waiting: deque[Future[SeriesGame]] = deque()
        try:
            for number in range(series.games):
                waiting.append(pool.submit(_play_one, series, number, launcher, keep))
                if len(waiting) >= 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise PlatformFailure("a worker process exited unexpectedly") from error
        finally:
            pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Ignore SIGINT between games: Ctrl-C reaches every process of the terminal, and only the parent handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_one(series: Series[P], number: int, launcher: Callable[[], Launcher[P]], keep: bool) -> SeriesGame:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return play_game(series, number, _made(launcher), keep)
    finally:
        _ignore_interrupts()


@cache
def _made(launcher: Callable[[], Launcher[P]]) -> Launcher[P]:
    return launcher()
