"""A ladder's table as a file for spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import Final

from bots.models import Bot
from ladder.matches.candidates import playing_versions
from ladder.members.standings import table
from ladder.models import Ladder
from ladder.pages.words import points

COLUMNS: Final = (
    *("rank", "bot", "address", "owner", "version", "plays"),
    *("rating", "games", "first_places", "provisional"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def table_file(ladder: Ladder) -> str:
    """The whole table of ``ladder`` as CSV (RFC 4180), the best first; ``first_places`` is a share of 0 to 1.

    ``version`` is the one that plays, or the frozen one. What a spreadsheet would take for a formula begins with an
    apostrophe.
    """
    standings = table(ladder)
    versions = playing_versions([standing.entry for standing in standings])
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for standing in standings:
        entry, version = standing.entry, versions.get(standing.entry.bot_id)
        writer.writerow(
            [
                standing.rank,
                _text(entry.bot.name),
                entry.bot.slug,
                _text(entry.bot.owner.username) if entry.bot.owner else "",
                version.number if version and entry.bot.kind != Bot.Kind.PERSON else "",
                "yes" if entry.active else "no",
                points(entry.rating, 3),
                entry.games,
                "" if entry.win_share is None else f"{entry.win_share:.4f}",
                "yes" if standing.provisional else "no",
            ]
        )
    return buffer.getvalue()


def _text(words: str) -> str:
    """Words of a stranger that no spreadsheet computes."""
    return f"'{words}" if words.startswith(_FORMULA) else words
