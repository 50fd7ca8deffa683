from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from time import monotonic

import orjson
import pytest
from django.db.models import Q
from django.utils import timezone

from bots.protocol import Limits
from ladder.live import decisions
from ladder.live.answers import GRACE, MOST_NEVER_SENT, JudgedAnswer, answer, expire
from ladder.live.sweep import sweep_tables
from ladder.models import LiveSeat, Match, PlayedMove
from tests.build import snapshot
from tests.ladder.live.play import (
    CALM,
    asked,
    bot_at,
    game_of,
    live_ladder,
    owing,
    pass_time,
    position,
    post,
    remote_bots,
    run_out,
    table_of,
)

pytestmark = pytest.mark.django_db

GRACE_S = GRACE.total_seconds()
SHORT = Limits(move_ms=5000, bank_ms=60_000, game_ms=600_000)


@pytest.fixture
def match() -> Match:
    return game_of("edel-stein-reich", 3, SHORT)


def test_a_decision_is_lost_at_its_deadline_even_if_no_sweeper_has_come(match: Match) -> None:
    run_out(match, 0, ago=0.5)
    assert post(match, 0, 1, "gems") == JudgedAnswer("late", "money", "late")
    live_seat, row = position(match).live_seats[0], PlayedMove.objects.get()
    assert (live_seat.strikes, live_seat.bank_ms, live_seat.game_ms, live_seat.owes) == (1, 0, 535_000, False)
    assert (row.wall_ms, row.default, row.detail) == (65_000, "late", "no answer within 65000 ms")
    assert row.received_at < row.visible_at


def test_an_answer_that_arrived_in_time_counts_however_late_it_is_judged(match: Match) -> None:
    run_out(match, 0, ago=1)
    body = orjson.dumps({"move": "gems"})
    assert answer(match.pk, bot_at(match, 0), 1, body, monotonic() - 1.5) == JudgedAnswer("played", "gems")
    assert PlayedMove.objects.get().wall_ms == pytest.approx(64_500, abs=300)


def test_an_answer_that_came_after_the_deadline_is_late_by_however_little(match: Match) -> None:
    run_out(match, 0, ago=1)
    body = orjson.dumps({"move": "gems"})
    assert answer(match.pk, bot_at(match, 0), 1, body, monotonic() - 0.9).verdict == "late"


def test_an_answer_counts_that_seems_to_have_arrived_just_before_its_decision_was_shown(match: Match) -> None:
    before = LiveSeat.objects.get(table=match.pk, seat__index=0)
    body = orjson.dumps({"move": "gems"})
    assert answer(match.pk, bot_at(match, 0), 1, body, monotonic() - 60) == JudgedAnswer("played", "gems")
    row, after = PlayedMove.objects.get(), LiveSeat.objects.get(table=match.pk, seat__index=0)
    assert (row.wall_ms, row.received_at) == (0, before.due_at)
    assert (after.bank_ms, after.game_ms, after.strikes) == (before.bank_ms, before.game_ms, 0)


def test_the_sweeper_leaves_answers_on_their_way_a_moment(match: Match) -> None:
    run_out(match, 0, ago=GRACE_S - 1)
    before = snapshot()
    assert (sweep_tables(), expire(match.pk)) == (0, 0)
    assert snapshot() == before
    run_out(match, 0, ago=GRACE_S + 1)
    assert sweep_tables() == 1
    assert PlayedMove.objects.get().default == "late"
    assert post(match, 0, 1, "gems") == JudgedAnswer("late", "money", "late")
    assert sweep_tables() == 0


def test_a_game_that_its_bot_never_received_ends_without_a_result(match: Match) -> None:
    run_out(match, 0, received=False)
    assert sweep_tables() == 1
    match.refresh_from_db()
    assert (match.status, bool(match.reason)) == ("aborted", True)
    assert not PlayedMove.objects.exists()
    assert not LiveSeat.objects.filter(Q(owes=True) | Q(strikes__gt=0)).exists()


@pytest.mark.parametrize("received", ["note_sent", "answer"])
def test_a_bot_that_has_received_its_game_cannot_avoid_it_by_going_offline(match: Match, received: str) -> None:
    if received == "answer":  # without asking, but it knows of the game
        post(match, 0, 1, "gems")
        while 0 not in owing(match):
            pass_time(match)
            post(match, owing(match)[0], asked(match, owing(match)[0])["id"], "money")
    run_out(match, 0, received=received == "note_sent")
    assert sweep_tables() == 1
    match.refresh_from_db()
    assert (match.status, position(match).live_seats[0].strikes) == ("running", 1)


