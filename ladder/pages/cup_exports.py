"""The ledger of a cup as JSON, and its standings and results as CSV files (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import condition, require_safe

from bots.tournaments.ledger import START
from bots.tournaments.seatings import seatings
from esr_platform.downloads import streamed
from ladder.access import cup_seen_by
from ladder.cups.ledger import ledger_pieces
from ladder.cups.results import CupResults, blocks_of
from ladder.models import Cup, CupEntry, CupLedgerEntry
from ladder.pages.components import responses
from ladder.pages.components.responses import unlisted
from ladder.pages.ladder_csv import csv_flag, csv_owner, csv_text

# Columns have the names and values that they have in the API and in exported Parquet files.
# ``docs/reference/csv-files.md`` describes them.
STANDINGS: Final = (
    *("rank", "number", "bot", "name", "owner", "version", "state"),
    *("match_points", "direct", "share", "opponents", "byes"),
)
RESULTS: Final = (
    *("round", "table", "block", "match", "status", "seating"),
    *("seat", "number", "bot", "name", "owner", "version", "rank", "left"),
)

ROUNDS_AT_ONCE: Final = 10

PIECE: Final = 1 << 16
"""About how many characters of a file are sent at once."""


# --- Rows ------------------------------------------------------------------------------------------------------------


def _named(entry: CupEntry) -> list[Any]:
    """Number, slug, name, owner and version of an entrant."""
    bot = entry.bot
    version = entry.version.number if entry.version else ""
    return [(entry.number or 0) + 1, bot.slug, csv_text(bot.name), csv_owner(bot), version]


def standings_rows(cup: Cup) -> Iterator[Sequence[Any]]:
    """The standings after the rounds that have ended, best first; without rounds, there are none."""
    results = CupResults(cup)
    for row in results.standings:
        entry = results.entrants[row.entrant]
        share, opponents = f"{float(row.share):.6f}", f"{float(row.opponents):.6f}"
        yield [row.rank, *_named(entry), entry.state, row.match_points, row.direct, share, opponents, row.byes]


def results_rows(cup: Cup) -> Iterator[Sequence[Any]]:
    """A row for each seat of each game of the rounds that have ended, by round, table, block and seating.

    ``left`` marks an entrant who had left the cup: it ranks last, and a house bot may have played for it.
    Two queries per ``ROUNDS_AT_ONCE``.
    """
    results = CupResults(cup)
    orders = seatings(cup.ladder.seats)
    rounds = results.rounds[: len(results.played)]
    for first in range(0, len(rounds), ROUNDS_AT_ONCE):
        tables = [(one.number, table) for one in rounds[first : first + ROUNDS_AT_ONCE] for table in one.tables]
        blocks = blocks_of([table for _round, table in tables])
        for round_, table in tables:
            for number, block in enumerate(blocks[table.pk], 1):
                for seating, (order, game) in enumerate(zip(orders, block["games"], strict=True)):
                    where = [round_, table.index + 1, number, game["match"], game["status"], seating]
                    ranks = game["ranks"] or [""] * len(order)
                    for seat, (place, rank) in enumerate(zip(order, ranks, strict=True)):
                        entry = results.entrants[table.entrants[place]]
                        yield [*where, seat, *_named(entry), rank, csv_flag(place in table.gone)]


# --- Views -----------------------------------------------------------------------------------------------------------


def _etag(request: HttpRequest, slug: str) -> str:
    """A tag of the whole document: it changes with an entry, a removed reason, and when the key becomes public."""
    cup = cup_seen_by(request.user, slug)
    entries = CupLedgerEntry.objects.filter(cup=cup)
    last = entries.order_by("-number").values_list("hash", flat=True).first()
    reasons = entries.filter(reason__isnull=False).count()
    return f'"{cup.slug}-{last or START}-{reasons}-{"open" if cup.public_key else "closed"}"'


@require_safe
@responses.of_long_files
@condition(etag_func=_etag)
def ledger(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Download the ledger of a cup, and its key once it is public. Anyone can verify the cup with it."""
    cup = cup_seen_by(request.user, slug)
    pieces = ledger_pieces(cup)
    return unlisted(streamed(request, f"{cup.slug}-ledger.json", pieces, "application/json"), cup)


@require_safe
@responses.of_long_files
def standings(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Download the standings of a cup as CSV."""
    cup = cup_seen_by(request.user, slug)
    return unlisted(_file(request, f"{cup.slug}-standings.csv", STANDINGS, standings_rows(cup)), cup)


@require_safe
@responses.of_long_files
def results(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Download all games of the rounds that have ended as CSV."""
    cup = cup_seen_by(request.user, slug)
    return unlisted(_file(request, f"{cup.slug}-results.csv", RESULTS, results_rows(cup)), cup)


def _file(request: HttpRequest, name: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponseBase:
    return streamed(request, name, _lines(columns, rows), "text/csv; charset=utf-8")


def _lines(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
        if buffer.tell() > PIECE:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()
