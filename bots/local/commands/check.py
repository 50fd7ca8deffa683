"""``esr check DIR``: a game of a bot with itself at every table that it claims."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from rich.progress import MofNCompleteColumn

from bots.local.command import Command
from bots.local.escaping import cut
from bots.local.faults import FOUND, UsageError
from bots.local.keeping import logs_folder, write_logs
from bots.local.launching import (
    Local,
    command_of,
    launcher_for,
    python_argument,
    require_one_way,
    sandbox_argument,
    under_python,
    warn_about_plain,
)
from bots.local.printing import STDERR_LINES, explained
from bots.local.screen import Screen
from bots.local.seating import read_limits
from bots.manifest import Manifest, ManifestError, read_folder
from bots.runner import LocalProgram
from bots.validation import Check, Problem, TableCheck

SHOWN_PROBLEMS = 3
"""How many problems of one table are shown; a bot that does one thing wrong mostly does it often."""


def arguments(parser: ArgumentParser) -> None:
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


def run(options: Namespace, screen: Screen) -> int:
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


COMMAND = Command(
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
    arguments,
    run,
)
