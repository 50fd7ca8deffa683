"""The frame of all commands: their options, their output and their errors."""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bots.runner.bot_log import owner_logs
from bots.series import Estimate, Played, Tallies, Tally
from games.record import to_json

# --- Exit statuses ---------------------------------------------------------------------------------------------------

FOUND: Final = 1
"""The command did its work and found something wrong: a record, a bot."""

USAGE: Final = 2
"""What was asked for cannot be done."""

MACHINE: Final = 3
"""This machine failed, not a bot."""

INTERRUPTED: Final = 130
"""Ctrl-C, as shells have it."""


class UsageError(ValueError):
    """What was asked for cannot be done; the message says what can."""


# --- Escapes ---------------------------------------------------------------------------------------------------------

SHOWN: Final = 400
"""Characters of a document that are shown on a terminal; files and ``--json`` have it whole."""


def escaped(line: str) -> str:
    """``line`` with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in line)


def cut(text: str) -> str:
    """The beginning of a long text."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


# --- Output ----------------------------------------------------------------------------------------------------------


class Screen:
    """With ``machine`` nothing but one JSON document goes to stdout; progress goes to stderr, if that is a terminal."""

    def __init__(self, machine: bool = False) -> None:
        self.machine = machine
        self.console = Console(stderr=machine)

    def say(self, line: str, style: str | None = None) -> None:
        """A line for people; control characters in it are escaped."""
        if not self.machine:
            self.console.print(_harmless(line), style=style, markup=False, highlight=False, soft_wrap=True)

    def show(self, drawing: RenderableType) -> None:
        """A table or a text for people."""
        if not self.machine:
            self.console.print(drawing)

    def answer(self, document: dict[str, Any]) -> None:
        """The whole result for a machine, on one line."""
        if self.machine:
            sys.stdout.write(json.dumps(document, ensure_ascii=True) + "\n")
            sys.stdout.flush()

    def fail(self, message: str, status: int) -> int:
        """Say on stderr, or to the machine, what went wrong; ``status`` is handed on."""
        self.answer({"ok": False, "error": message})
        if not self.machine:
            text = _harmless(message)  # it may be what a site has said
            Console(stderr=True).print(text, style="red", markup=False, highlight=False, soft_wrap=True)
        return status

    def progress(self, *columns: ProgressColumn) -> Progress:
        """Bars that vanish when they are full; nothing where nobody looks."""
        shown = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
        return Progress(*shown, console=self.console, transient=True, disable=not self.console.is_terminal)


def _harmless(text: str) -> str:
    return "\n".join(map(escaped, text.split("\n")))


# --- Commands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Command:
    """``run`` gives the exit status (``FOUND`` and others) and raises ``UsageError`` and ``PlatformFailure``.

    ``help`` is one sentence; ``more`` is what ``--help`` says below the options, mostly examples.
    """

    name: str
    help: str
    more: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Screen], int]

    def add_to(self, parser: ArgumentParser) -> None:
        """Its arguments, and the one that all commands have."""
        self.arguments(parser)
        parser.add_argument("--json", action="store_true", help="write one JSON document instead of text")


# --- Output files ----------------------------------------------------------------------------------------------------


@contextmanager
def records_file(path: Path | None) -> Iterator[IO[str] | None]:
    """``path`` for writing, a record a line. Raises ``UsageError`` where that is impossible."""
    if path is None:
        yield None
        return
    try:
        stream = path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    with stream:
        yield stream


def write_record(stream: IO[str] | None, played: Played) -> None:
    """Add the record of one game, at once."""
    if stream is not None:
        stream.write(to_json(played.report.record) + "\n")
        stream.flush()


def logs_folder(path: Path | None) -> Path | None:
    """``path``, made if need be. Raises ``UsageError`` where that is impossible."""
    if path is not None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"The folder {path} cannot be made: {error.strerror}.") from error
    return path


