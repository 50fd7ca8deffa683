from __future__ import annotations

from fractions import Fraction
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client

from bots.models import Bot
from esr_platform.accounts.models import User
from ladder.corrections import change_k, merge, void, withdraw
from ladder.ledger.entries import rating_rules_of
from ladder.matches.leases import claim, give_back
from ladder.matches.results import record_result
from ladder.matches.schedule import fill
from ladder.models import (
    Attempt,
    Block,
    FinalStanding,
    Intervention,
    Ladder,
    LedgerEntry,
    Match,
    Membership,
    RebuildRun,
    SeatResult,
)
from ladder.ratings.chain import GENESIS, chained
from ladder.ratings.elo import START_RATING, KFactor
from ladder.seasons import close
from tests.build import (
    claimed,
    differences,
    finish_all,
    finished_matches,
    person,
    ratings,
    report_of,
    snapshot,
    staff,
    variety_of,
)
from tests.refusals import refused


def sum_is_zero(ladder: Ladder) -> bool:
    memberships = Membership.objects.filter(ladder=ladder)
    return sum(membership.rating - START_RATING for membership in memberships) == 0


def test_voiding_the_last_result_restores_all_ratings(match: Match, eve: User) -> None:
    ladder = match.ladder
    *others, last = Match.objects.select_related("ladder", "block").filter(ladder=ladder).order_by("pk")
    for other in others:
        record_result(claimed(other), report_of(other, variety=variety_of(other)))
    before = ratings(ladder)
    record_result(claimed(last), report_of(last, variety=variety_of(last)))
    assert ratings(ladder) != before
    void(last.pk, "its machine was broken", eve)
    assert ratings(ladder) == before
    last.refresh_from_db()
    assert (last.status, last.reason) == ("void", "Voided by site staff: its machine was broken")
    assert set(SeatResult.objects.filter(seat__match=last).values_list("rating_before", "rating_after")) == {
        (None, None)
    }
    assert differences() == []


def test_voiding_a_result_changes_all_later_ratings(played: Ladder, eve: User) -> None:
    before = ratings(played)
    void(finished_matches(played)[2].pk, "wrong", eve)
    after = ratings(played)
    assert after != before
    assert sum(row[2] for row in after.values()) == sum(row[2] for row in before.values()) - 4
    assert sum_is_zero(played)
    assert differences() == []
    finish_all(played)
    assert differences() == []


def test_a_correction_is_in_the_ledger_with_author_and_reason(played: Ladder, eve: User) -> None:
    match = finished_matches(played)[0]
    counted = LedgerEntry.objects.get(result__match=match, kind="result")
    previous = LedgerEntry.objects.filter(ladder=played).order_by("-number")[0]
    void(match.pk, "  two \n words ", eve)
    membership = LedgerEntry.objects.filter(ladder=played).order_by("-number")[0]
    document = {"match": match.pk, "result": counted.number, "reason": "two words"}
    assert (membership.kind, membership.document, membership.author, membership.result) == (
        "void",
        document,
        eve,
        counted.result,
    )
    assert membership.hash == chained(played.slug, previous.number + 1, "void", document, previous.hash)
    played.refresh_from_db()
    assert (played.next_ledger, played.ledger_head) == (membership.number + 1, membership.hash)
    intervention = Intervention.objects.get(match=match)
    assert (intervention.action, intervention.reason, intervention.author) == ("taken back", "two words", eve)
    run = RebuildRun.objects.get(purpose="correction")
    assert (run.ledger_number, run.author) == (membership.number, eve)
    assert GENESIS not in (membership.hash, previous.hash)


def test_a_new_block_of_the_same_bots_replaces_the_voids_block_once(played: Ladder, eve: User) -> None:
    block = Block.objects.filter(ladder=played).order_by("pk")[0]
    games = list(Match.objects.filter(block=block).order_by("pk"))
    ended = block.ended
    message = void(games[0].pk, "wrong", eve)
    new = Block.objects.filter(ladder=played).order_by("-pk")[0]
    assert f"Block {new.number} " in message
    assert new.number == block.series.blocks.count() and new.purpose == "ladder"
    table = [
        set(Match.objects.filter(block=of_block).values_list("seats__membership", flat=True))
        for of_block in (block, new)
    ]
    assert table[0] == table[1]
    assert set(Match.objects.filter(block=new).values_list("status", flat=True)) == {"queued"}
    void(games[1].pk, "wrong", eve)
    assert Block.objects.filter(ladder=played).order_by("-pk")[0] == new
    block.refresh_from_db()
    assert block.ended == ended
    assert {"finished", "void"} == set(Match.objects.filter(block=block).values_list("status", flat=True))
    finish_all(played)
    assert differences() == []


