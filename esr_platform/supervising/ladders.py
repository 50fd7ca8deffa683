"""What the supervisor shows of the ladders: how many matches are finished, and the tables. Only reads."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import InterfaceError, OperationalError, connection

from esr_platform.supervising.showing import Terminal
from ladder.members import standings
from ladder.models import Ladder, Match

HEADINGS = ("", "bot", "rating", "games", "win share")


def finished_matches() -> int | None:
    """How many matches have a result, over all ladders; ``None`` while the database is out of reach."""
    try:
        return Match.objects.filter(status=Match.Status.FINISHED).count()
    except (OperationalError, InterfaceError):
        connection.close()
        return None


def show_tables(terminal: Terminal) -> None:
    """Print the table of every ladder under its name and its number of finished matches; of live ones if any is."""
    for ladder in Ladder.objects.order_by("pk"):
        count = Match.objects.filter(ladder=ladder, status=Match.Status.FINISHED).count()
        if ladder.live and not count:
            continue
        terminal.table(f"{ladder.name} · {count} finished matches", HEADINGS, _rows(ladder))


def _rows(ladder: Ladder) -> Iterator[tuple[str, ...]]:
    for standing in standings.table(ladder):
        entry = standing.entry
        share = "" if entry.win_share is None else f"{entry.win_share:.0%}"
        yield str(standing.rank), entry.bot.name, f"{entry.points:.0f}", str(entry.games), share
