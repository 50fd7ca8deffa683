"""The ledger and the games of a ladder as JSON lines."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, Final

import orjson
from django.db.models import F, Q, QuerySet, Subquery
from django.db.models.functions import Now

from ladder.models import Block, Ladder, LedgerEntry, Result, Seat
from ladder.openness import opened
from ladder.packing import unpack
from ladder.ratings.chain import GENESIS, line
from ladder.ratings.elo import points

# --- Ledger ----------------------------------------------------------------------------------------------------------

ENTRIES_AT_ONCE: Final = 1000


def ledger_pieces(ladder: Ladder) -> Iterator[bytes]:
    """Yield the lines of all current entries in batches. Makes one query per batch."""
    number, head, last = 0, GENESIS, ladder.next_ledger - 1
    while number < last:
        rows = LedgerEntry.objects.filter(ladder=ladder, number__gt=number, number__lte=last).order_by("number")
        lines = []
        for number, kind, document, hashed in rows.values_list("number", "kind", "document", "hash")[:ENTRIES_AT_ONCE]:
            lines.append(line(ladder.slug, number, kind, document, head, hashed))
            head = hashed
        if not lines:
            return
        yield b"".join(lines)


# --- Games -----------------------------------------------------------------------------------------------------------
#
# Lines never move, so that a client can resume after its last line without missing a game. Therefore a game is included
# only ``SETTLED`` after its deal opened: by then, no running transaction can insert a game before it.

GAMES_AT_ONCE: Final = 100
"""Number of games that are read and compressed together."""

SETTLED: Final = timedelta(seconds=60)
_BOT: Final = "version__bot__"
_SEAT: Final = (
    *("match", f"{_BOT}slug", f"{_BOT}name", "version__number", "version__label", "version__digest"),
    *("result__rank", "result__forfeit", "result__forfeit_at", "result__rating_before", "result__rating_after"),
)


def is_in_file(ladder: Ladder, match_id: int) -> bool:
    """Return whether the file of ``ladder`` contains this match, so that a client can resume after it."""
    return _in_file(ladder).filter(match=match_id).exists()


def game_pieces(ladder: Ladder, after: int | None, most: int, may_continue: Callable[[], bool]) -> Iterator[bytes]:
    """Yield up to ``most`` games after the match ``after``, compressed. Makes three queries per piece.

    Each piece is a complete gzip file, and so is their concatenation. Without games, one empty file is returned.
    ``may_continue`` is called before each further piece; the file ends if it returns false.
    """
    first = True
    while most > 0 and (first or may_continue()):
        results = list(_following(ladder, after)[: min(most, GAMES_AT_ONCE)])
        if not results and not first:
            return
        yield gzip.compress(b"".join(_lines(ladder, results)), 6, mtime=0)
        if len(results) < GAMES_AT_ONCE:
            return
        first, most, after = False, most - len(results), results[-1].match_id


def _in_file(ladder: Ladder) -> QuerySet[Result]:
    of_ladder = Result.objects.filter(opened("match__block"), match__block__ladder=ladder)
    return of_ladder.filter(match__block__ended__lte=Now() - SETTLED)


def _following(ladder: Ladder, after: int | None) -> QuerySet[Result]:
    results = _in_file(ladder)
    if after is not None:  # compare in the database: SQLite compares times as strings of different precision
        place = Subquery(Block.objects.filter(matches=after).values("ended")[:1])
        same = Q(match__block__ended=place, match__gt=after)
        results = results.filter(Q(match__block__ended__gt=place) | same)
    return results.select_related("match__block__series__season").order_by("match__block__ended", "match_id")


def _lines(ladder: Ladder, results: Iterable[Result]) -> Iterator[bytes]:
    by_match = {result.match_id: result for result in results}
    seats: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in Seat.objects.filter(match__in=by_match).order_by("match_id", "index").values(*_SEAT):
        seats[row["match"]].append(_player(row))
    ledger: defaultdict[int, dict[str, int]] = defaultdict(dict)
    entries = LedgerEntry.objects.filter(result__match__in=by_match).annotate(match=F("result__match"))
    for match_id, kind, number in entries.values_list("match", "kind", "number"):
        ledger[match_id][kind] = number
    for match_id, result in by_match.items():
        yield orjson.dumps(_document(ladder, result, seats[match_id], ledger[match_id]), option=_WRITTEN)


_WRITTEN: Final = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


def _document(
    ladder: Ladder, result: Result, players: list[dict[str, Any]], ledger: Mapping[str, int]
) -> dict[str, Any]:
    match = result.match
    return {
        "match": match.pk,
        "ladder": ladder.slug,
        "purpose": match.block.purpose,
        "rated": match.block.rated,
        **_deal(match.block),
        "seating": match.seating,
        "started": match.started,
        "ended": match.ended,
        "ledger": {"result": ledger.get("result"), "void": ledger.get("void")},
        "players": players,
        "record": unpack(bytes(result.packed_record)),
    }


def _deal(block: Block) -> dict[str, Any]:
    if block.series is None:
        return {"season": None, "deal": None}
    return {"season": block.series.season.number, "deal": {"series": block.series.name, "number": block.number}}


def _player(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "bot": row[f"{_BOT}slug"],
        "name": row[f"{_BOT}name"],
        "version": row["version__number"],
        "label": row["version__label"],
        "digest": row["version__digest"],
        "rank": row["result__rank"],
        "forfeit": row["result__forfeit"],
        "forfeit_at": row["result__forfeit_at"],
        "rating_before": points(row["result__rating_before"]),
        "rating_after": points(row["result__rating_after"]),
    }