def test_a_bot_that_plays_no_more_is_not_made_to_play_again(played: Ladder, eve: User) -> None:
    match = finished_matches(played)[0]
    away = match.seats.get(index=1).membership
    Membership.objects.filter(pk=away.pk).update(active=False)
    before = Block.objects.count()
    assert away.bot.name in void(match.pk, "wrong", eve)
    assert Block.objects.count() == before


def test_a_result_is_voided_once_and_then_the_refusal_says_by_whom_and_when(played: Ladder, eve: User) -> None:
    match = finished_matches(played)[0]
    void(match.pk, "wrong", eve)
    before = snapshot()
    voided = Intervention.objects.get(match=match).created
    for correct_again in (void, withdraw):
        with refused("already_voided") as refusal:
            correct_again(match.pk, "again", eve)
        assert "eve" in str(refusal.value)
        assert f"{voided:%d %b %Y, %H:%M} UTC" in str(refusal.value)
    assert snapshot() == before


def test_a_canceled_match_cannot_be_voided(match: Match, eve: User) -> None:
    withdraw(match.pk, "not needed", eve)
    for correct_again in (void, withdraw):
        with refused("match_ended") as refusal:
            correct_again(match.pk, "wrong", eve)
        assert "eve" in str(refusal.value)


@pytest.mark.parametrize("status", ["queued", "running", "nowhere"])
def test_a_match_without_result_cannot_be_voided(match: Match, eve: User, status: str) -> None:
    if status == "running":
        assert claim(match.pk, "here")
    with refused("no_result"):
        void(match.pk if status != "nowhere" else 10**9, "wrong", eve)


def test_a_closed_season_stays_as_it_is(played: Ladder, eve: User) -> None:
    old = finished_matches(played)[0]
    season = close(played.seasons.get())
    before, final = ratings(played), list(FinalStanding.objects.values())
    with refused("season_closed"):
        void(old.pk, "wrong", eve)
    membership = played.memberships.filter(games=0, seats__isnull=False)[0]
    change_k(played, KFactor(32, 16), "we learned", eve)
    merge(membership, None, "cheated", eve)
    assert ratings(played) == before
    assert list(FinalStanding.objects.values()) == final
    assert differences() == []
    assert season.closed


def test_without_an_open_season_nothing_is_corrected(played: Ladder, eve: User) -> None:
    close(played.seasons.get(), None)
    for correct in (
        lambda: change_k(played, KFactor(32, 16), "we learned", eve),
        lambda: merge(played.memberships.all()[0], None, "cheated", eve),
    ):
        with refused("no_open_season"):
            correct()
    assert differences() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("then", [None, Fraction(1, 2)])
def test_a_season_that_closes_during_a_void_keeps_the_result(played: Ladder, eve: User, then: Fraction | None) -> None:
    season, match, final = played.seasons.get(), finished_matches(played)[0], list[Any]()

    def closing(execute: Any, sql: str, *rest: Any) -> Any:
        if not final and 'FROM "ladder_rebuildrun"' in sql and not connection.in_atomic_block:
            final.append(close(season, then).closed)
        return execute(sql, *rest)

    with refused("invalid_correction"), connection.execute_wrapper(closing):
        void(match.pk, "wrong", eve)
    assert all(final)
    match.refresh_from_db()
    assert (match.status, Intervention.objects.count()) == ("finished", 0)
    assert differences() == []


def test_a_new_k_counts_from_the_seasons_beginning_and_for_what_follows(played: Ladder, eve: User) -> None:
    before = ratings(played)
    change_k(played, KFactor(80, 40, 30), "more movement", eve)
    after = ratings(played)
    assert all(after[membership][2:] == row[2:] for membership, row in before.items())
    assert max(row[0] for row in after.values()) > max(row[0] for row in before.values())
    assert sum_is_zero(played)
    void(finished_matches(played)[0].pk, "wrong", eve)
    finish_all(played)
    assert differences() == []
    with refused("same_k"):
        change_k(played, KFactor(80, 40, 30), "again", eve)


def test_an_entry_that_is_merged_out_keeps_nothing_and_takes_nothing(played: Ladder, eve: User) -> None:
    out = finished_matches(played)[0].seats.get(index=0).membership
    merge(out, None, "it was played by a person", eve)
    assert ratings(played)[out.pk] == (START_RATING, 0, 0, 0)
    assert not SeatResult.objects.filter(seat__membership=out).exclude(rating_before=None).exists()
    assert sum_is_zero(played)
    assert differences() == []
    void(finished_matches(played)[1].pk, "so that somebody plays", eve)
    finish_all(played)
    assert ratings(played)[out.pk] == (START_RATING, 0, 0, 0)
    assert differences() == []
    merge(out, out, "it was not", eve)
    assert ratings(played)[out.pk][2] > 0
    assert differences() == []


