"""What all commands share: options, output, exit codes and output files."""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import Action, ArgumentError, ArgumentParser, Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bots.intervals import Mean
from bots.runner.bot_log import owner_logs
from bots.series import SeriesGame, Tallies, Tally
from games.record import to_json

# --- Exit codes ------------------------------------------------------------------------------------------------------

FOUND: Final = 1
"""The command succeeded and found an error in a bot or a game record."""

USAGE: Final = 2
"""The arguments are invalid, or the site rejected the request."""

MACHINE: Final = 3
"""This machine failed, not a bot."""

UNFINISHED: Final = 4
"""The cup or season is not finished, so it cannot be verified completely. Nothing is wrong so far."""

INTERRUPTED: Final = 130
"""Interrupted with Ctrl-C (128 + SIGINT, as in shells)."""


class UsageError(ValueError):
    """The request is invalid; the message explains how to fix it."""


# --- Escapes ---------------------------------------------------------------------------------------------------------

SHOWN: Final = 400
"""Maximum number of characters of a document on a terminal. Files and ``--json`` contain all of it."""


def escaped(line: str) -> str:
    """Escape control characters so that a terminal does not interpret them."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in line)


def cut(text: str) -> str:
    """Truncate ``text`` to ``SHOWN`` characters."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


# --- Output ----------------------------------------------------------------------------------------------------------


class Screen:
    """Output of a command.

    With ``machine``, stdout contains only one JSON document, and progress bars go to stderr if it is a terminal.
    """

    def __init__(self, machine: bool = False) -> None:
        self.machine = machine
        self.console = Console(stderr=machine)

    def say(self, line: str, style: str | None = None) -> None:
        """Print a line of text with control characters escaped; print nothing in JSON mode."""
        if not self.machine:
            self.console.print(_harmless(line), style=style, markup=False, highlight=False, soft_wrap=True)

    def show(self, drawing: RenderableType) -> None:
        """Print a table or formatted text; print nothing in JSON mode.

        It fits the terminal or ``COLUMNS``, but a table is never cut. Otherwise, it is as wide as its content.
        """
        if not self.machine:
            fits = self.console.is_terminal or "COLUMNS" in os.environ
            console = Console(width=None if fits else _UNBOUNDED)
            if isinstance(drawing, Table):  # in less space, rich would cut numbers and drop columns
                least = sum((column.min_width or 0) + _PADDING[1] for column in drawing.columns)
                console.width = max(console.width, least)
            console.print(drawing, crop=False)

    def answer(self, document: dict[str, Any]) -> None:
        """Print the result as one line of JSON; print nothing in text mode."""
        if self.machine:
            sys.stdout.write(json.dumps(document, ensure_ascii=True) + "\n")
            sys.stdout.flush()

    def fail(self, message: str, status: int) -> int:
        """Report an error on stderr, or as JSON in JSON mode, and return ``status``."""
        self.answer({"ok": False, "error": message})
        if not self.machine:
            text = _harmless(message)  # the message can contain text from a site
            Console(stderr=True).print(text, style="red", markup=False, highlight=False, soft_wrap=True)
        return status

    def progress(self, *columns: ProgressColumn) -> Progress:
        """Return a progress bar that disappears when it is complete. It is disabled if the output is not a terminal."""
        shown = (TextColumn("{task.description}"), BarColumn(), *columns, TimeRemainingColumn())
        return Progress(*shown, console=self.console, transient=True, disable=not self.console.is_terminal)


def _harmless(text: str) -> str:
    return "\n".join(map(escaped, text.split("\n")))


# --- Arguments -------------------------------------------------------------------------------------------------------


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that names the word of ``known`` that is most similar to ``word``, or ``""``."""
    similar = get_close_matches(word, list(known), n=1)
    return f" Did you mean {similar[0]}?" if similar else ""


class Parser(ArgumentParser):
    """A parser that names the most similar command, option or choice after a typing error.

    A shell completes the names of files where an argument is a ``Path``.
    """

    def add_argument(self, *names: str, **options: Any) -> Action:
        """Add an argument. A ``complete`` attribute is what shtab reads."""
        action = super().add_argument(*names, **options)
        if options.get("type") is Path:
            action.complete = "file"  # type: ignore[attr-defined]
        return action

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the arguments. Unlike argparse, report an option that looks like one of this command."""
        parsed, unknown = super().parse_known_args(args, namespace)
        for word in unknown:
            if word.startswith("--") and (question := did_you_mean(word, self._option_string_actions)):
                self.error(f"unknown option {word}.{question}")
        return parsed, unknown

    def _check_value(self, action: Action, value: Any) -> None:
        """Like argparse (the method has no public name), with a question after a typing error."""
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            question = did_you_mean(str(value), known)
            raise ArgumentError(action, f"{value} is not available.{question} Choose from: {', '.join(known)}.")


# --- Commands --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SubCommand:
    """A subcommand of ``esr``.

    ``help`` is its one-line description. ``more`` is the text below the options in ``--help``. ``run`` returns the
    exit code and raises ``UsageError`` and ``PlatformFailure``.
    """

    name: str
    help: str
    more: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, Screen], int]

    def add_to(self, parser: ArgumentParser) -> None:
        """Add the arguments of this command and the options that all commands share."""
        self.arguments(parser)
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")


# --- Output files ----------------------------------------------------------------------------------------------------


@contextmanager
def records_file(path: Path | None) -> Iterator[IO[str] | None]:
    """Open ``path`` for writing one record per line. Raises ``UsageError`` if it cannot be written."""
    if path is None:
        yield None
        return
    try:
        stream = path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {error.strerror}.") from error
    with stream:
        yield stream


