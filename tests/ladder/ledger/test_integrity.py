from __future__ import annotations

from typing import Any

import pytest
from django.db.models.functions import Now

from esr_platform.accounts.models import User
from ladder.corrections import merge, void
from ladder.exports.json_lines import ledger_pieces
from ladder.ledger.entries import ENTRIES_PER_VERIFICATION, follow, go_on, mark_of, one_moment
from ladder.ledger.integrity import integrity_report, verify_all
from ladder.ledger.rebuild import rerate
from ladder.matches.results import record_result
from ladder.models import Block, ChainMark, DealSeries, Ladder, LedgerEntry, Match, Membership, SeatResult
from ladder.ratings.recompute import recomputed
from ladder.seasons import close
from tests.build import claimed, finish_all, finished_matches, report_of, staff
from tests.ladder.long_ledgers import append_results


def broken(ladder: Ladder) -> list[str]:
    return [violation.code for violation in integrity_report(ladder).violations]


def test_all_integrity_statements_hold_for_all_match_outcomes(match: Match, eve: User) -> None:
    ladder = match.ladder
    assert broken(ladder) == []
    record_result(claimed(match), report_of(match))
    of_others = Match.objects.filter(status="queued").exclude(block=match.block)
    *others, running = of_others.select_related("ladder", "block")
    for other in others:
        record_result(claimed(other), report_of(other))
    claimed(running)
    assert broken(ladder) == []
    void(match.pk, "wrong", eve)
    finish_all(ladder)
    merge(finished_matches(ladder)[0].seats.get(index=0).membership, None, "cheated", eve)
    assert broken(ladder) == []
    finish_all(ladder)
    rerate(check=True)
    assert broken(ladder) == []
    counts = integrity_report(ladder).counts
    assert (counts.scheduled, counts.finished, counts.rated["running"], counts.rated["void"]) == (
        12,
        10,
        1,
        1,
    )
    assert counts.rows + counts.out == counts.seats == 40
    close(ladder.seasons.get())
    assert broken(ladder) == []


@pytest.mark.parametrize(
    ("code", "damage"),
    [
        ("seat_ratings", lambda: change(SeatResult, rating_before=None, rating_after=None)),
        ("zero_sum", lambda: change(SeatResult, rating_after=1)),
        ("deal_numbers", lambda: DealSeries.objects.filter(kind="ladder").update(next_number=7)),
        ("ended_blocks", lambda: change(Block, ended=None)),
        ("secret_deals", lambda: claimed(replaced()) and Block.objects.update(ended=Now())),
        ("secret_deals", lambda: replaced() and DealSeries.objects.update(published=Now())),
        ("ledger_results", lambda: change(Match, status="void", reason="lost")),
        ("hash_chain", lambda: change(LedgerEntry, document={})),
        ("hash_chain", lambda: Ladder.objects.update(ledger_head="f" * 64)),
        ("ledger_numbers", lambda: Ladder.objects.update(next_ledger=100)),
    ],
)
def test_every_violation_is_found(played: Ladder, code: str, damage: Any) -> None:
    damage()
    codes = broken(played)
    assert code in codes
    assert verify_all() >= 1
    assert ChainMark.objects.get(ladder=played).violations == len(codes)


def replaced() -> Match:
    """A game that is to be played, beside all that have been."""
    void(Match.objects.filter(status="finished")[0].pk, "wrong", staff("mallory"))
    return Match.objects.filter(status="queued")[0]


def change(model: Any, **values: Any) -> None:
    rows = model.objects.filter(kind="result") if model is LedgerEntry else model.objects.all()
    model.objects.filter(pk=rows.order_by("pk")[1].pk).update(**values)


def test_a_wrong_rating_is_reported_after_a_rebuild_found_it(played: Ladder) -> None:
    Membership.objects.filter(pk=played.memberships.all()[0].pk).update(rating=1)
    assert broken(played) == []
    rerate(check=True)
    assert broken(played) == ["rebuild"]
    rerate(check=False)
    assert broken(played) == []