def test_an_entry_that_is_merged_into_another_plays_for_it(played: Ladder, eve: User) -> None:
    first, other = [seat.membership for seat in finished_matches(played)[0].seats.order_by("index")[:2]]
    games = ratings(played)[first.pk][2] + ratings(played)[other.pk][2]
    merge(first, other, "the same program", eve)
    assert ratings(played)[first.pk] == (START_RATING, 0, 0, 0)
    assert ratings(played)[other.pk][2] == games
    assert sum_is_zero(played)
    void(finished_matches(played)[-1].pk, "so that somebody plays", eve)
    finish_all(played)
    assert differences() == []


def test_entries_are_merged_on_one_ladder_and_in_no_circle(played: Ladder, duel: Ladder, eve: User) -> None:
    first, other = played.memberships.all()[:2]
    elsewhere = duel.memberships.all()[0]
    before = snapshot()
    with refused("different_ladders"):
        merge(first, elsewhere, "same", eve)
    with refused("not_merged"):
        merge(first, first, "same", eve)
    assert snapshot() == before
    merge(first, other, "same", eve)
    with refused("invalid_correction") as refusal:
        merge(other, first, "same", eve)
    assert first.bot.name in str(refusal.value) and other.bot.name in str(refusal.value)
    assert differences() == []


def test_a_merge_is_written_to_the_ledger_once(played: Ladder, eve: User) -> None:
    first, other = played.memberships.all()[:2]
    for into in (other, None):
        merge(first, into, "same", eve)
        before = snapshot()
        with refused("not_merged"):
            merge(first, into, "same", eve)
        assert snapshot() == before


def test_only_staff_correct_and_they_say_why(played: Ladder, eve: User) -> None:
    match, before = finished_matches(played)[0], snapshot()
    ada, former = person("ada"), staff("former")
    former.is_active = False
    for who in (ada, former):
        with refused("staff_only"):
            void(match.pk, "wrong", who)
    for reason in ("", " \n "):
        with refused("no_reason"):
            change_k(played, KFactor(1, 1), reason, eve)
    with refused("reason_too_long"):
        withdraw(match.pk, "x" * 401, eve)
    assert snapshot() == before


@pytest.mark.parametrize("change", [{"document": {}}, {"hash": "0" * 64}])
def test_a_ledger_that_does_not_stand_up_is_not_corrected(played: Ladder, eve: User, change: dict[str, Any]) -> None:
    entry = LedgerEntry.objects.filter(ladder=played, kind="result")[1]
    LedgerEntry.objects.filter(pk=entry.pk).update(**change)
    before = snapshot()
    with refused("broken_ledger"):
        void(finished_matches(played)[0].pk, "wrong", eve)
    assert snapshot() == before