def test_a_bot_cannot_avoid_more_than_a_few_games_a_day() -> None:
    ladder, bots = live_ladder("edel-stein-reich", 3), remote_bots(3)
    for number in range(MOST_NEVER_SENT + 1):
        match = table_of(ladder, bots, limits=SHORT)
        run_out(match, 0, received=False)
        assert expire(match.pk) == 1
        match.refresh_from_db()
        assert match.status == ("running" if number == MOST_NEVER_SENT else "aborted")
    assert position(match).live_seats[0].strikes == 1
    yesterday = timezone.now() - timedelta(days=1)
    Match.objects.filter(status="aborted").update(ended=yesterday)
    match = table_of(ladder, bots, limits=SHORT)
    run_out(match, 0, received=False)
    expire(match.pk)
    match.refresh_from_db()
    assert match.status == "aborted"


def test_a_seat_asked_again_after_a_swept_move_has_its_full_time() -> None:
    match = game_of("edel-stein-reich-duel", 2, SHORT)
    for _ in range(4):
        run_out(match, owing(match)[0])
        assert expire(match.pk) == 1
        assert len(owing(match)) == 1


def test_a_bot_that_disappears_forfeits_by_its_clock_and_the_others_play_on() -> None:
    match = game_of("edel-stein-reich", 3, SHORT)
    for _ in range(3):
        while 0 not in owing(match):
            pass_time(match)
            seat = owing(match)[0]
            post(match, seat, asked(match, seat)["id"], asked(match, seat)["decision"]["default"])
        run_out(match, 0)
        assert sweep_tables() == 1
    live_seat = position(match).live_seats[0]
    assert (live_seat.forfeit, live_seat.strikes, live_seat.owes) == ("strikes", 3, False)
    pass_time(match)
    assert 0 not in owing(match)
    for seat in owing(match):
        post(match, seat, asked(match, seat)["id"], asked(match, seat)["decision"]["default"])
    assert position(match).live_seats[0].asked == live_seat.asked


def test_the_budget_of_the_whole_game_is_lost_as_a_game() -> None:
    match = game_of("edel-stein-reich", 3, replace(SHORT, game_ms=4000))
    assert asked(match, 0)["clock"] == {"move_ms": 5000, "bank_ms": 60_000, "game_ms": 4000}
    run_out(match, 0, ago=0.1)
    assert post(match, 0, 1, "gems") == JudgedAnswer("late", "money", "forfeit")
    live_seat = position(match).live_seats[0]
    assert (live_seat.forfeit, live_seat.evidence, live_seat.game_ms) == (
        "time",
        "the time for the whole game is used up",
        0,
    )


def test_time_is_taken_first_from_the_move_then_from_the_bank(match: Match) -> None:
    live_seats = LiveSeat.objects.filter(seat__match=match)
    for seat, (took_s, bank_ms) in enumerate([(3, 60_000), (6, 59_000), (25, 40_000)]):
        run_out(match, seat, ago=took_s - 65)
        post(match, seat, 1, "money")
        live_seat = live_seats.get(seat__index=seat)
        assert live_seat.game_ms == pytest.approx(600_000 - took_s * 1000, abs=400)
        assert PlayedMove.objects.latest("number").wall_ms == 600_000 - live_seat.game_ms
        assert live_seat.bank_ms == pytest.approx(bank_ms, abs=400)


def test_the_clock_of_a_seat_starts_when_its_decision_is_sent() -> None:
    match = game_of("die-weinhaendler", 3, SHORT)
    while not PlayedMove.objects.exclude(delays=[]).exists():
        pass_time(match)
        seat = owing(match)[0]
        message = asked(match, seat)
        post(match, seat, message["id"], message["decision"]["legal"][-1])
    table = position(match)
    for live_seat in table.live_seats:
        if live_seat.owes and live_seat.due_at and live_seat.deadline:
            assert live_seat.due_at >= table.table.settled_at
            allowed = table.clock(live_seat.seat.index).allowed_ms
            assert (live_seat.deadline - live_seat.due_at).total_seconds() * 1000 == allowed


def test_a_table_that_waits_for_nobody_late_is_left_alone() -> None:
    game_of("edel-stein-reich-duel", 2, CALM)
    before = snapshot()
    assert sweep_tables() == 0
    assert snapshot() == before
    assert decisions.open_decisions(10**6) == []
