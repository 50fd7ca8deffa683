"""Ratings rebuilt from nothing but the ordered ledger: what the tables say must be that, to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

from django.db import transaction
from django.db.models import F

from ladder.models import Entry, Ladder, LedgerEntry, SeatResult
from ladder.ratings.elo import Player, changes
from ladder.ratings.shares import win_shares

_AT_ONCE = 1000


@dataclass
class Rebuild:
    """One ladder's rebuild: how many results it rated, and in sentences what was, or is, different in the tables."""

    ladder: Ladder
    results: int = 0
    differences: list[str] = field(default_factory=list)


def rerate(*, check: bool) -> list[Rebuild]:
    """Rebuild every ladder from its ledger; with ``check`` only compare, without it also write what differs.

    Each ladder is locked while it is rebuilt, so that results come before it or after it. Raises nothing for
    differences: they are the answer.
    """
    return [_rerate(pk, check=check) for pk in Ladder.objects.order_by("pk").values_list("pk", flat=True)]


def _rerate(ladder_id: int, *, check: bool) -> Rebuild:
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=ladder_id)
        rebuild = Rebuild(ladder)
        stored = list(Entry.objects.filter(ladder=ladder).order_by("pk"))
        rebuilt = {entry.pk: Entry(pk=entry.pk, ladder=ladder, bot_id=entry.bot_id) for entry in stored}
        for number, seats in _ledger(ladder):
            rebuild.results += 1
            _check_number(rebuild, number)
            _rate_again(rebuild, number, seats, rebuilt, check=check)
        _compare_ledger(rebuild)
        _compare_next_number(rebuild)
        for entry in stored:
            _compare_entry(rebuild, entry, rebuilt[entry.pk], check=check)
    return rebuild


def _ledger(ladder: Ladder) -> Iterator[tuple[int, list[SeatResult]]]:
    """The ledger's numbers in order, each with its seat results in seat order: one query, read a piece at a time."""
    rows = SeatResult.objects.filter(result__ledger_entries__ladder=ladder).select_related("seat")
    ordered = rows.annotate(number=F("result__ledger_entries__number")).order_by("number", "seat__index")
    for number, results in groupby(ordered.iterator(_AT_ONCE), key=attrgetter("number")):
        yield number, list(results)


def _check_number(rebuild: Rebuild, number: int) -> None:
    if number != rebuild.results:
        rebuild.differences.append(f"the ledger has number {number} where {rebuild.results} should stand")


def _compare_ledger(rebuild: Rebuild) -> None:
    entries = LedgerEntry.objects.filter(ladder=rebuild.ladder).count()
    if entries != rebuild.results:
        rebuild.differences.append(f"the ledger has {entries} entries, {rebuild.results} of them with seats")


def _compare_next_number(rebuild: Rebuild) -> None:
    if rebuild.ladder.next_ledger != rebuild.results + 1:
        rebuild.differences.append(
            f"the next ledger number is {rebuild.ladder.next_ledger}, after {rebuild.results} results"
        )


def _rate_again(
    rebuild: Rebuild, number: int, seats: list[SeatResult], rebuilt: dict[int, Entry], *, check: bool
) -> None:
    if len(seats) != rebuild.ladder.seats:
        rebuild.differences.append(f"ledger {number} has {len(seats)} seats, not {rebuild.ladder.seats}")
        return
    entries = [rebuilt[one.seat.entry_id] for one in seats if one.seat.entry_id is not None]
    ranks = [one.rank for one in seats]
    gains = changes([Player(entry.rating, entry.games) for entry in entries], ranks)
    for one, entry, gain, share in zip(seats, entries, gains, win_shares(ranks), strict=True):
        before = entry.rating
        entry.count(gain, share)
        _compare_seat(rebuild, number, one, (before, entry.rating), check=check)


def _compare_seat(rebuild: Rebuild, number: int, one: SeatResult, rated: tuple[int, int], *, check: bool) -> None:
    kept = (one.rating_before, one.rating_after)
    if kept != rated:
        rebuild.differences.append(f"ledger {number}, seat {one.seat.index}: {kept} is kept, {rated} is right")
        if not check:
            SeatResult.objects.filter(pk=one.pk).update(rating_before=rated[0], rating_after=rated[1])


def _compare_entry(rebuild: Rebuild, stored: Entry, rebuilt: Entry, *, check: bool) -> None:
    differences = dict(_different(stored, rebuilt))
    for name, (kept, right) in differences.items():
        rebuild.differences.append(f"entry {stored.pk}: {name} is {kept}, {right} is right")
    if differences and not check:
        Entry.objects.filter(pk=stored.pk).update(**{name: right for name, (_, right) in differences.items()})


def _different(stored: Entry, rebuilt: Entry) -> Iterator[tuple[str, tuple[int, int]]]:
    for name in ("rating", "last_change", "games", "wins"):
        kept, right = getattr(stored, name), getattr(rebuilt, name)
        if kept != right:
            yield name, (kept, right)
