from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from ladder.models import Entry, Ladder, LedgerEntry, Match, SeatResult
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
