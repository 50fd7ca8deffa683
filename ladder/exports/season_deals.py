"""All deals of a season as a public document.

``season-deals/1`` is a JSON lines format. The first line describes the season::

    {"format": "season-deals/1", "ladder": "edel-stein-reich-4", "season": 1, "opened": "2026-11-21T18:00:00+00:00",
     "closed": null, "series": [{"name": "edel-stein-reich-4", "key_hash": …, "key": null, "deals": 812}, …]}

Every other line is a deal. Deals are sorted by series and number, which runs from 1 to ``deals`` without gaps::

    {"name": "edel-stein-reich-4", "season": 1, "number": 1, "commitment": …, "seed": null, "matches": [17, …]}

``seed`` is null until the last match with the deal has ended, and ``key`` until it is published. Both are hexadecimal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

from games.rules import Document
from ladder.models import Block, DealSeries, Match, Season

FORMAT: Final = "season-deals/1"
_DEALS_PER_PIECE: Final = 500


def lines(season: Season) -> Iterator[str]:
    """Yield the document of ``season`` line by line. Reads the database in batches."""
    series = list(DealSeries.objects.filter(season=season).select_related("season__ladder").order_by("kind"))
    yield _line(_head(season, series))
    for deal_series in series:
        for deal in _deals(deal_series):
            yield _line(deal)


def pieces(season: Season) -> Iterator[bytes]:
    """Yield the document in pieces of some hundred lines, encoded for a response."""
    following = lines(season)
    while piece := "".join(islice(following, _DEALS_PER_PIECE)):
        yield piece.encode("ascii")


def _head(season: Season, series: list[DealSeries]) -> Document:
    return {
        "format": FORMAT,
        "ladder": season.ladder.slug,
        "season": season.number,
        "opened": season.opened.isoformat(),
        "closed": season.closed and season.closed.isoformat(),
        "series": [
            {
                "name": deal_series.name,
                "key_hash": deal_series.key_hash,
                "key": deal_series.public_key,
                "deals": deal_series.deals,
            }
            for deal_series in series
        ],
    }


def _deals(series: DealSeries) -> Iterator[Document]:
    """Yield the deals that the first line counts. Newer deals are left out."""
    last = 0
    while last < series.deals:
        blocks = list(_piece(series, last))
        if not blocks:
            return
        matches = _matches(blocks)
        for block in blocks:
            yield _deal(series, block, matches.get(block.pk, []))
        last = blocks[-1].number or 0


def _piece(series: DealSeries, after: int) -> Iterator[Block]:
    blocks = Block.objects.filter(series=series, number__gt=after, number__lt=series.next_number)
    yield from blocks.order_by("number")[:_DEALS_PER_PIECE]


def _matches(blocks: list[Block]) -> dict[int, list[int]]:
    rows = Match.objects.filter(block__in=[block.pk for block in blocks]).order_by("block", "seating")
    by_block = groupby(rows.values_list("block", "pk"), key=itemgetter(0))
    return {block: [pk for _, pk in pairs] for block, pairs in by_block}


def _deal(series: DealSeries, block: Block, matches: list[int]) -> Document:
    return {
        "name": series.name,
        "season": series.season.number,
        "number": block.number,
        "commitment": block.commitment,
        "seed": block.public_seed,
        "matches": matches,
    }


def _line(document: Any) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"
