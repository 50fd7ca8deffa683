"""Rebuild ratings from the ordered ledger alone. The tables must match the rebuild exactly.

The ledger is read without a lock up to its current end. Then the ladder's row is locked, the few entries that were
added meanwhile are read, and differences are written in the same transaction. So a concurrent result comes either
before or after the rebuild. If a correction was added meanwhile, the rebuild starts again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from ladder.ledger.comparison import LedgerComparison, corrections_of, unwritten
from ladder.models import FinalStanding, Ladder, LedgerEntry, Membership, RebuildRun, Season, SeatResult
from ladder.ratings.rating import RatingState
from ladder.ratings.replay import Correction

TRIES: Final = 3
"""The number of rebuilds without a lock before one is made with the ladder locked."""

_SUMS: Final = ("rating", "last_change", "games", "win_shares")
_FINAL: Final = ("rating", "games", "win_shares")

Done = TypeVar("Done")


@dataclass(frozen=True)
class Rebuild:
    """The rebuild of a ladder: the number of results, and the differences in the tables.

    ``differences`` are the first of them as sentences, ``count`` is their number.
    """

    ladder: Ladder
    results: int
    differences: Sequence[str]
    count: int


def rerate(*, check: bool, records: bool = False, by: AbstractBaseUser | None = None) -> list[Rebuild]:
    """Rebuild every ladder from its ledger. Without ``check`` also write the ratings that differ.

    ``records`` also hashes every stored record. Each rebuild is stored as a ``RebuildRun``.
    """
    ids = Ladder.objects.order_by("pk").values_list("pk", flat=True)
    return [rerate_ladder(pk, check=check, records=records, by=by) for pk in ids]


def rerate_ladder(ladder_id: int, *, check: bool, records: bool = False, by: AbstractBaseUser | None = None) -> Rebuild:
    """Rebuild one ladder, like ``rerate``."""
    started = timezone.now()

    def compare(ladder: Ladder, reading: LedgerComparison) -> Rebuild:
        _compare_tables(ladder, reading)
        if not check:
            write(ladder, reading)
        RebuildRun.objects.create(
            ladder=ladder,
            purpose=RebuildRun.Purpose.CHECK if check else RebuildRun.Purpose.REPAIR,
            ledger_number=reading.number,
            results=reading.results,
            records=records,
            differences=reading.differences.count,
            sentences=reading.differences.sentences,
            author_id=None if by is None else by.pk,
            started=started,
        )
        return Rebuild(ladder, reading.results, reading.differences.sentences, reading.differences.count)

    try:
        return beside(ladder_id, compare, records=records)
    except ValueError as error:
        return _unreadable(Ladder.objects.get(pk=ladder_id), f"the ledger cannot be read: {error}", started, by)


def _unreadable(ladder: Ladder, sentence: str, started: datetime, by: AbstractBaseUser | None) -> Rebuild:
    """Store a run for an unreadable ledger: nothing was compared or written."""
    RebuildRun.objects.create(
        ladder=ladder,
        purpose=RebuildRun.Purpose.CHECK,
        ledger_number=_last_number(ladder),
        results=0,
        differences=1,
        sentences=[sentence],
        author_id=None if by is None else by.pk,
        started=started,
    )
    return Rebuild(ladder, 0, [sentence], 1)


def beside(
    ladder_id: int,
    then: Callable[[Ladder, LedgerComparison], Done],
    *,
    planned: Sequence[Correction] = (),
    records: bool = False,
    before: Callable[[], None] = lambda: None,
) -> Done:
    """Read a ladder's whole ledger, as if ``planned`` stood at its end, and do ``then`` with its row locked.

    ``before`` is called first in the same transaction, for what is done to rows that are locked before a ladder's; it
    is taken back when the rebuild is begun again. Raises ``ValueError`` for memberships that cannot be read, or stand.
    """
    for _ in range(TRIES):
        writes = _last_write(ladder_id)
        reading = _read(Ladder.objects.get(pk=ladder_id), planned, records=records)
        with transaction.atomic():
            before()
            ladder = _locked(ladder_id)
            if not _overtaken(reading, writes):
                reading.read(_last_number(ladder))
                return then(ladder, reading)
            transaction.set_rollback(True)
    with transaction.atomic():
        before()
        ladder = _locked(ladder_id)
        return then(ladder, _read(ladder, planned, records=records))


def write(ladder: Ladder, reading: LedgerComparison) -> int:
    """Write the ratings that differ from the ledger, and return the number of rows.

    The caller's transaction locks the ladder's row.
    """
    table, columns = SeatResult._meta.db_table, "rating_before = %s, rating_after = %s"
    rows = [(*(rated or (None, None)), pk) for pk, rated in reading.wrong.items()]
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {table} SET {columns} WHERE id = %s", rows)  # noqa: S608 - our own table's name
    memberships = [_as(membership, right, _SUMS) for membership, right in _wrong_memberships(ladder, reading)]
    Membership.objects.bulk_update(memberships, _SUMS, batch_size=200)
    final = [_as(standing, right, _FINAL) for standing, right in _wrong_final(ladder, reading)]
    FinalStanding.objects.bulk_update(final, _FINAL, batch_size=200)
    return len(rows) + len(memberships) + len(final)


def _read(ladder: Ladder, planned: Sequence[Correction], *, records: bool) -> LedgerComparison:
    upto = _last_number(ladder)  # first: what else than a result comes after it is seen as such, and never left out
    reading = LedgerComparison(ladder, corrections_of(ladder), planned, records=records)
    reading.read(upto)
    return reading


def _locked(ladder_id: int) -> Ladder:
    return Ladder.objects.select_for_update(no_key=True).get(pk=ladder_id)


def _last_number(ladder: Ladder) -> int:
    """The number of the last entry, independent of the ladder's row, which is compared later."""
    return int(LedgerEntry.objects.filter(ladder=ladder).aggregate(last=Max("number", default=0))["last"])