def write_record(stream: IO[str] | None, played: SeriesGame) -> None:
    """Write the record of one game and flush the file."""
    if stream is not None:
        stream.write(to_json(played.report.record) + "\n")
        stream.flush()


def logs_folder(path: Path | None) -> Path | None:
    """Create the folder ``path`` if it does not exist. Raises ``UsageError`` if that fails."""
    if path is not None:
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"Cannot create the folder {path}: {error.strerror}. Choose another folder.") from error
    return path


def write_logs(folder: Path | None, played: SeriesGame) -> list[Path]:
    """Write the record and the bot log of every seat; return the paths in this order.

    The files are named like ``GAME-3-game0.record.json`` and ``GAME-3-game0.seat0.log.json``.
    """
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


# --- Warnings --------------------------------------------------------------------------------------------------------

NEAR: Final = {
    "startup_ms": "the start needed",
    "move_ms": "one decision needed",
    "bank_ms": "one seat used",
    "game_ms": "one seat used",
}
"""Beginnings of the warnings about limits, by the keys of ``bots.validation.LIMITS``."""


def near_lines(shares: Mapping[str, float]) -> Iterator[str]:
    """Yield one warning per limit of which a bot needed the given share."""
    of = {"move_ms": "move_ms and the time bank"}
    for limit, share in shares.items():
        yield (
            f"warning: {NEAR[limit]} {100 * share:.0f}% of {of.get(limit, limit)}. On a slower or busier server, the"
            " bot could be too slow."
        )


# --- Tables ----------------------------------------------------------------------------------------------------------

STDERR_LINES = 20
"""Number of lines from the end of a bot's stderr that are shown per game."""


_UNBOUNDED: Final = 10_000
"""Width of an output that is not a terminal, in characters."""

_NUMBER: Final = re.compile(r"\W*\d[\d\W]*")
_NAME_WIDTH: Final = 8
_PADDING: Final = (0, 1, 0, 0)


def table_of(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[str] = (), **about: Any
) -> Table:
    """Build a table. A narrow terminal folds words, but no number and no heading; then it wraps the rows.

    ``numbers`` are the headings of right-aligned columns. ``about`` are further arguments of ``rich.table.Table``.
    """
    table = Table(
        box=SIMPLE_HEAD, show_edge=False, padding=_PADDING, title_justify="left", caption_justify="left", **about
    )
    for heading, *cells in zip(headings, *rows, strict=True):
        if heading in numbers:
            table.add_column(heading, justify="right", no_wrap=True, min_width=max(map(len, (heading, *cells))))
        else:
            words = [word for cell in cells for word in cell.split()]
            whole = [len(word) if _NUMBER.fullmatch(word) else min(len(word), _NAME_WIDTH) for word in words]
            table.add_column(heading, overflow="fold", min_width=max(*map(len, heading.split()), *whole, 1))
    for row in rows:
        table.add_row(*(Text("\n".join(map(escaped, cell.split("\n")))) for cell in row))
    return table


def result_table(tallies: Tallies, title: str) -> Table:
    """Build the result table of a series. Means have 95% confidence intervals, except those of equal scores."""
    ranked = tallies.ranked()
    names = list(ranked[0].scores) if ranked else []
    caption = "± and (from-to): 95% confidence intervals. ms: mean decision time."
    scores = [name.capitalize() for name in names]
    numbers = ("Games", "Mean rank", "Wins %", *scores, "Strikes", "Forfeits", "ms")
    rows = [tuple(_cells(tally, names)) for tally in ranked]
    return table_of(("Bot", *numbers), rows, numbers, title=title, caption=caption)


def _cells(tally: Tally, names: list[str]) -> Iterator[str]:
    share, low, high = tally.win_share
    yield tally.label
    yield str(tally.games)
    rank = tally.mean_rank
    yield f"{rank.value:.2f}" + ("" if rank.low is None else f" ({rank.low:.2f}-{rank.high:.2f})")
    yield f"{100 * share:.0f} ({100 * low:.0f}-{100 * high:.0f})"
    for name in names:
        yield _around(tally.mean_scores[name])
    yield str(tally.strikes)
    yield str(tally.forfeits)
    yield "-" if tally.decision_ms is None else f"{tally.decision_ms:.2f}"


def _around(mean: Mean) -> str:
    return f"{mean.value:.0f}" if mean.margin is None else f"{mean.value:.0f} ± {mean.margin:.0f}"


def incidents(played: SeriesGame, shown: dict[tuple[str, str], int]) -> Iterator[str]:
    """Yield one line per strike, forfeit and stderr line of a game, with control characters escaped.

    ``shown`` has the game of each stderr that was shown for a bot, and gets those of this game. An equal one is not
    shown again.
    """
    forfeits = {forfeit.seat: forfeit for forfeit in played.report.forfeits}
    for seat, report in enumerate(played.report.seats):
        where = f"game {played.number}, seat {seat}, {report.label}"
        for strike in report.strikes:
            answer = f" (answer: {strike.answer})" if strike.answer else ""
            yield f"{where}: strike at decision {strike.id}: {strike.reason}: {strike.detail}{answer}"
        if forfeit := forfeits.get(seat):
            yield f"{where}: forfeit: {forfeit.reason}: {forfeit.evidence}"
        lines = report.stderr_tail.splitlines()
        first = shown.setdefault((report.label, report.stderr_tail), played.number)
        if lines and first != played.number:
            yield f"{where}: stderr: the same as in game {first}"
            continue
        if len(lines) > STDERR_LINES:
            yield f"{where}: stderr: ({len(lines) - STDERR_LINES} earlier lines not shown)"
        for line in lines[-STDERR_LINES:]:
            yield f"{where}: stderr: {escaped(line)}"
