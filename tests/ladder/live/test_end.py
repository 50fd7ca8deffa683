from __future__ import annotations

import logging
from datetime import timedelta

import pytest
from django.utils import timezone

from ladder.corrections import withdraw
from ladder.exports.documents import match_log_of, record_of
from ladder.ledger.rebuild import rerate
from ladder.live import decisions
from ladder.live.decisions import note_sent
from ladder.live.end import finish, report_of, void
from ladder.live.sweep import BROKEN, TOO_LONG, sweep_tables
from ladder.matches.pauses import BAD
from ladder.models import Attempt, LiveSeat, Match, Membership, PlayedMove, Result, SeatResult, Table
from ladder.openness import is_open
from ladder.packing import unpack
from tests.build import snapshot, staff
from tests.ladder.live.play import (
    at_random,
    bot_at,
    game_of,
    live_ladder,
    owing,
    play_on,
    play_out,
    position,
    post,
    remote_bots,
    run_out,
    table_of,
)

pytestmark = pytest.mark.django_db


def again(match: Match) -> Match:
    return Match.objects.select_related("ladder", "block").get(pk=match.pk)


@pytest.fixture
def duel() -> Match:
    return game_of("edel-stein-reich-duel", 2)


@pytest.fixture
def over(duel: Match) -> Match:
    """A game after its last move, whose result nobody has brought."""
    play_out(duel, at_random(3))
    return duel


def test_a_result_is_recorded_once_and_rated(over: Match) -> None:
    assert Table.objects.get().over
    assert [finish(over.pk), finish(over.pk)] == [True, False]
    match = again(over)
    assert (match.status, match.lease, match.attempts.get().ending) == ("finished", None, "finished")
    assert is_open(match.block)
    assert unpack(bytes(Result.objects.get().packed_record)) == position(match).state().record == record_of(match)
    assert sorted(Membership.objects.values_list("games", flat=True)) == [1, 1]
    assert [rebuild.differences for rebuild in rerate(check=True, records=True)] == [[]]


def test_the_sweeper_records_missing_results(over: Match) -> None:
    assert (sweep_tables(), sweep_tables()) == (1, 0)
    assert again(over).status == "finished"


def test_a_running_game_has_no_result_to_record(duel: Match) -> None:
    before = snapshot()
    assert not finish(duel.pk)
    assert not finish(10**6)
    assert snapshot() == before


def test_a_casual_game_counts_nowhere() -> None:
    match = table_of(live_ladder("edel-stein-reich-duel", 2), remote_bots(2), rated=False)
    play_out(match, at_random(3))
    assert finish(match.pk)
    assert SeatResult.objects.filter(rating_after=None).count() == 2
    assert set(Membership.objects.values_list("games", flat=True)) == {0}


def test_the_last_event_of_a_game_is_its_end(over: Match) -> None:
    finish(over.pk)
    place = decisions.position_for(over.pk, bot_at(over, 0))
    assert place is not None
    event = decisions.game_end(*place)
    assert (event["type"], event["status"], event["reason"]) == ("game_end", "finished", "")
    assert event["message"]["outcome"] == (record_of(again(over)) or {})["outcome"]
    whole = position(over).state().entries(0)
    log = event["message"]["log"]
    assert 0 < len(log) < len(whole)
    assert whole[-len(log) :] == log


def test_the_report_of_a_live_game_has_times_strikes_and_answers(duel: Match) -> None:
    seat = owing(duel)[0]
    post(duel, seat, 1, "nonsense")
    run_out(duel, owing(duel)[0])
    sweep_tables()
    play_out(duel, at_random(3))
    report = report_of(position(duel))
    strike = report.seats[seat].strikes[0]
    assert (strike.id, strike.reason) == (1, "illegal")
    assert "nonsense" in strike.answer and "Legal moves" in strike.detail
    assert [s.reason for s in report.seats[1 - seat].strikes] == ["late"]
    for index, live_seat in enumerate(position(duel).live_seats):
        assert [thought.id for thought in report.seats[index].decisions] == list(range(1, live_seat.asked + 1))
    assert finish(duel.pk)


def test_three_games_lost_by_the_clock_pause_a_bot() -> None:
    ladder, bots = live_ladder("edel-stein-reich-duel", 2), remote_bots(2)
    for _ in range(3):
        match = table_of(ladder, bots)
        for _ in range(3):
            while 0 not in owing(match):
                play_on(match, at_random(1), 1)
            run_out(match, 0)
            sweep_tables()
        play_out(match, at_random(1))
        assert finish(match.pk)
    bots[0].refresh_from_db()
    assert bots[0].paused is not None
    assert BAD["strikes"] in bots[0].pause_reason


def test_a_void_game_says_why_and_shows_all_of_its_moves(duel: Match) -> None:
    play_on(duel, at_random(1), 12)
    assert [void(duel.pk, "The power was cut."), void(duel.pk, "again")] == [True, False]
    match = again(duel)
    assert (match.status, match.reason, match.attempts.get().ending) == ("void", "The power was cut.", "failed")
    assert not LiveSeat.objects.filter(owes=True).exists()
    assert is_open(match.block)
    log = match_log_of(match)
    assert log is not None
    assert log["steps"] == position(duel).state().record["steps"]
    assert len([step for step in log["steps"] if "decision" in step and not step.get("forced")]) == 12
    place = decisions.position_for(duel.pk, bot_at(duel, 0))
    assert place is not None
    event = decisions.game_end(*place)
    assert (event["message"], event["status"], event["reason"]) == (None, "void", "The power was cut.")


def test_staff_can_end_a_live_game(duel: Match) -> None:
    post(duel, owing(duel)[0], 1, "gems")
    assert withdraw(duel.pk, "It was a mistake.", staff("eva")) == Match.Status.VOID
    assert again(duel).reason == "Voided by site staff: It was a mistake."
    assert not LiveSeat.objects.filter(owes=True).exists()
    assert sweep_tables() == 0
    assert PlayedMove.objects.count() == 1


def test_a_game_beyond_its_maximum_duration_is_void(duel: Match) -> None:
    Match.objects.filter(pk=duel.pk).update(lease_until=timezone.now())
    assert sweep_tables() == 1
    assert (again(duel).status, again(duel).reason) == ("void", TOO_LONG)


def test_a_broken_table_is_void_and_does_not_delay_others(duel: Match, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)
    seat = owing(duel)[0]
    post(duel, seat, 1, "gems")
    other = table_of(duel.ladder, [seat.version.bot for seat in duel.seats.order_by("index")])
    PlayedMove.objects.filter(match=duel).update(move="nonsense")
    for match in (duel, other):
        for row in match.seats.select_related("version"):
            note_sent(match.pk, row.version.bot_id)
        for row in LiveSeat.objects.filter(table=match.pk, owes=True):
            row.due_at = row.deadline = timezone.now() - timedelta(seconds=10)
            row.save()
    assert sweep_tables() == 2
    assert (again(duel).status, again(duel).reason) == ("void", BROKEN)
    assert again(other).status == "running"
    assert PlayedMove.objects.get(match=other).default == "late"
    assert Attempt.objects.get(match=duel).ending == "failed"
