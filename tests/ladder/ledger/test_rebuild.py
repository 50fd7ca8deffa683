from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from ladder.corrections import void
from ladder.ledger.integrity import integrity_report
from ladder.ledger.rebuild import rerate, rerate_ladder
from ladder.models import FinalStanding, Ladder, LedgerEntry, Match, Membership, RebuildRun, Result, Seat, SeatResult
from ladder.seasons import close
from tests.build import snapshot, staff
from tests.ladder.long_ledgers import append_results


def tables() -> dict[str, list[dict[str, Any]]]:
    """Everything but what is kept of rebuilds."""
    return {name: rows for name, rows in snapshot().items() if name != "RebuildRun"}


def differences(ladder: Ladder) -> Sequence[str]:
    return rerate_ladder(ladder.pk, check=True).differences


def test_a_rebuild_gives_what_the_tables_hold(played: Ladder) -> None:
    before = tables()
    assert [difference for rebuild in rerate(check=True) for difference in rebuild.differences] == []
    assert sum(rebuild.results for rebuild in rerate(check=False)) == 8
    assert tables() == before


@pytest.mark.parametrize("field", ["rating", "last_change", "games", "win_shares"])
def test_one_changed_unit_is_found_and_set_right(played: Ladder, field: str) -> None:
    before = tables()
    membership = played.memberships.exclude(win_shares=0)[0]
    Membership.objects.filter(pk=membership.pk).update(
        **{field: getattr(membership, field) + (1 if field != "win_shares" else -1)}
    )
    assert len(differences(played)) == 1
    rerate_ladder(played.pk, check=False)
    assert tables() == before


def test_a_changed_rating_before_or_after_is_found_and_set_right(played: Ladder) -> None:
    before = tables()
    row = SeatResult.objects.order_by("pk")[5]
    SeatResult.objects.filter(pk=row.pk).update(rating_before=row.rating_before + 1)
    assert len(differences(played)) == 1
    rerate_ladder(played.pk, check=False)
    assert tables() == before


def test_checking_changes_nothing(played: Ladder) -> None:
    Membership.objects.update(rating=1)
    before = tables()
    assert differences(played)
    assert tables() == before


def test_a_gap_in_the_ledger_is_found(played: Ladder) -> None:
    last = LedgerEntry.objects.filter(ladder=played).order_by("number").last()
    LedgerEntry.objects.filter(pk=last.pk).update(number=last.number + 1)
    assert f"ledger number {last.number} is missing: found number {last.number + 1}" in differences(played)
    Ladder.objects.filter(pk=played.pk).update(next_ledger=last.number)
    assert f"the next ledger number is {last.number} after {last.number + 1} entries" in differences(played)


def test_a_changed_document_breaks_the_chain_and_is_found(played: Ladder) -> None:
    entry = LedgerEntry.objects.filter(ladder=played, kind="result")[2]
    LedgerEntry.objects.filter(pk=entry.pk).update(document=entry.document | {"ranks": entry.document["ranks"][::-1]})
    sentences = differences(played)
    assert any(difference.startswith(f"ledger {entry.number}: the hash ") for difference in sentences)
    assert any(difference.startswith(f"ledger {entry.number}: ranks is ") for difference in sentences)


def test_a_rewritten_ledger_does_not_end_with_the_last_hash_of_the_ladder(played: Ladder) -> None:
    Ladder.objects.filter(pk=played.pk).update(ledger_head="f" * 64)
    (difference,) = differences(played)
    assert "f" * 64 in difference


@pytest.mark.parametrize(("model", "change"), [(SeatResult, {"rank": 5}), (SeatResult, {"forfeit": "exit"})])
def test_a_changed_result_is_not_what_the_ledger_says(played: Ladder, model: Any, change: dict[str, Any]) -> None:
    row = model.objects.order_by("pk")[3]
    model.objects.filter(pk=row.pk).update(**change)
    (difference,) = differences(played)
    assert "in the tables, " in difference


def test_a_result_that_became_another_entrys_is_found(played: Ladder) -> None:
    membership, other = Membership.objects.filter(ladder=played, seats__isnull=False).distinct()[:2]
    seat = Seat.objects.filter(membership=membership)[0]
    Seat.objects.filter(match=seat.match, membership=other).update(membership=None)
    Seat.objects.filter(pk=seat.pk).update(membership=other)
    assert any(": entries is [" in difference for difference in differences(played))


