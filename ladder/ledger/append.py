"""The ledger of a ladder: what counts, in order, appended and chained by hashes. It never contains a rating.

How the hashes are made is in ``ladder.ratings.chain``, which needs no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from operator import itemgetter
from typing import Any, Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction

from games.rules import Document
from ladder.models import ChainMark, Ladder, LedgerEntry, Match, Result, Season, Seat
from ladder.ratings.chain import canonical, chained
from ladder.ratings.documents import item
from ladder.ratings.rating import Rules
from ladder.ratings.replay import Game, Merge, parts


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
        "entries": [seat.membership_id for seat in seats],
        "versions": [seat.version.digest for seat in seats],
        "ranks": outcome["ranks"],
        "forfeits": {str(index): one["forfeit"] for index, one in enumerate(outcome["scores"]) if "forfeit" in one},
        "record": sha256(canonical(record)).hexdigest(),
    }


def _block(match: Match) -> list[Any] | None:
    series = match.block.series
    return None if series is None else [series.name, series.season.number, match.block.number]


# --- The rules of a ladder's results ---------------------------------------------------------------------------------

_LASTING = (LedgerEntry.Kind.MERGE, LedgerEntry.Kind.K)


def rules_of(ladder: Ladder) -> Rules:
    """The rules for the next result of ``ladder``, whose row the caller holds if they are to rate one. One query."""
    written = LedgerEntry.objects.filter(ladder=ladder, kind__in=_LASTING).order_by()  # an order would read all results
    items = (item(*row) for row in sorted(written.values_list("number", "kind", "document"), key=itemgetter(0)))
    return parts(one for one in items if not isinstance(one, Game))[-1].rules


def merged_on(ladders: Iterable[Ladder]) -> set[int]:
    """The entries on ``ladders`` whose results do not count for themselves, so that they play no more. One query."""
    last = {one.entry: one.into for one in _merges(ladders)}
    return {entry for entry, into in last.items() if into != entry}


def ever_merged_on(ladders: Iterable[Ladder]) -> set[int]:
    """The entries on ``ladders`` that are merged or once were: closed seasons keep what counted then. One query."""
    return {one.entry for one in _merges(ladders)}


def _merges(ladders: Iterable[Ladder]) -> list[Merge]:
    written = LedgerEntry.objects.filter(ladder__in=ladders, kind=LedgerEntry.Kind.MERGE).order_by()
    rows = sorted(written.values_list("number", "kind", "document"), key=itemgetter(0))
    return [one for one in (item(*row) for row in rows) if isinstance(one, Merge)]


# --- Consistent reads of several tables ------------------------------------------------------------------------------


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything that is read inside is as it was at one moment. Nothing can be written, and nobody has to wait.

    Inside another transaction, that one decides. SQLite's own transactions here begin by taking the lock of the only
    writer, so this one is begun by hand.
    """
    if connection.in_atomic_block:
        yield
    elif connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    else:
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")


# --- The hash chain, followed from where it was verified last --------------------------------------------------------
#
# A changed entry before that place is found by the next rebuild, which reads all of them (``ladder.ledger.rebuild``).

AT_ONCE: Final = 5000
"""Entries that are followed in one go at most."""


@dataclass(frozen=True)
class Link:
    """How far a chain holds: entry ``number`` has ``hash``. ``problem`` is what is wrong with the next, in words."""

    number: int
    hash: str
    problem: str = ""


def follow(ladder: Ladder, mark: ChainMark, most: int = AT_ONCE) -> Link:
    """Follow the chain from ``mark`` for at most so many entries; one query."""
    number, head = mark.number, mark.hash
    rows = LedgerEntry.objects.filter(ladder=ladder, number__gt=number).order_by("number")[:most]
    for found, kind, document, kept in rows.values_list("number", "kind", "document", "hash"):
        if found != number + 1:
            return Link(number, head, f"number {number + 1} is missing: {found} follows {number}")
        if kept != chained(ladder.slug, found, kind, document, head):
            return Link(number, head, f"the hash of number {found} is not that of its document and of number {number}")
        number, head = found, kept
    return Link(number, head)


def mark_of(ladder: Ladder) -> ChainMark:
    """Where the chain of ``ladder`` was checked last; at its beginning for one that never was."""
    return ChainMark.objects.filter(ladder=ladder).first() or ChainMark(ladder=ladder)


def go_on(ladder: Ladder) -> ChainMark:
    """Follow the chain of ``ladder`` a good way further and keep how far it holds."""
    mark = mark_of(ladder)
    link = follow(ladder, mark)
    kept, _ = ChainMark.objects.update_or_create(
        ladder=ladder, defaults={"number": link.number, "hash": link.hash, "problem": link.problem}
    )
    return kept
