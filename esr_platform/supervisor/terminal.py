"""Terminal output of the supervisor: process output, progress and standings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from django.conf import settings
from django.db import connection
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from esr_platform.disconnects import DISCONNECTED
from esr_platform.logging import json_times
from ladder.members import standings
from ladder.models import Ladder, Match
from ladder.ratings.elo import points

# --- Ladders ---------------------------------------------------------------------------------------------------------

HEADINGS = ("", "Bot", "Rating", "Games", "Win share")


def finished_matches() -> int | None:
    """Number of finished matches of all ladders, or ``None`` if the database is unavailable."""
    try:
        return Match.objects.filter(status=Match.Status.FINISHED).count()
    except DISCONNECTED:
        connection.close()
        return None


def show_tables(terminal: Terminal) -> None:
    """Print the standings of every ladder. Live ladders without finished matches are omitted."""
    for ladder in Ladder.objects.order_by("pk"):
        count = Match.objects.filter(ladder=ladder, status=Match.Status.FINISHED).count()
        if ladder.live and not count:
            continue
        terminal.table(
            f"{ladder.name} · {count} finished {'match' if count == 1 else 'matches'}", HEADINGS, _rows(ladder)
        )


def _rows(ladder: Ladder) -> Iterator[tuple[str, ...]]:
    for row in standings.standings_of(ladder):
        share = "" if row.win_rate is None else f"{row.win_rate:.0%}"
        yield str(row.rank), row.bot.name, f"{points(row.rating):.0f}", str(row.games), share


# --- Output ----------------------------------------------------------------------------------------------------------

LOG_FILE_WIDTH = 100
PLAIN_STEPS = 12
"""Number of progress lines if the output is not a terminal."""


class ShowsProgress(Protocol):
    """Called with the current number of finished matches."""

    def __call__(self, done: int) -> None: ...


class Terminal:
    """Standard output, with colors and progress bars on a terminal and plain lines elsewhere."""

    def __init__(self, console: Console | None = None) -> None:
        chosen = console or Console(highlight=False)
        self.console = (
            chosen if chosen.is_terminal else Console(highlight=False, file=chosen.file, width=LOG_FILE_WIDTH)
        )

    def say(self, text: str, level: str = "info") -> None:
        """Print one line of the supervisor. ``level`` is only for logs in JSON."""
        if settings.LOG_FORMAT == "json":
            self.pass_on("run", text, level)
            return
        self.console.print(Text(text), soft_wrap=True)

    def pass_on(self, name: str, line: str, level: str = "info") -> None:
        """Print one output line of the process ``name``. For logs in JSON, every line is a JSON object."""
        if settings.LOG_FORMAT == "json":
            self._log(name, line, level)
            return
        told = line if level == "info" else f"{level}: {line}"
        self.console.print(Text.assemble((f"{name:>7} │ ", "dim"), Text.from_ansi(told)), soft_wrap=True)

    def _log(self, name: str, line: str, level: str = "info", **values: object) -> None:
        """Print ``line`` as a JSON object with ``values``, unless it already is one."""
        plain = json_times(None, level, {"event": line, "logger": name, "level": level, **values})
        self.console.print(Text(line if line.startswith("{") else json.dumps(plain)), soft_wrap=True)

    @contextmanager
    def progress(self, total: int, done: int) -> Iterator[ShowsProgress]:
        """Show the number of finished matches out of ``total``, starting with ``done``."""
        if not self.console.is_terminal:
            yield _PlainProgress(self, total, done)
            return
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.console) as bar:
            task = bar.add_task("Matches", total=total, completed=min(done, total))
            yield lambda done: bar.update(task, completed=min(done, total))

    def table(self, title: str, headings: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        """Print a table with a title. The second column is a name; all others are numbers.

        A column without a heading contains ranks. In a JSON log, the table is one object, and its ``rows`` have the
        headings as keys, for example ``win_share``.
        """
        if settings.LOG_FORMAT == "json":
            keys = [heading.lower().replace(" ", "_") or "rank" for heading in headings]
            self._log("run", title, rows=[dict(zip(keys, row, strict=True)) for row in rows])
            return
        table = Table(show_edge=False)
        for index, heading in enumerate(headings):
            table.add_column(heading, justify="left" if index == 1 else "right", no_wrap=True)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self.console.print()
        self.console.print(Text(title, style="bold"), soft_wrap=True)
        self.console.print(table)


class _PlainProgress:
    def __init__(self, terminal: Terminal, total: int, done: int) -> None:
        self._terminal, self._total, self._step = terminal, total, max(1, total // PLAIN_STEPS)
        self._next = 0
        self(done)

    def __call__(self, done: int) -> None:
        if done >= min(self._next, self._total):
            self._terminal.say(f"Matches: {min(done, self._total)} of {self._total}")
            self._next = done + self._step
