"""The ledger of a cup as JSON, and its standings and results as CSV files (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import condition, require_safe

from bots.tournaments.ledger import START
from bots.tournaments.seatings import seatings
from games.rules import Document
from ladder.access import cup_seen_by
from ladder.cups import proof
from ladder.cups.progress import played, standings_of
from ladder.models import Cup, CupEntry, CupLedgerEntry
from ladder.pages.components import responses
from ladder.pages.components.responses import unlisted
from ladder.pages.ladder_csv import csv_flag, csv_owner, csv_text

Kind = CupLedgerEntry.Kind

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

PIECE: Final = 1 << 16
"""About how many characters of a file are sent at once."""


# --- Rows ------------------------------------------------------------------------------------------------------------


def _entries(cup: Cup) -> dict[int, CupEntry]:
    entries = CupEntry.objects.filter(cup=cup, number__isnull=False).select_related("bot__owner", "version")
    return {entry.number: entry for entry in entries if entry.number is not None}


def _named(entry: CupEntry) -> list[Any]:
    """Number, slug, name, owner and version of an entrant."""
    bot = entry.bot
    version = entry.version.number if entry.version else ""
    return [(entry.number or 0) + 1, bot.slug, csv_text(bot.name), csv_owner(bot), version]


def standings_rows(cup: Cup) -> Iterator[Sequence[Any]]:
    """The standings after the rounds that have ended, best first; without rounds, there are none."""
    rounds = played(cup)
    if not rounds:
        return
    entries = _entries(cup)
    for row in standings_of(cup, rounds):
        entry = entries[row.entrant]
        share, opponents = f"{float(row.share):.6f}", f"{float(row.opponents):.6f}"
        yield [row.rank, *_named(entry), entry.state, row.match_points, row.direct, share, opponents, row.byes]


def results_rows(cup: Cup) -> Iterator[Sequence[Any]]:
    """A row for each seat of each game of the rounds that have ended, in the order of the ledger.

    ``left`` marks an entrant who had left the cup: it ranks last, and a house bot may have played for it.
    """
    entries = _entries(cup)
    tables: Sequence[Sequence[int]] = ()
    for row in chain.from_iterable(proof.batches(cup, (Kind.ROUND, Kind.RESULTS))):
        kind, document = row["kind"], row["document"]
        if kind == Kind.ROUND:
            tables = document["tables"]
        elif kind == Kind.RESULTS:
            for index, table in enumerate(tables):
                yield from _table_rows(document, index, table, entries)


def _table_rows(
    document: Document, index: int, table: Sequence[int], entries: Mapping[int, CupEntry]
) -> Iterator[Sequence[Any]]:
    orders, gone = seatings(len(table)), document["gone"][index]
    for number, block in enumerate(document["blocks"][index], 1):
        for seating, (order, game) in enumerate(zip(orders, block["games"], strict=True)):
            where = [document["round"], index + 1, number, game["match"], game["status"], seating]
            ranks = game["ranks"] or [""] * len(table)
            for seat, (place, rank) in enumerate(zip(order, ranks, strict=True)):
                yield [*where, seat, *_named(entries[table[place]]), rank, csv_flag(place in gone)]


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
    pieces = proof.ledger_pieces(cup)
    return unlisted(responses.streamed(request, f"{cup.slug}-ledger.json", pieces, "application/json"), cup)


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
    return responses.streamed(request, name, _lines(columns, rows), "text/csv; charset=utf-8")


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
