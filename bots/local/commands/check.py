"""``esr check DIR``: a game of a bot with itself at every table that it claims."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from rich.progress import MofNCompleteColumn

from bots.local.checking import Check, Problem, TableCheck
from bots.local.command import Command
from bots.local.escaping import cut
from bots.local.faults import FOUND, UsageError
from bots.local.keeping import logs_folder, write_logs
from bots.local.launching import Local, launcher_for, sandbox_argument, warn_about_plain
from bots.local.printing import STDERR_LINES
from bots.local.screen import Screen
from bots.local.seating import read_limits
from bots.manifest import ManifestError, read_folder
from bots.runner import LocalProgram

SHOWN_PROBLEMS = 3
"""How many problems of one table are shown; a bot that does one thing wrong mostly does it often."""


def arguments(parser: ArgumentParser) -> None:
    """The bot's folder."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="the bot's folder, with a bot.py or a bot.toml")
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
    folder: Path = options.folder
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder. `esr new-bot {folder} --game GAME` writes a bot there.")
    try:
        manifest = read_folder(folder)
    except ManifestError as error:
        raise UsageError(str(error)) from error
    program = LocalProgram(folder.resolve(), manifest.args, manifest.entry)
    return Check(manifest, program, launcher_for(options.sandbox)(), read_limits(options.limits))


def _watched(check: Check[Local], options: Namespace, screen: Screen) -> Iterator[TableCheck]:
    logs = logs_folder(options.logs)
    with screen.progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(f"checking {check.manifest.name}", total=len(check.manifest.tables))
        for table in check.tables():
            written = write_logs(logs, table.played)
            for line in told(table, options.folder, written):
                screen.say(line)
            progress.advance(task)
            yield table


def told(table: TableCheck, folder: Path, logs: list[Path]) -> Iterator[str]:
    """One table in lines: all right, or its first problems. ``logs`` are the files of its game, the record first."""
    where = f"  {table.game}, {table.seats} seats"
    if table.ok:
        slowest_ms = max(table.decisions_us, default=0) / 1000
        yield f"{where}: ok, {len(table.decisions_us)} decisions, the slowest {slowest_ms:.1f} ms"
        return
    yield f"{where}: {len(table.problems)} {'problem' if len(table.problems) == 1 else 'problems'}"
    for problem in table.problems[:SHOWN_PROBLEMS]:
        yield from _told_problem(problem)
        if logs and problem.ply is not None:
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


COMMAND = Command(
    "check",
    "Let a bot play one game with itself at every table that it claims, and say what went wrong.",
    """\
  esr check mybot
  esr check mybot --logs logs        keep the games, to look into one with `esr replay-decision`

What a bot claims stands in its bot.toml; without one it claims every game. A strike or a forfeit anywhere is a
failure (exit status 1). An upload to the site is put through this very check, in the sandbox.""",
    arguments,
    run,
)