def _last_write(ladder_id: int) -> int:
    runs = RebuildRun.objects.filter(ladder=ladder_id, purpose__in=RebuildRun.WRITES)
    return int(runs.aggregate(last=Max("pk", default=0))["last"])


def _overtaken(reading: LedgerComparison, writes: int) -> bool:
    """Whether another process has rebuilt ratings, or added a correction, since the reading started."""
    later = LedgerEntry.objects.filter(ladder=reading.ladder, number__gt=reading.number)
    return later.exclude(kind=LedgerEntry.Kind.RESULT).exists() or _last_write(reading.ladder.pk) != writes


def _compare_tables(ladder: Ladder, reading: LedgerComparison) -> None:
    """Compare the remaining tables when the whole ledger has been read and the ladder's row is locked."""
    reading.replay.finish()
    if ladder.next_ledger != reading.number + 1:
        reading.differences.add(f"the next ledger number is {ladder.next_ledger} after {reading.number} entries")
    if ladder.ledger_head != reading.head:
        reading.differences.add(f"the last hash of the ladder is {ladder.ledger_head}, of the ledger {reading.head}")
    for sentence in unwritten(ladder):
        reading.differences.add(sentence)
    for membership, right in _wrong_memberships(ladder, reading):
        for name in _different(membership, right, _SUMS):
            reading.differences.add(
                f"member {membership.pk}: {name} is {getattr(membership, name)}, not {getattr(right, name)}"
            )
    for final, right in _wrong_final(ladder, reading):
        reading.differences.add(
            f"{final.season}: the final standings of member {final.membership_id} have {_row(final)}, not {_row(right)}"
        )


def _wrong_memberships(ladder: Ladder, reading: LedgerComparison) -> Iterator[tuple[Membership, RatingState]]:
    reading.replay.finish()
    for membership in Membership.objects.filter(ladder=ladder).order_by("pk"):
        right = reading.replay.standings.get(membership.pk, RatingState())
        if _different(membership, right, _SUMS):
            yield membership, right


def _wrong_final(ladder: Ladder, reading: LedgerComparison) -> Iterator[tuple[FinalStanding, RatingState]]:
    reading.replay.finish()
    for season in Season.objects.filter(ladder=ladder, closed__isnull=False).order_by("number"):
        table: Mapping[int, RatingState] = reading.replay.final.get(season.number, reading.replay.standings)
        for final in season.final_standings.select_related("season__ladder").order_by("pk"):
            right = table.get(final.membership_id, RatingState())
            if _different(final, right, _FINAL):
                yield final, right


def _different(kept: Membership | FinalStanding, right: RatingState, names: Sequence[str]) -> list[str]:
    return [name for name in names if getattr(kept, name) != getattr(right, name)]


Kept = TypeVar("Kept", Membership, FinalStanding)


def _as(kept: Kept, right: RatingState, names: Sequence[str]) -> Kept:
    for name in names:
        setattr(kept, name, getattr(right, name))
    return kept


def _row(standing: FinalStanding | RatingState) -> str:
    return f"rating {standing.rating}, {standing.games} games, {standing.win_shares}/60 wins"
