"""The ledger of a ladder: what counts, in order, appended and chained by hashes. It never holds a rating.

How the hashes are made is in ``ladder.ratings.chain``, which needs no database.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser

from games.base import Document
from ladder.models import Ladder, LedgerEntry, Match, Result, Season, Seat
from ladder.ratings.chain import canonical, chained


class NoSeason(RuntimeError):
    """The ladder has no open season, so nothing can count."""


def append(
    ladder: Ladder,
    kind: LedgerEntry.Kind,
    document: Document,
    *,
    result: Result | None = None,
    author: AbstractBaseUser | None = None,
) -> LedgerEntry:
    """The next entry of the ledger of ``ladder``, whose row the caller's transaction holds. Raises ``NoSeason``."""
    season = Season.objects.filter(ladder=ladder, closed=None).first()
    if season is None:
        raise NoSeason(f"{ladder} has no open season")
    hashed = chained(ladder.slug, ladder.next_ledger, kind.value, document, ladder.ledger_head)
    entry = LedgerEntry.objects.create(
        ladder=ladder,
        season=season,
        number=ladder.next_ledger,
        kind=kind,
        result=result,
        document=document,
        hash=hashed,
        author_id=None if author is None else author.pk,
    )
    ladder.next_ledger, ladder.ledger_head = ladder.next_ledger + 1, hashed
    ladder.save(update_fields=["next_ledger", "ledger_head"])
    return entry


def result_document(match: Match, seats: Sequence[Seat], record: Document) -> Document:
    """What is said of a result: whose it is, which deal, what came out, and the hash of the record.

    ``match`` comes with its block, series and season, ``seats`` in seat order with their versions. The record holds the
    secret seed, so its hash gives nothing away.
    """
    outcome = record["outcome"]
    return {
        "match": match.pk,
        "block": _block(match),
        "seating": match.seating,
        "entries": [seat.entry_id for seat in seats],
        "versions": [seat.version.digest for seat in seats],
        "ranks": outcome["ranks"],
        "forfeits": {str(index): one["forfeit"] for index, one in enumerate(outcome["scores"]) if "forfeit" in one},
        "record": sha256(canonical(record)).hexdigest(),
    }


def _block(match: Match) -> list[Any] | None:
    series = match.block.series
    return None if series is None else [series.name, series.season.number, match.block.number]