def test_a_ledger_is_corrected_despite_concurrent_results(
    played: Ladder, eve: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no try left, it is read under the lock."""
    monkeypatch.setattr("ladder.ledger.rebuild.TRIES", 0)
    void(finished_matches(played)[3].pk, "wrong", eve)
    assert differences() == []


def test_an_unrated_result_is_voided_without_a_ledger_entry(played: Ladder, bot: Bot, eve: User) -> None:
    block = Block.objects.filter(ladder=played).order_by("pk")[0]
    match = Match.objects.filter(block=block)[0]
    Block.objects.filter(pk=block.pk).update(purpose="test")
    before = LedgerEntry.objects.count()
    void(match.pk, "wrong", eve)
    match.refresh_from_db()
    assert (match.status, LedgerEntry.objects.count()) == ("void", before)


def correct(*words: object, by: str = "eve") -> str:
    out = StringIO()
    call_command("correct", *map(str, words), "--by", by, "--reason", "so it is", stdout=out)
    return out.getvalue()


def test_staff_correct_from_the_command_line_too(played: Ladder, eve: User) -> None:
    match = finished_matches(played)[0]
    first, other = [seat.membership for seat in match.seats.order_by("index")[:2]]
    assert "Block 3 " in correct("void", match.pk)
    queued = Match.objects.filter(status="queued")[0]
    assert correct("withdraw", queued.pk) == f"Match {queued.pk} is now canceled.\n"
    assert correct("k", played.slug, 32, 16, 25).startswith("Added ledger entry ")
    correct("merge", played.slug, first.bot.slug, other.bot.slug)
    assert rating_rules_of(played).merged == {first.pk: other.pk}
    correct("merge", played.slug, first.bot.slug, first.bot.slug)
    correct("merge", played.slug, other.bot.slug)
    rules = rating_rules_of(played)
    assert (rules.merged, rules.k.provisional_games) == ({other.pk: None}, 25)
    written = LedgerEntry.objects.filter(ladder=played).exclude(kind__in=("result", "season"))
    assert {(membership.author, membership.document["reason"]) for membership in written} == {(eve, "so it is")}
    assert differences() == []


def test_refused_corrections_have_a_sentence(played: Ladder, eve: User) -> None:
    person("ada")
    for words, by, sentence in (
        (("void", 10**9), "eve", "not found"),
        (("withdraw", 10**9), "eve", "not found"),
        (("void", finished_matches(played)[0].pk), "ada", "Only site staff"),
        (("void", 1), "nobody", "User nobody not found."),
        (("k", played.slug, 0, 16, 25), "eve", "K must be from 1 to 1000"),
        (("k", "nowhere", 1, 16, 25), "eve", "Ladder nowhere not found."),
        (("merge", played.slug, "nothing"), "eve", "Bot nothing not found"),
    ):
        with pytest.raises(CommandError, match=sentence):
            correct(*words, by=by)


def test_a_canceled_match_has_its_author_time_and_reason(match: Match, eve: User) -> None:
    assert withdraw(match.pk, "not needed", eve) == "cancelled"
    match.refresh_from_db()
    assert (match.status, match.reason) == ("cancelled", "Canceled by site staff: not needed")
    intervention = Intervention.objects.get()
    assert (intervention.match, intervention.action, intervention.reason, intervention.author) == (
        match,
        "cancelled",
        "not needed",
        eve,
    )


def test_a_match_that_was_tried_is_void(match: Match, eve: User) -> None:
    give_back(claimed(match), Attempt.Ending.FAILED, "no sandbox")
    assert withdraw(match.pk, "it cannot be played", eve) == "void"
    assert Intervention.objects.get().action == "voided"


def test_the_result_of_a_withdrawn_match_is_refused(match: Match, eve: User) -> None:
    lease = claimed(match)
    assert withdraw(match.pk, "stuck", eve) == "void"
    before = snapshot()
    assert record_result(lease, report_of(match)) is None
    assert not give_back(lease, Attempt.Ending.FAILED, "too late")
    assert snapshot() == before
    attempt = Attempt.objects.get(match=match)
    assert attempt.ending == "withdrawn"
    assert attempt.failure


def test_a_block_opens_with_its_last_game_that_is_withdrawn(match: Match, eve: User) -> None:
    games = list(Match.objects.filter(block=match.block_id).order_by("pk"))
    for place, game in enumerate(games, 1):
        withdraw(game.pk, "not needed", eve)
        assert (Block.objects.get(pk=match.block_id).ended is None) == (place < len(games))


def test_an_ended_match_cannot_be_withdrawn(match: Match, eve: User) -> None:
    record_result(claimed(match), report_of(match))
    before = snapshot()
    for pk in (match.pk, 10**9):
        with refused("match_ended"):
            withdraw(pk, "late", eve)
    assert snapshot() == before


def test_the_audit_log_lists_what_staff_did_to_matches(played: Ladder, eve: User) -> None:
    finished = Match.objects.filter(ladder=played, status="finished").order_by("pk")[:1].get()
    fill(Random(2))
    withdrawn = Match.objects.filter(ladder=played, status="queued").order_by("pk")[:1].get()
    void(finished.pk, "<b>a wrong deal</b>", eve)
    withdraw(withdrawn.pk, "stuck", eve)
    client = Client()
    client.force_login(eve)
    response = client.get("/staff/trail/?of=matches")
    rows = response.context["actions"].rows
    assert [(row.match_id, row.action, row.reason, row.author) for row in rows] == [
        (withdrawn.pk, "cancelled", "stuck", eve),
        (finished.pk, "taken back", "<b>a wrong deal</b>", eve),
    ]
    text = response.content.decode()
    assert f'href="/matches/{finished.pk}/"' in text and "&lt;b&gt;a wrong deal&lt;/b&gt;" in text and "eve" in text
    assert client.get("/staff/trail/").context["actions"].rows == []


@pytest.mark.locks
@pytest.mark.parametrize(
    "statement", ["UPDATE ladder_intervention SET reason = 'x'", "DELETE FROM ladder_intervention"]
)
def test_the_database_refuses_to_change_what_staff_did_to_matches(match: Match, eve: User, statement: str) -> None:
    withdraw(match.pk, "stuck", eve)
    if statement.startswith("DELETE") and connection.vendor != "postgresql":
        pytest.skip("SQLite refuses changes alone: its tables are emptied by DELETE")
    with pytest.raises(DatabaseError, match="stays on record"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Intervention.objects.get().reason == "stuck"
