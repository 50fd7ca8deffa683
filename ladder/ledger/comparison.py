"""Compare a ladder's tables with its ledger, entry by entry, and report every difference.

It locks and writes nothing. Entries are read in batches by number, so memory does not grow with the ledger. Numbers
have no gaps, so all entries up to a committed number are complete. Later entries are read on request.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

from django.db.models import F

from ladder.models import Block, Ladder, LedgerEntry, Match, SeatResult
from ladder.packing import digest
from ladder.ratings.chain import GENESIS, chained
from ladder.ratings.documents import item
from ladder.ratings.rating import Rated
from ladder.ratings.replay import Correction, Item, LedgerReplay, RankedGame, Void

ENTRIES_PER_QUERY = 2000
"""Ledger entries per query."""

RECORDS_PER_PROCESS_POOL = 5 * ENTRIES_PER_QUERY
"""From this number of records on, it pays to start processes."""

TOLD = 100
"""The number of differences that are stored as sentences; all are counted."""


class ComparedEntry(NamedTuple):
    """A ledger entry with the stored data of its match."""

    number: int
    kind: str
    document: Any
    hash: str
    match: int | None
    seating: int | None
    status: str | None
    block: int | None
    series: str | None
    season: int | None


class ComparedSeat(NamedTuple):
    """The stored result of a seat."""

    number: int
    pk: int
    seat: int
    entry: int | None
    digest: str
    rank: int
    forfeit: str
    before: int | None
    after: int | None


@dataclass
class Differences:
    """The number of differences, and the first of them as sentences."""

    count: int = 0
    sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Add a difference."""
        self.count += 1
        if len(self.sentences) < TOLD:
            self.sentences.append(sentence)


class LedgerComparison:
    """The state of reading the ledger of ``ladder``, with the differences found so far.

    ``written`` are all of its corrections, ``planned`` are corrections that are not written yet. ``wrong`` has the
    right ratings of seats, by the id of their result; ``broken`` counts all other differences. With ``records`` every
    stored record is hashed, which takes most of the time. Raises ``ValueError`` for invalid corrections.
    """

    def __init__(
        self,
        ladder: Ladder,
        written: Sequence[Correction],
        planned: Sequence[Correction] = (),
        *,
        records: bool = False,
    ) -> None:
        self.ladder = ladder
        self.number = 0
        self.head = GENESIS
        self.results = 0
        self.replay = LedgerReplay([*written, *planned])
        self.differences = Differences()
        self.wrong: dict[int, Rated] = {}
        self._voided = frozenset(correction.result for correction in written if isinstance(correction, Void))
        self._between = frozenset(correction.result for correction in planned if isinstance(correction, Void))
        self._records = records
        self._hash_all: Callable[[Callable[[bytes], str], Iterable[bytes]], Iterable[str]] = map

    @property
    def broken(self) -> int:
        """The number of differences that cannot be repaired by writing ratings."""
        return self.differences.count - len(self.wrong)

    def read(self, upto: int) -> None:
        """Continue up to and including the number ``upto``. Many records are hashed by a process per core."""
        if self._records and upto - self.number > RECORDS_PER_PROCESS_POOL and self._hash_all is map:
            with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
                self._hash_all = partial(pool.map, chunksize=100)
                self.read(upto)
            self._hash_all = map
            return
        while rows := [ComparedEntry(*row) for row in _rows(self.ladder, self.number, upto)]:
            self._read(rows)
        if self.number < upto:
            self.differences.add(f"the ledger ends at number {self.number} instead of {upto}")

    def _read(self, rows: Sequence[ComparedEntry]) -> None:
        span = rows[0].number, rows[-1].number
        numbers, packed = _packed_records(self.ladder, span) if self._records else ((), ())
        hashed = self._hash_all(digest, packed)  # processes begin before the seats are read
        seats = _seats(self.ladder, span)
        digests = dict(zip(numbers, hashed, strict=True))
        games = []
        for row in rows:
            self._follow(row)
            meant = self._meant(row)
            if isinstance(meant, RankedGame):
                self._check(row, seats[row.number], digests.get(row.number))
                games.append(meant)
        for game, rated in zip(games, self.replay.rated(games), strict=True):
            self._compare(game, seats[game.number], rated)

    def _follow(self, row: ComparedEntry) -> None:
        """Check that numbers have no gaps and that every hash follows from the document and the previous hash."""
        if row.number != self.number + 1:
            self.differences.add(f"ledger number {self.number + 1} is missing: found number {row.number}")
        if row.hash != chained(self.ladder.slug, row.number, row.kind, row.document, self.head):
            self.differences.add(f"ledger {row.number}: the hash does not match the document and the previous entry")
        self.number, self.head = row.number, row.hash

    def _meant(self, row: ComparedEntry) -> Item | None:
        try:
            return item(row.number, row.kind, row.document)
        except ValueError as error:
            self.differences.add(str(error))
            return None

    def _check(self, row: ComparedEntry, seats: Sequence[ComparedSeat], digest: str | None) -> None:
        """Check that the document of a result matches the tables."""
        self.results += 1
        recorded = row.document
        stored: dict[str, Any] = {
            "match": row.match,
            "block": None if row.series is None else [row.series, row.season, row.block],
            "seating": row.seating,
            "entries": [seat.entry for seat in seats],
            "versions": [seat.digest for seat in seats],
            "ranks": [seat.rank for seat in seats],
            "forfeits": {str(seat.seat): seat.forfeit for seat in seats if seat.forfeit},
        }
        if digest is not None:
            stored["record"] = digest
        for key, value in stored.items():
            if recorded.get(key) != value:
                self.differences.add(
                    f"ledger {row.number}: {key} is {value} in the tables, {recorded.get(key)} in the ledger"
                )
        right = Match.Status.VOID if row.number in self._voided else Match.Status.FINISHED
        if row.status != right and row.number not in self._between:
            self.differences.add(f"ledger {row.number}: match {row.match} is {row.status} instead of {right.value}")

    def _compare(self, game: RankedGame, seats: Sequence[ComparedSeat], rated: Sequence[Rated]) -> None:
        if len(seats) != len(rated):
            return  # already reported by the check of its seats
        for seat, right in zip(seats, rated, strict=True):
            kept = None if seat.before is None or seat.after is None else (seat.before, seat.after)
            if kept != right:
                place = f"ledger {game.number}, seat {seat.seat}"
                self.differences.add(f"{place}: the stored rating is {_text_of(kept)}, not {_text_of(right)}")
                self.wrong[seat.pk] = right


