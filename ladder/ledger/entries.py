"""The ledger of a ladder: an append-only, hash-chained list of results, corrections and seasons, without ratings.

``ladder.ratings.chain`` computes the hashes without a database.
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

from bots.tournaments.ledger import canonical
from esr_platform.prepared import Prepared, PreparedInsert, PreparedUpdate
from games.rules import Document
from ladder.models import ChainMark, Ladder, LedgerEntry, Match, Result, Season, Seat
from ladder.ratings.chain import chained
from ladder.ratings.documents import item
from ladder.ratings.rating import RatingRules
from ladder.ratings.replay import Merge, RankedGame, parts


class NoSeason(RuntimeError):
    """The ladder has no open season, so no entry can be added."""


_OPEN_SEASON: Final = Prepared(
    lambda ladder: Season.objects.filter(ladder__pk=ladder, closed=None).order_by().values_list("pk", flat=True)
)
_INSERT: Final = PreparedInsert(LedgerEntry)
_UPDATE_END: Final = PreparedUpdate(Ladder, ["next_ledger", "ledger_head"])


def append(
    ladder: Ladder,
    kind: LedgerEntry.Kind,
    document: Document,
    *,
    result: Result | None = None,
    author: AbstractBaseUser | None = None,
) -> LedgerEntry:
    """Append an entry to the ledger of ``ladder``, whose row the caller has locked. Raises ``NoSeason``."""
    open_seasons = _OPEN_SEASON(ladder=ladder.pk)
    if not open_seasons:
        raise NoSeason(f"{ladder} has no open season")
    hashed = chained(ladder.slug, ladder.next_ledger, kind.value, document, ladder.ledger_head)
    entry = LedgerEntry(
        ladder=ladder,
        season_id=open_seasons[0],
        number=ladder.next_ledger,
        kind=kind,
        result=result,
        document=document,
        hash=hashed,
        author_id=None if author is None else author.pk,
    )
    _INSERT([entry])
    ladder.next_ledger, ladder.ledger_head = ladder.next_ledger + 1, hashed
    _UPDATE_END([ladder])
    return entry


def result_document(match: Match, seats: Sequence[Seat], record: Document) -> Document:
    """The ledger document of a result: members, deal, outcome, and the hash of the record.

    ``match`` needs its block, series and season, ``seats`` their versions, in seat order. The hash of the record
    reveals nothing, because the record contains the secret seed.
    """
    outcome = record["outcome"]
    return {
        "match": match.pk,
        "block": _block(match),
        "seating": match.seating,
        "entries": [seat.membership_id for seat in seats],
        "versions": [seat.version.digest for seat in seats],
        "ranks": outcome["ranks"],
        "forfeits": {
            str(index): score["forfeit"] for index, score in enumerate(outcome["scores"]) if "forfeit" in score
        },
        "record": sha256(canonical(record)).hexdigest(),
    }


def _block(match: Match) -> list[Any] | None:
    series = match.block.series
    return None if series is None else [series.name, series.season.number, match.block.number]


# --- The rules of a ladder's results ---------------------------------------------------------------------------------

_LASTING: Final = (LedgerEntry.Kind.MERGE, LedgerEntry.Kind.K)
_LASTING_ENTRIES: Final = Prepared(
    lambda ladder: (
        LedgerEntry.objects.filter(ladder__pk=ladder, kind__in=_LASTING)
        .order_by()  # an order would read all results
        .values_list("number", "kind", "document")
    )
)


def rating_rules_of(ladder: Ladder) -> RatingRules:
    """The rules for the next result of ``ladder``; lock its row to rate a result with them. One query."""
    items = (item(*row) for row in sorted(_LASTING_ENTRIES(ladder=ladder.pk), key=itemgetter(0)))
    return parts(entry for entry in items if not isinstance(entry, RankedGame))[-1].rules


def merged_on(ladders: Iterable[Ladder]) -> set[int]:
    """The members of ``ladders`` whose results do not count for themselves, so they do not play. One query."""
    last = {merge.entry: merge.into for merge in _merges(ladders)}
    return {entry for entry, into in last.items() if into != entry}


def ever_merged_on(ladders: Iterable[Ladder]) -> set[int]:
    """The members of ``ladders`` that are merged or once were, because closed seasons do not change. One query."""
    return {merge.entry for merge in _merges(ladders)}


def _merges(ladders: Iterable[Ladder]) -> list[Merge]:
    written = LedgerEntry.objects.filter(ladder__in=ladders, kind=LedgerEntry.Kind.MERGE).order_by()
    rows = sorted(written.values_list("number", "kind", "document"), key=itemgetter(0))
    return [entry for entry in (item(*row) for row in rows) if isinstance(entry, Merge)]


# --- Consistent reads of several tables ------------------------------------------------------------------------------


@contextmanager
def one_moment() -> Iterator[None]:
    """Give all queries inside a consistent, read-only snapshot without blocking writers.

    Inside another transaction it has no effect. On SQLite the transaction starts by hand, because Django's transactions
    take the write lock at their start here.
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


# --- Verification of the hash chain from the last verified entry -----------------------------------------------------
#
# The next rebuild, which reads all entries, finds earlier changed entries (``ladder.ledger.rebuild``).

ENTRIES_PER_VERIFICATION: Final = 5000
"""The maximum number of entries that are verified at once."""


@dataclass(frozen=True)
class ChainEnd:
    """The last valid entry of a chain, with its hash. ``problem`` describes the fault of the next entry."""

    number: int
    hash: str
    problem: str = ""


def follow(ladder: Ladder, mark: ChainMark, most: int = ENTRIES_PER_VERIFICATION) -> ChainEnd:
    """Verify at most ``most`` entries of the chain after ``mark``; one query."""
    number, head = mark.number, mark.hash
    rows = LedgerEntry.objects.filter(ladder=ladder, number__gt=number).order_by("number")[:most]
    for row_number, kind, document, kept in rows.values_list("number", "kind", "document", "hash"):
        if row_number != number + 1:
            return ChainEnd(number, head, f"entry {number + 1} is missing after entry {number}")
        if kept != chained(ladder.slug, row_number, kind, document, head):
            return ChainEnd(
                number, head, f"the hash of entry {row_number} does not match its document and entry {number}"
            )
        number, head = row_number, kept
    return ChainEnd(number, head)


def mark_of(ladder: Ladder) -> ChainMark:
    """The last verified entry of the chain of ``ladder``; the beginning if it was never verified."""
    return ChainMark.objects.filter(ladder=ladder).first() or ChainMark(ladder=ladder)


def go_on(ladder: Ladder) -> ChainMark:
    """Verify more entries of the chain of ``ladder`` and store the progress."""
    mark = mark_of(ladder)
    link = follow(ladder, mark)
    kept, _ = ChainMark.objects.update_or_create(
        ladder=ladder, defaults={"number": link.number, "hash": link.hash, "problem": link.problem}
    )
    return kept