def write_logs(folder: Path | None, played: Played) -> list[Path]:
    """Write ``GAME-3-game0.record.json`` and a ``GAME-3-game0.seat0.log.json`` for every seat; the paths, in order."""
    if folder is None or played.transcript is None:
        return []
    record = played.report.record
    stem = f"{record['game']}-{record['seats']}-game{played.number}"
    texts = {f"{stem}.record.json": to_json(record)}
    for log in owner_logs(played.report, played.transcript):
        texts[f"{stem}.seat{log['seat']}.log.json"] = json.dumps(log, ensure_ascii=False, indent=1)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8", newline="\n")
    return [folder / name for name in texts]


# --- Tables ----------------------------------------------------------------------------------------------------------

STDERR_LINES = 20
"""How many of the last lines of a bot's stderr are shown of one game."""


def result_table(tallies: Tallies, title: str) -> Table:
    """The table of a series; every mean has its interval of 95 %."""
    ranked = tallies.ranked()
    names = list(ranked[0].scores) if ranked else []
    caption = "± and (from-to): intervals of 95 %; ms: mean time of a decision"
    table = Table(title=title, caption=caption, title_justify="left", caption_justify="left", box=SIMPLE_HEAD)
    table.show_edge, table.padding = False, (0, 1, 0, 0)
    table.add_column("Bot", overflow="fold", min_width=8)
    scores = [name.capitalize() for name in names]
    for heading in ("Games", "Mean rank", "Wins %", *scores, "Strikes", "Forfeits", "ms"):
        table.add_column(heading, justify="right", no_wrap=True)
    for tally in ranked:
        table.add_row(Text(tally.label), *_cells(tally, names))
    return table


def _cells(tally: Tally, names: list[str]) -> Iterator[str]:
    share, low, high = tally.win_share
    yield str(tally.games)
    yield _estimate(tally.mean_rank, 2)
    yield f"{100 * share:.0f} ({100 * low:.0f}-{100 * high:.0f})"
    for name in names:
        yield _estimate(Estimate.of(tally.scores[name]), 0)
    yield str(tally.strikes)
    yield str(tally.forfeits)
    yield "-" if tally.decision_ms is None else f"{tally.decision_ms:.2f}"


def _estimate(estimate: Estimate, digits: int) -> str:
    if estimate.half_width is None:
        return f"{estimate.mean:.{digits}f}"
    return f"{estimate.mean:.{digits}f} ± {estimate.half_width:.{digits}f}"


_V8_OUT_OF_MEMORY: Final = re.compile("Fatal process (OOM|out of memory)")
_NODE: Final = (
    "Node.js reserves more address space than the memory limit of a bot, so it cannot run as an uploaded bot."
    " Play it at home with --command 'node bot.js', and on the site with `esr play-remote`."
)


def explained(stderr: str) -> str:
    """What an error on stderr means that a bot's author cannot know, in a sentence; ``""`` for all others."""
    return _NODE if _V8_OUT_OF_MEMORY.search(stderr) else ""


def incidents(played: Played) -> Iterator[str]:
    """Every strike, forfeit and word on stderr of one game, a line each; control characters are escaped."""
    forfeits = {forfeit.seat: forfeit for forfeit in played.report.forfeits}
    for seat, report in enumerate(played.report.seats):
        where = f"game {played.number}, seat {seat}, {report.label}"
        for strike in report.strikes:
            answer = f", it answered {strike.answer}" if strike.answer else ""
            yield f"{where}: strike at decision {strike.id}: {strike.reason}: {strike.detail}{answer}"
        if forfeit := forfeits.get(seat):
            yield f"{where}: forfeit: {forfeit.reason}: {forfeit.evidence}"
        lines = report.stderr_tail.splitlines()
        if len(lines) > STDERR_LINES:
            yield f"{where}: stderr: ({len(lines) - STDERR_LINES} earlier lines)"
        for line in lines[-STDERR_LINES:]:
            yield f"{where}: stderr: {escaped(line)}"
        if reason := explained(report.stderr_tail):
            yield f"{where}: {reason}"