def corrections_of(ladder: Ladder) -> list[Correction]:
    """All corrections of the ledger in order. Raises ``ValueError`` for an unreadable one."""
    written = LedgerEntry.objects.filter(ladder=ladder).exclude(kind=LedgerEntry.Kind.RESULT).order_by("number")
    items = (item(*row) for row in written.values_list("number", "kind", "document"))
    return [entry for entry in items if not isinstance(entry, RankedGame)]


def unwritten(ladder: Ladder) -> Iterator[str]:
    """Sentences about rated results that are missing in the ledger, and about unrated matches with ratings."""
    seats = SeatResult.objects.filter(result__match__ladder=ladder)
    in_ledger = LedgerEntry.objects.filter(ladder=ladder, kind=LedgerEntry.Kind.RESULT).values("result")
    rated = seats.filter(result__match__block__purpose__in=Block.RATED).exclude(result__in=in_ledger)
    for match in rated.order_by("result__match").values_list("result__match", flat=True).distinct()[:TOLD]:
        yield f"match {match} has a rated result that is not in the ledger"
    other = seats.exclude(result__match__block__purpose__in=Block.RATED).exclude(rating_before=None)
    for match in other.order_by("result__match").values_list("result__match", flat=True).distinct()[:TOLD]:
        yield f"match {match} is not rated but has ratings"


def _rows(ladder: Ladder, after: int, upto: int) -> Any:
    match = "result__match__"
    of_match = ("seating", "status", "block__number", "block__series__name", "block__series__season__number")
    rows = LedgerEntry.objects.filter(ladder=ladder, number__gt=after, number__lte=upto).order_by("number")[
        :ENTRIES_PER_QUERY
    ]
    return rows.values_list("number", "kind", "document", "hash", "result__match", *(match + name for name in of_match))


def _seats(ladder: Ladder, span: tuple[int, int]) -> defaultdict[int, list[ComparedSeat]]:
    """By ledger number, the seats of the result in order."""
    rows = SeatResult.objects.filter(
        result__ledger_entries__ladder=ladder,
        result__ledger_entries__kind=LedgerEntry.Kind.RESULT,
        result__ledger_entries__number__range=span,
    )
    numbered = rows.annotate(ledger=F("result__ledger_entries__number")).order_by("ledger", "seat__index")
    seats: defaultdict[int, list[ComparedSeat]] = defaultdict(list)
    of_seat = ("pk", "seat__index", "seat__membership", "seat__version__digest", "rank", "forfeit")
    for row in numbered.values_list("ledger", *of_seat, "rating_before", "rating_after"):
        seats[row[0]].append(ComparedSeat(*row))
    return seats


def _packed_records(ladder: Ladder, span: tuple[int, int]) -> tuple[Sequence[int], Sequence[bytes]]:
    """The ledger numbers of results, and their stored records."""
    rows = LedgerEntry.objects.filter(ladder=ladder, kind=LedgerEntry.Kind.RESULT, number__range=span)
    records = list(rows.values_list("number", "result__packed_record"))
    return [number for number, _ in records], [bytes(packed) for _, packed in records]


def _text_of(rated: Rated) -> str:
    return "none" if rated is None else f"{rated[0]} to {rated[1]}"
