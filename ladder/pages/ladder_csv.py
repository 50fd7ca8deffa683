"""The standings of a ladder as a CSV file (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from bots.models import Bot
from bots.names import BotName, owner_name
from esr_platform.downloads import attachment
from ladder.access import ladder_seen_by
from ladder.members.standings import StandingsRow, standings_of
from ladder.models import Ladder
from ladder.pages.components import responses
from ladder.pages.components.words import points

COLUMNS: Final[Mapping[str, Callable[[StandingsRow], object]]] = {
    "rank": lambda row: row.rank,
    "bot": lambda row: row.bot.slug,
    "name": lambda row: csv_text(row.bot.name),
    "owner": lambda row: csv_owner(row.bot),
    "version": lambda row: row.version or "",
    "rating": lambda row: points(row.rating, 3),
    "games": lambda row: row.games,
    "wins": lambda row: row.wins,
    "active": lambda row: csv_flag(row.active),
    "provisional": lambda row: csv_flag(row.provisional),
}
"""The columns by their names. A value that the API also returns has the same name there.

``docs/reference/csv-files.md`` describes them.
"""

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def standings_file(ladder: Ladder) -> str:
    """The standings of ``ladder`` as CSV (RFC 4180), best first."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    writer.writerows([value(row) for value in COLUMNS.values()] for row in standings_of(ladder))
    return buffer.getvalue()


def csv_text(words: str) -> str:
    """Text from users, with an apostrophe before what a spreadsheet would take for a formula."""
    return f"'{words}" if words.startswith(_FORMULA) else words


def csv_owner(bot: Bot | BotName) -> str:
    """The owner's username, empty for house bots, guests and deleted accounts."""
    return csv_text(owner_name(bot) or "")


def csv_flag(value: bool) -> str:
    """A boolean as readers of CSV files recognize it."""
    return "true" if value else "false"


@require_safe
@responses.of_long_files
def standings(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the standings of a ladder as CSV."""
    ladder = ladder_seen_by(request.user, slug)
    return attachment(f"{ladder.slug}-standings.csv", standings_file(ladder), "text/csv; charset=utf-8")