def test_a_changed_record_is_found_when_records_are_hashed(played: Ladder) -> None:
    result, other = Result.objects.order_by("pk")[:2]
    Result.objects.filter(pk=result.pk).update(packed_record=other.packed_record)
    assert not differences(played)
    (difference,) = rerate_ladder(played.pk, check=True, records=True).differences
    assert ": record is " in difference


def test_a_rated_result_outside_the_ledger_is_found(played: Ladder) -> None:
    last = LedgerEntry.objects.filter(ladder=played).order_by("number").last()
    before = LedgerEntry.objects.get(ladder=played, number=last.number - 1)
    last.delete()
    Ladder.objects.filter(pk=played.pk).update(next_ledger=last.number, ledger_head=before.hash)
    assert f"match {last.document['match']} has a rated result that is not in the ledger" in differences(played)


def test_a_closed_seasons_table_is_what_the_ledger_gave_then(played: Ladder) -> None:
    close(played.seasons.get())
    assert FinalStanding.objects.filter(season__ladder=played).count() >= 4
    assert not differences(played)
    before = tables()
    final = FinalStanding.objects.filter(season__ladder=played)[0]
    FinalStanding.objects.filter(pk=final.pk).update(rating=final.rating + 1)
    assert len(differences(played)) == 1
    rerate_ladder(played.pk, check=False)
    assert tables() == before


def test_every_rebuild_is_kept(played: Ladder) -> None:
    Membership.objects.filter(pk=played.memberships.first().pk).update(rating=1)
    RebuildRun.objects.all().delete()
    for check in (True, False, True):
        rerate_ladder(played.pk, check=check)
    runs = RebuildRun.objects.filter(ladder=played).order_by("pk")
    assert [(run.purpose, run.differences) for run in runs] == [("check", 1), ("repair", 1), ("check", 0)]
    assert runs[0].results == 8 and runs[0].ledger_number == LedgerEntry.objects.filter(ladder=played).count()
    assert ": rating is 1, " in runs[0].sentences[0]


def test_the_command_says_what_differs_and_fails(played: Ladder) -> None:
    out = StringIO()
    call_command("rerate", "--check", stdout=out)
    assert "Edel, Stein & Reich, 4 players: 8 results, 0 differences" in out.getvalue()
    Membership.objects.filter(pk=played.memberships.first().pk).update(rating=1)
    with pytest.raises(CommandError, match="rerate"):
        call_command("rerate", "--check", stdout=out)
    assert "rating is 1," in out.getvalue()


def test_a_ledger_of_a_thousand_and_more_is_rebuilt(ladder: Ladder) -> None:
    append_results(ladder, 1100)
    assert rerate_ladder(ladder.pk, check=False).results == 1100
    assert not differences(ladder)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moment", range(1, 8))
def test_a_season_that_starts_at_any_moment_of_a_rebuild_is_in_it(played: Ladder, moment: int) -> None:
    """It starts before the ``moment``-th query of the ledger, if that comes before the ladder is locked."""
    seen = 0

    def closing(execute: Any, sql: str, *rest: Any) -> Any:
        nonlocal seen
        if sql.startswith("SELECT") and 'FROM "ladder_ledgerentry"' in sql and not connection.in_atomic_block:
            seen += 1
            if seen == moment:
                close(played.seasons.get())
        return execute(sql, *rest)

    with connection.execute_wrapper(closing):
        rebuild = rerate_ladder(played.pk, check=False)
    assert (seen >= moment) == (played.seasons.count() == 2)
    assert rebuild.differences == []
    assert not played.memberships.exclude(games=0).exists() or seen < moment
    assert not differences(played)


@pytest.mark.parametrize("document", [{}, {"match": 1, "result": 0, "reason": "changed"}])
def test_an_unreadable_correction_is_a_difference_and_does_not_hide_other_ladders(
    played: Ladder, document: dict[str, Any]
) -> None:
    eve = staff("eve")
    void(Match.objects.filter(status="finished")[0].pk, "wrong", eve)
    LedgerEntry.objects.filter(ladder=played, kind="void").update(document=document)
    before = tables()
    for check in (True, False):
        rebuilds = rerate(check=check)
        assert [rebuild.count for rebuild in rebuilds] == [int(rebuild.ladder == played) for rebuild in rebuilds]
        assert "the ledger cannot be read: " in "".join(*[rebuild.differences for rebuild in rebuilds if rebuild.count])
        assert "rebuild" in [violation.code for violation in integrity_report(played).violations]
    assert tables() == before
