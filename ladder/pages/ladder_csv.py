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

COLUMNS: Final = (
    *("rank", "bot", "address", "owner", "version", "plays"),
    *("rating", "games", "first_places", "provisional"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def table_file(ladder: Ladder) -> str:
    """The standings of ``ladder`` as CSV (RFC 4180), best first; ``first_places`` is a share from 0 to 1.

    ``version`` is the one that plays, or the frozen one. What a spreadsheet would take for a formula begins with an
    apostrophe.
    """
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
                csv_text(membership.bot.name),
                membership.bot.slug,
                csv_text(membership.bot.owner.username) if membership.bot.owner else "",
                version.number if version and membership.bot.kind != Bot.Kind.PERSON else "",
                "yes" if membership.active else "no",
                points(membership.rating, 3),
                membership.games,
                "" if membership.win_share is None else f"{membership.win_share:.4f}",
                "yes" if standing.provisional else "no",
            ]
        )
    return buffer.getvalue()


def csv_text(words: str) -> str:
    """Text from users, escaped so that spreadsheets do not evaluate it."""
    return f"'{words}" if words.startswith(_FORMULA) else words


@require_safe
@responses.of_long_files
def download_table(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the standings of a ladder as CSV."""
    ladder = ladder_seen_by(request.user, slug)
    headers = {"Content-Disposition": f'attachment; filename="{ladder.slug}.csv"'}
    return HttpResponse(table_file(ladder), content_type="text/csv; charset=utf-8", headers=headers)
