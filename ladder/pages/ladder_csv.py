"""The standings of a ladder as a CSV file (RFC 4180)."""

from __future__ import annotations

import csv
import io
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from bots.models import Bot
from ladder.access import ladder_seen_by
from ladder.matches.candidates import playing_versions
from ladder.members.standings import table
from ladder.models import Ladder
from ladder.pages.components import responses
from ladder.pages.components.words import points
from ladder.ratings.shares import WIN

# Columns have the names that they have in the API. ``docs/reference/csv-files.md`` describes them.
COLUMNS: Final = (
    *("rank", "bot", "name", "owner", "version"),
    *("rating", "games", "wins", "active", "provisional"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def table_file(ladder: Ladder) -> str:
    """The standings of ``ladder`` as CSV (RFC 4180), best first. The version is the one that plays, or is frozen."""
    standings = table(ladder)
    versions = playing_versions([standing.membership for standing in standings])
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for standing in standings:
        membership, version = standing.membership, versions.get(standing.membership.bot_id)
        writer.writerow(
            [
                standing.rank,
                membership.bot.slug,
                csv_text(membership.bot.name),
                csv_owner(membership.bot),
                version.number if version and membership.bot.kind != Bot.Kind.PERSON else "",
                points(membership.rating, 3),
                membership.games,
                round(membership.wins / WIN, 4),
                csv_flag(membership.active),
                csv_flag(standing.provisional),
            ]
        )
    return buffer.getvalue()


def csv_text(words: str) -> str:
    """Text from users, with an apostrophe before what a spreadsheet would take for a formula."""
    return f"'{words}" if words.startswith(_FORMULA) else words


def csv_owner(bot: Bot) -> str:
    """The owner's username, empty for house bots, guests and deleted accounts."""
    return csv_text(bot.owner.username) if bot.owner and not bot.owner.deleted else ""


def csv_flag(value: bool) -> str:
    """A boolean as readers of CSV files recognize it."""
    return "true" if value else "false"


@require_safe
@responses.of_long_files
def download_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the standings of a ladder as CSV."""
    ladder = ladder_seen_by(request.user, slug)
    headers = {"Content-Disposition": f'attachment; filename="{ladder.slug}.csv"'}
    return HttpResponse(table_file(ladder), content_type="text/csv; charset=utf-8", headers=headers)
