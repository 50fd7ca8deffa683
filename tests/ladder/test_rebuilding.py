from __future__ import annotations

from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ladder.models import Attempt, Entry, Ladder, LedgerEntry, Match, Result, Seat, SeatResult
from ladder.rebuilding import rerate
from ladder.results import record_result
from tests.ladder.reports import report_of
from tests.ladder.snapshots import snapshot
from tests.ladder.test_leases import claimed


@pytest.fixture
def played(match: Match) -> Ladder:
    for one in Match.objects.select_related("ladder").order_by("pk"):
        record_result(claimed(one), report_of(one, variety=one.pk))
    return match.ladder


def differences() -> list[str]:
    return [difference for rebuild in rerate(check=True) for difference in rebuild.differences]


def test_a_rebuild_gives_what_the_tables_hold(played: Ladder) -> None:
    before = snapshot()
    assert differences() == []
    assert sum(rebuild.results for rebuild in rerate(check=False)) == 8
    assert snapshot() == before


@pytest.mark.parametrize("field", ["rating", "last_change", "games", "wins"])
def test_one_changed_unit_is_found_and_set_right(played: Ladder, field: str) -> None:
    before = snapshot()
    entry = played.entries.exclude(wins=0)[0]
    Entry.objects.filter(pk=entry.pk).update(**{field: getattr(entry, field) + (1 if field != "wins" else -1)})
    assert len(differences()) == 1
    rerate(check=False)
    assert snapshot() == before


def test_a_changed_rating_before_or_after_is_found_and_set_right(played: Ladder) -> None:
    before = snapshot()
    row = SeatResult.objects.order_by("pk")[5]
    SeatResult.objects.filter(pk=row.pk).update(rating_before=row.rating_before + 1)
    assert len(differences()) == 1
    rerate(check=False)
    assert snapshot() == before


def test_checking_changes_nothing(played: Ladder) -> None:
    Entry.objects.update(rating=1)
    before = snapshot()
    assert differences()
    assert snapshot() == before


def test_a_gap_in_the_ledger_is_found(played: Ladder) -> None:
    last = LedgerEntry.objects.order_by("number").last()
    LedgerEntry.objects.filter(pk=last.pk).update(number=last.number + 1)
    assert differences() == ["the ledger has number 9 where 8 should stand"]
    Ladder.objects.filter(pk=played.pk).update(next_ledger=10)
    assert "the next ledger number is 10, after 8 results" in differences()


def test_the_order_of_the_ledger_and_not_of_matches_decides(played: Ladder) -> None:
    first, second = LedgerEntry.objects.order_by("number")[:2]
    results = first.result_id, second.result_id
    LedgerEntry.objects.filter(pk__in=(first.pk, second.pk)).delete()
    for number, result in zip((2, 1), results, strict=True):
        LedgerEntry.objects.create(ladder=played, number=number, result_id=result)
    assert differences()
    rerate(check=False)
    assert differences() == []


def test_the_command_says_what_differs_and_fails(played: Ladder) -> None:
    out = StringIO()
    call_command("rerate", "--check", stdout=out)
    assert "Edel, Stein & Reich, 4 players: 8 results, 0 differences" in out.getvalue()
    Entry.objects.filter(pk=played.entries.first().pk).update(rating=1)
    with pytest.raises(CommandError, match="rerate"):
        call_command("rerate", "--check", stdout=out)
    assert "rating is 1," in out.getvalue()


def test_a_ledger_of_a_thousand_and_more_is_rebuilt(ladder: Ladder) -> None:
    append_results(ladder, 1100)
    assert sum(rebuild.results for rebuild in rerate(check=False)) == 1100
    assert differences() == []


def append_results(ladder: Ladder, count: int) -> None:
    """``count`` finished matches of the same four, the first always first, none of them rated."""
    version = {entry: entry.bot.active_version for entry in ladder.entries.order_by("pk")[: ladder.seats]}
    now = timezone.now()
    for number in range(1, count + 1):
        deal = {"seed": number.to_bytes(32, "big"), "commitment": "0" * 64}
        match = Match(ladder=ladder, status=Match.Status.FINISHED, ended=now, **deal)
        attempt = Attempt(
            match=match, number=1, token=uuid4(), started=now, heartbeat_at=now, ended=now, ending="finished"
        )
        result = Result(match=match, attempt=attempt, packed_record=b"", report={})
        for row in (match, attempt, result, LedgerEntry(ladder=ladder, number=number, result=result)):
            row.save()
        seats = [Seat(match=match, index=index, entry=one, version=version[one]) for index, one in enumerate(version)]
        Seat.objects.bulk_create(seats)
        SeatResult.objects.bulk_create(
            SeatResult(result=result, seat=seat, rank=seat.index + 1, score={}, rating_before=0, rating_after=0)
            for seat in seats
        )
    Ladder.objects.filter(pk=ladder.pk).update(next_ledger=count + 1)