def test_an_entry_without_a_rating_is_explained_by_a_merge_at_its_table_alone(played: Ladder, eve: User) -> None:
    out = finished_matches(played)[0].seats.get(index=0).membership
    merge(out, None, "cheated", eve)
    assert integrity_report(played).counts.out > 0
    assert broken(played) == []
    elsewhere = SeatResult.objects.exclude(seat__match__seats__membership=out)
    if row := elsewhere.first():
        SeatResult.objects.filter(pk=row.pk).update(rating_before=None, rating_after=None)
        assert "seat_ratings" in broken(played)


def test_a_merge_that_cannot_be_read_explains_nothing(played: Ladder, eve: User) -> None:
    out = finished_matches(played)[0].seats.get(index=0).membership
    assert out
    merge(out, None, "cheated", eve)
    LedgerEntry.objects.filter(kind="merge").update(document={})
    assert "seat_ratings" in broken(played)


def test_an_entry_that_counts_again_in_a_later_season_leaves_the_closed_one_as_it_was(
    played: Ladder, eve: User
) -> None:
    out = finished_matches(played)[0].seats.get(index=0).membership
    assert out
    merge(out, None, "cheated", eve)
    close(played.seasons.get())
    merge(out, out, "it was another one", eve)
    assert integrity_report(played).counts.out > 0
    assert broken(played) == []
    rerate(check=True)
    assert broken(played) == []


def test_a_chain_is_followed_from_where_it_was_left(played: Ladder) -> None:
    mark = go_on(played)
    assert mark.number == LedgerEntry.objects.filter(ladder=played).count()
    played.refresh_from_db()
    assert mark.hash == played.ledger_head
    LedgerEntry.objects.filter(ladder=played, number=2).update(document={})
    assert follow(played, mark_of(played)).problem == ""
    ChainMark.objects.all().delete()
    assert "entry 2 " in follow(played, mark_of(played)).problem
    assert go_on(played).number == 1
    assert go_on(played).problem != ""


def test_a_long_chain_is_followed_in_parts(ladder: Ladder) -> None:
    append_results(ladder, 1100)
    ladder.refresh_from_db()
    end = follow(ladder, mark_of(ladder), 600)
    assert (end.number, end.problem) == (600, "")
    assert follow(ladder, ChainMark(ladder=ladder, number=end.number, hash=end.hash)).hash == ladder.ledger_head
    assert ENTRIES_PER_VERIFICATION > 1100
    lines = b"".join(ledger_pieces(ladder)).splitlines(keepends=True)
    assert recomputed(lines).head == ladder.ledger_head


def test_a_ledgers_file_alone_gives_every_rating(played: Ladder, eve: User) -> None:
    void(finished_matches(played)[1].pk, "wrong", eve)
    merge(finished_matches(played)[0].seats.get(index=0).membership, None, "cheated", eve)
    close(played.seasons.get())
    played.refresh_from_db()
    lines = b"".join(ledger_pieces(played)).splitlines(keepends=True)
    recomputation = recomputed(lines)
    assert (recomputation.entries, recomputation.head) == (played.next_ledger - 1, played.ledger_head)
    for membership in played.memberships.all():
        if standing := recomputation.standings.get(membership.pk):
            assert (standing.rating, standing.games, standing.win_shares) == (
                membership.rating,
                membership.games,
                membership.win_shares,
            )
    for match in finished_matches(played):
        stored = SeatResult.objects.filter(seat__match=match).order_by("seat__index")
        counted = [(seat.rating_before, seat.rating_after) for seat in stored if seat.rating_before is not None]
        assert [(change.before, change.after) for change in recomputed(lines, match.pk).changes] == counted
    with pytest.raises(ValueError, match="line 3 has number 4"):
        recomputed(lines[:2] + lines[3:])
    changed = lines[2].replace(b'"seating":', b'"seating":1')
    with pytest.raises(ValueError, match="entry 3"):
        recomputed([*lines[:2], changed, *lines[3:]])


@pytest.mark.django_db(transaction=True)
def test_reads_at_one_moment_do_not_see_concurrent_writes(house: None) -> None:
    with one_moment():
        assert Ladder.objects.count() > 0
    Ladder.objects.update(weight=3)
    with pytest.raises(ZeroDivisionError), one_moment():
        raise ZeroDivisionError
    assert set(Ladder.objects.values_list("weight", flat=True)) == {3}
