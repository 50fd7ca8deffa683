"""People at live tables: answers, absences, substitutes, and how their games end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from bots.models import Bot
from bots.owners import guest_player
from esr_platform.accounts.errors import Refused
from games.rules import Document
from ladder.live import actions, rights
from ladder.live.absences import NOBODY_LEFT, NoSubstitute, substitute_for
from ladder.live.actions import seat_of
from ladder.live.answers import AnswerVerdict, answer_seat, expire
from ladder.live.hosted import ask_seat, remind, take
from ladder.live.presence import note_seen, notice_gone
from ladder.live.rights import rights_of
from ladder.live.start import open_table
from ladder.live.sweep import sweep_tables
from ladder.live.visibility import ended
from ladder.matches.blocks import BlockPlayer
from ladder.models import LiveSeat, Match, Membership, Occupant, PlayedMove, SeatLog, SeatResult, Table
from ladder.verification.ladders import verify_games
from tests.ladder.live.hosted import Fakes, default
from tests.ladder.live.people import (
    LATE_S,
    QUICK,
    SECRET,
    again,
    against_the_house,
    answer_any,
    ask_workers,
    beat_ago,
    check_ended,
    house,
    ladder_of,
    live_seat_at,
    look,
    miss,
    owing,
    people,
    play_to_the_end,
    sat,
    say,
    seen,
    settle,
    table_for,
    written,
)
from tests.ladder.live.play import position, run_out
from tests.refusals import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

DUEL = "edel-stein-reich-duel"
GEMS = "edel-stein-reich"
WINE = "die-weinhaendler"


# --- sitting down --------------------------------------------------------------------------------------------------


def test_people_play_with_deadlines_and_every_seat_has_an_occupant() -> None:
    match = table_for(DUEL, people(2), rated=True)
    for seat, live_seat in enumerate(position(match).live_seats):
        assert live_seat.kind == LiveSeat.Kind.PERSON
        assert live_seat.seen_at is not None
        assert sat(match, seat) == [(f"player{seat}", 0, None)]
    (seat,) = owing(match)
    live_seat = live_seat_at(match, seat)
    assert live_seat.deadline is not None and live_seat.due_at is not None
    assert live_seat.deadline - live_seat.due_at == timedelta(milliseconds=225_000)


def test_a_table_of_bots_has_no_occupants() -> None:
    table_for(DUEL, house("greedy", "random"), players="open")
    assert not Occupant.objects.exists()


def test_a_seat_is_found_by_its_user_or_guest_secret() -> None:
    match = against_the_house()
    ada, berta = people(2)
    other = table_for(DUEL, [ada, berta])
    assert seat_of(match.pk, None, SECRET) == 0
    assert seat_of(match.pk, None, "another one") is None
    assert seat_of(match.pk, ada.bot.owner_id, None) is None
    assert [seat_of(other.pk, player.bot.owner_id, None) for player in (ada, berta)] == [0, 1]
    assert seat_of(other.pk, berta.bot.owner_id, SECRET) == 1
    assert [seat_of(number, ada.bot.owner_id, SECRET) for number in (0, -1, 2**70)] == [None] * 3
    assert seat_of(other.pk, None, None) is None


def test_a_guest_without_a_secret_sits_nowhere() -> None:
    players = [BlockPlayer(player) for player in (guest_player(), *house("greedy"))]
    with pytest.raises(ValueError, match="guests"):
        open_table(ladder_of(DUEL, 2, "open"), players, rated=False, limits=QUICK)


# --- answering -----------------------------------------------------------------------------------------------------


def test_the_answer_of_a_person_is_played_once() -> None:
    match = table_for(GEMS, people(3))
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED
    assert say(match, 0, "gems", 1).verdict is AnswerVerdict.SAME
    assert say(match, 0, "money", 1).verdict is AnswerVerdict.OTHER
    assert say(match, 0, "money", 2).verdict is AnswerVerdict.UNKNOWN
    assert PlayedMove.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"{", "malformed"),
        (b"[]", "malformed"),
        (b'{"id": 1}', "malformed"),
        (b'{"id": 1, "move": "diamonds"}', "illegal"),
        (b'{"id": 1, "move": {"offer": [1, 0, 0, 0]}}', "illegal"),
        (b" " * 70_000, "too_long"),
    ],
)
def test_an_invalid_answer_of_a_person_costs_nothing_and_can_be_repeated(body: bytes, fault: str) -> None:
    match = table_for(GEMS, people(3))
    judged = answer_seat(match.pk, 0, 1, body)
    assert (judged.verdict, judged.default, judged.move) == (AnswerVerdict.REFUSED, fault, None)
    assert judged.detail and judged.question is not None
    assert not PlayedMove.objects.exists()
    assert live_seat_at(match, 0).strikes == 0
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED


def test_answers_to_settled_decisions_and_illegal_ones_change_nothing() -> None:
    match = table_for(GEMS, people(3))
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED
    revision = Table.objects.get().revision
    assert [say(match, 0, move, 1).verdict for move in ("gems", "money")] == [AnswerVerdict.SAME, AnswerVerdict.OTHER]
    assert answer_seat(match.pk, 0, 1, b'{"id": 2, "move": "gems"}').verdict is AnswerVerdict.WRONG_ID
    assert say(match, 1, "diamonds").verdict is AnswerVerdict.REFUSED
    assert Table.objects.get().revision == revision


def test_a_decision_that_was_not_sent_yet_is_refused_like_an_unknown_one() -> None:
    match = table_for(GEMS, people(3))
    LiveSeat.objects.filter(table=match.pk).update(due_at=timezone.now() + timedelta(minutes=1))
    assert [say(match, 0, "gems", decision).verdict for decision in (1, 2)] == [AnswerVerdict.UNKNOWN] * 2


def test_an_answer_with_the_number_of_another_decision_is_refused() -> None:
    match = table_for(GEMS, people(3))
    assert answer_seat(match.pk, 0, 1, b'{"id": 2, "move": "gems"}').verdict is AnswerVerdict.WRONG_ID


def test_nobody_can_answer_for_a_bot_or_an_absent_player() -> None:
    match = against_the_house()
    for seat in (1, 2, 5):
        assert answer_seat(match.pk, seat, 1, b'{"move": "gems"}').verdict is AnswerVerdict.UNKNOWN
    assert answer_seat(match.pk + 1, 0, 1, b'{"move": "gems"}').verdict is AnswerVerdict.UNKNOWN
    assert answer_seat(2**70, 0, 1, b'{"move": "gems"}').verdict is AnswerVerdict.UNKNOWN


def test_time_is_taken_from_the_move_and_then_from_the_bank() -> None:
    match = table_for(GEMS, people(3))
    run_out(match, 0, ago=-170)
    beat_ago(match, 0)
    assert say(match, 0, "gems").verdict is AnswerVerdict.PLAYED
    assert live_seat_at(match, 0).bank_ms == pytest.approx(170_000, abs=2000)


# --- absences ------------------------------------------------------------------------------------------------------


def test_a_present_player_who_misses_one_decision_keeps_the_seat() -> None:
    match = table_for(GEMS, people(3))
    seen(match, 0)
    miss(match, 0)
    row, live_seat = PlayedMove.objects.get(), live_seat_at(match, 0)
    assert (row.default, row.decision, live_seat.strikes, live_seat.missed) == ("absent", 1, 0, 1)
    assert (live_seat.kind, live_seat.bank_ms) == (LiveSeat.Kind.PERSON, 0)
    assert say(match, 0, "gems", 1).verdict is AnswerVerdict.LATE


def test_an_answer_resets_the_number_of_missed_decisions() -> None:
    match = table_for(GEMS, people(3))
    for turn in range(3):
        seen(match, 0)
        while 0 not in owing(match):
            answer_any(match, owing(match)[0])
        miss(match, 0) if turn != 1 else answer_any(match, 0)
        assert live_seat_at(match, 0).missed == (turn != 1)
    assert live_seat_at(match, 0).kind == LiveSeat.Kind.PERSON


def test_a_player_who_misses_two_decisions_in_a_row_is_substituted() -> None:
    match = table_for(GEMS, people(3))
    for _ in range(2):
        seen(match, 0)
        while 0 not in owing(match):
            answer_any(match, owing(match)[0])
        miss(match, 0)
    live_seat = live_seat_at(match, 0)
    assert live_seat.kind == LiveSeat.Kind.SUBSTITUTE
    assert live_seat.substitute is not None and live_seat.playing == live_seat.substitute
    absent = PlayedMove.objects.filter(default="absent").order_by("number").last()
    assert absent is not None
    assert sat(match, 0) == [
        ("player0", 0, absent.number + 1),
        (live_seat.substitute.bot.name, absent.number + 1, None),
    ]


def test_an_absent_player_is_substituted_immediately_and_a_worker_plays() -> None:
    match = table_for(GEMS, people(3))
    seen(match, 0, ago_s=31)
    miss(match, 0)
    assert live_seat_at(match, 0).kind == LiveSeat.Kind.SUBSTITUTE
    for seat in (1, 2):
        answer_any(match, seat)
    while not ask_workers(match):
        answer_any(match, owing(match)[0])
    row = PlayedMove.objects.filter(seat=live_seat_at(match, 0).seat).latest("number")
    assert (row.default, row.decision) == ("", 2)


def test_a_substitute_does_not_use_the_clock_of_the_person() -> None:
    match = table_for(GEMS, people(3))
    seen(match, 0, ago_s=31)
    miss(match, 0)
    before = live_seat_at(match, 0)
    while not ask_workers(match):
        answer_any(match, owing(match)[0])
    after = live_seat_at(match, 0)
    assert (after.bank_ms, after.game_ms) == (before.bank_ms, before.game_ms)


def test_a_player_without_game_time_is_substituted_and_cannot_return() -> None:
    match = table_for(GEMS, people(3), limits=replace(QUICK, game_ms=60_000))
    seen(match, 0)
    miss(match, 0)
    live_seat = live_seat_at(match, 0)
    assert (live_seat.kind, live_seat.game_ms, live_seat.forfeit) == (LiveSeat.Kind.SUBSTITUTE, 0, "")
    assert not rights_of(position(match), 0)["return"]
    with refused("no_return"):
        actions.return_to_seat(match.pk, 0)


def test_the_strongest_house_bot_is_the_substitute() -> None:
    assert substitute_for(DUEL, 2).bot.house_name == "kontor"
    assert substitute_for(WINE, 4).bot.house_name == "sommelier"
    Membership.objects.filter(ladder__slug=DUEL, bot__house_name="miser").update(rating=1_900_000, games=100)
    assert substitute_for(DUEL, 2).bot.house_name == "miser"
    Bot.objects.filter(house_name="miser").update(retired=timezone.now())
    assert substitute_for(DUEL, 2).bot.house_name == "kontor"
    with pytest.raises(NoSubstitute):
        substitute_for("chess", 2)


# --- presence ------------------------------------------------------------------------------------------------------


def test_signs_of_life_are_written_now_and_then_and_never_touch_a_deadline() -> None:
    match = table_for(GEMS, people(3))
    deadline = live_seat_at(match, 0).deadline
    assert note_seen({match.pk: {0, 1}}) == 2  # for the first time
    assert note_seen({match.pk: {0, 1}}) == 0
    for seat in range(3):
        seen(match, seat, ago_s=10)
    assert note_seen({match.pk: {0, 1}, match.pk + 5: {2}}) == 2
    assert note_seen({match.pk: {0, 1}}) == 0
    assert note_seen({}) == 0
    assert live_seat_at(match, 0).deadline == deadline
    assert [position(match).unseen(seat) > timedelta(seconds=9) for seat in range(3)] == [False, False, True]


def test_a_player_who_answers_is_present_without_a_stream() -> None:
    match = table_for(GEMS, people(3), rated=True)
    first = owing(match)[0]
    for seat in range(3):
        seen(match, seat, ago_s=70)
    answer_any(match, first)
    other = next(seat for seat in range(3) if seat != first)
    assert look(match, other)["here"][first] == "here"
    assert not rights_of(position(match), other)["claim"]
    assert rights_of(position(match), first)["claim"]


def test_leaving_is_noticed_once_and_returning_restores_presence() -> None:
    match = table_for(GEMS, people(3))
    assert notice_gone() == 0
    seen(match, 1, ago_s=31)
    assert look(match, 0)["here"] == ["here", "away", "here"]
    assert (notice_gone(), notice_gone()) == (1, 0)
    assert live_seat_at(match, 1).left_at is not None
    assert note_seen({match.pk: {1}}) == 1
    assert live_seat_at(match, 1).left_at is None
    assert look(match, 0)["here"] == ["here", "here", "here"]


# --- coming back ---------------------------------------------------------------------------------------------------


def substituted() -> Match:
    """A rated game of three people of whom the first has vanished."""
    match = table_for(GEMS, people(3), rated=True)
    seen(match, 0, ago_s=31)
    miss(match, 0)
    return match


def test_a_player_who_returns_takes_the_seat_once_with_the_remaining_time() -> None:
    match = substituted()
    while not LiveSeat.objects.filter(table=match.pk, owes=True, kind="substitute").exists():
        answer_any(match, owing(match)[0])
    settle(match)
    assert rights_of(position(match), 0)["return"]
    actions.return_to_seat(match.pk, 0)
    live_seat = live_seat_at(match, 0)
    assert (live_seat.kind, live_seat.returned, live_seat.missed) == (LiveSeat.Kind.PERSON, True, 0)
    assert live_seat.due_at is not None and live_seat.deadline is not None
    assert live_seat.deadline - live_seat.due_at == timedelta(milliseconds=45_000)  # the bank was used up
    assert live_seat.deadline > timezone.now() + timedelta(seconds=40)
    assert answer_any(match, 0).verdict is AnswerVerdict.PLAYED
    with refused("already_seated"):
        actions.return_to_seat(match.pk, 1)


def test_the_turn_of_a_worker_ends_when_the_person_returns() -> None:
    match = substituted()
    while not LiveSeat.objects.filter(table=match.pk, owes=True, kind="substitute").exists():
        answer_any(match, owing(match)[0])
    settle(match)
    turn = take(match.pk, 0)
    assert turn is not None
    actions.return_to_seat(match.pk, 0)
    assert not turn.lease.renew()
    assert (live_seat_at(match, 0).owes, live_seat_at(match, 0).lease) == (True, None)


def test_a_player_who_returns_before_a_substitute_move_was_always_the_occupant() -> None:
    match = substituted()
    actions.return_to_seat(match.pk, 0)
    assert sat(match, 0) == [("player0", 0, None)]


def test_the_second_time_they_only_watch() -> None:
    match = substituted()
    actions.return_to_seat(match.pk, 0)
    while live_seat_at(match, 0).kind == LiveSeat.Kind.PERSON:
        seen(match, 0, ago_s=31)
        while 0 not in owing(match):
            answer_any(match, owing(match)[0])
        miss(match, 0)
    assert rights_of(position(match), 0)["return"] is False
    with refused("no_return"):
        actions.return_to_seat(match.pk, 0)


def test_a_player_who_returned_before_the_end_has_not_abandoned() -> None:
    match = substituted()
    actions.return_to_seat(match.pk, 0)
    play_to_the_end(match)
    record = check_ended(match)
    assert record is not None
    assert not LiveSeat.objects.exclude(forfeit="").exists()


@pytest.mark.django_db(transaction=True)
def test_a_worker_whose_person_is_back_has_no_say_any_more() -> None:
    match = substituted()
    while not LiveSeat.objects.filter(table=match.pk, owes=True, kind="substitute").exists():
        answer_any(match, owing(match)[0])
    settle(match)
    moves = PlayedMove.objects.count()

    def back_meanwhile(message: Document) -> Any:
        if message["type"] == "decide":
            actions.return_to_seat(match.pk, 0)
        return default(message)

    assert not ask_seat(match.pk, 0, launcher=Fakes(back_meanwhile))
    assert PlayedMove.objects.count() == moves
    assert 0 in owing(match)


# --- endings -------------------------------------------------------------------------------------------------------


def test_a_player_who_did_not_return_has_abandoned_the_game() -> None:
    match = substituted()
    play_to_the_end(match)
    record = check_ended(match)
    assert record is not None
    assert record["outcome"]["scores"][0]["forfeit"] == "abandoned"
    assert record["outcome"]["ranks"][0] == 3
    result = SeatResult.objects.get(seat__match=match, seat__index=0)
    assert (result.forfeit, result.evidence) == ("abandoned", "had left the table when the game ended")
    assert result.change is not None and result.change < 0
    assert any(step.get("default") == "absent" for step in record["steps"])
    assert not SeatLog.objects.filter(seat__match=match).exists()


def test_of_two_players_the_one_who_resigns_loses_immediately() -> None:
    match = table_for(DUEL, people(2), rated=True)
    answer_any(match, owing(match)[0])
    actions.resign(match.pk, 0)
    record = check_ended(match)
    assert record is not None
    assert record["outcome"]["scores"][0]["forfeit"] == "resign"
    assert record["outcome"]["ranks"] == [2, 1]
    assert {step.get("default") for step in record["steps"][-6:]} <= {"forfeit", "absent", None}


def test_a_resignation_shows_the_table_as_it_was_and_no_score() -> None:
    match = table_for(DUEL, people(2), rated=True)
    for salt in range(12):
        answer_any(match, owing(match)[0], salt)
    settle(match)
    before = [position(match).shown_to(seat).view(seat) for seat in (0, 1, None)]
    now = len(position(match).state().steps_since(0))
    actions.resign(match.pk, 0)
    assert [position(match).shown_to(seat).view(seat) for seat in (0, 1, None)] == before, "also before the result"
    record = check_ended(match)
    assert record is not None and "money" in record["outcome"]["scores"][1]
    assert [position(match).shown_to(seat).view(seat) for seat in (0, 1, None)] == before
    shown, outcome = ended(position(match))
    assert shown.view(None) == before[2]
    assert outcome == {"ranks": [2, 1], "scores": [{"forfeit": "resign", "forfeit_at": now}, {}]}
    assert list(SeatResult.objects.order_by("seat__index").values_list("score", flat=True)) == outcome["scores"]
    assert [fault for piece in verify_games(match.ladder, 1) for fault in piece.faults] == []


def test_resigning_against_a_bot_loses_to_it() -> None:
    match = against_the_house()
    actions.resign(match.pk, 0)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"] == [2, 1]


def test_of_three_players_a_bot_replaces_the_one_who_resigned_and_lost() -> None:
    match = table_for(GEMS, people(3), rated=True)
    actions.resign(match.pk, 2)
    live_seat = live_seat_at(match, 2)
    assert (live_seat.kind, live_seat.resigned, live_seat.forfeit) == (LiveSeat.Kind.SUBSTITUTE, True, "")
    assert live_seat.owes and live_seat.deadline is None
    with pytest.raises(Refused):
        actions.return_to_seat(match.pk, 2)
    play_to_the_end(match)
    record = check_ended(match)
    assert record is not None
    assert record["outcome"]["scores"][2]["forfeit"] == "resign"
    assert not any("default" in step for step in record["steps"])


def test_the_last_remaining_player_can_end_the_game() -> None:
    match = table_for(GEMS, people(3), rated=True)
    actions.resign(match.pk, 0)
    actions.resign(match.pk, 2)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"] == [2, 1, 2]
    assert {step["default"] for step in record["steps"] if step.get("seat") == 1 and "default" in step} == {"absent"}


@pytest.mark.parametrize(
    ("sitting", "rated", "before", "says"),
    [
        (2, False, 0, "ended"),
        (2, True, 0, "ended"),
        (3, True, 0, "replaced"),
        (3, True, 1, "ended"),
        (1, False, 0, "aborted"),
        (1, True, 0, "left"),
    ],
)
def test_the_announced_effect_of_a_resignation_is_its_effect(sitting: int, rated: bool, before: int, says: str) -> None:
    if sitting == 1:
        match = table_for(GEMS, [*people(1), *house("greedy", "random")], rated=rated, players="open")
    else:
        match = table_for(DUEL if sitting == 2 else GEMS, people(sitting), rated=rated)
    for other in range(before):
        actions.resign(match.pk, other + 1)
    assert look(match, 0)["rights"]["resigning"] == says
    actions.resign(match.pk, 0)
    at = position(match)
    runs = at.match.status == Match.Status.RUNNING and not at.table.over
    done = {
        "ended": at.table.over,
        "replaced": runs and at.live_seats[0].kind == LiveSeat.Kind.SUBSTITUTE and not at.live_seats[0].forfeit,
        "aborted": at.match.status == Match.Status.ABORTED,
        "left": runs and bool(at.live_seats[0].forfeit),
    }
    assert [name for name, so in done.items() if so] == [says]
    assert look(match, 0)["rights"]["resigning"] == ""


def test_a_casual_game_that_everyone_left_has_no_result() -> None:
    match = table_for(GEMS, people(3))
    for seat in range(3):
        seen(match, seat, ago_s=40)
    for seat in range(3):
        run_out(match, seat, ago=LATE_S)
    beat_ago(match, 0)
    assert expire(match.pk) == 3
    ended = again(match)
    assert (ended.status, ended.reason) == ("aborted", NOBODY_LEFT)
    check_ended(match)


def test_a_guest_who_disappears_leaves_no_running_game() -> None:
    match = against_the_house()
    ask_workers(match)
    seen(match, 0, ago_s=40)
    miss(match, 0)
    assert again(match).status == "aborted"


def test_a_rated_game_that_its_person_has_left_is_lost_and_the_bots_play_on() -> None:
    first, *_ = people(1)
    match = table_for(GEMS, [first, *house("greedy", "random")], rated=True, players="open")
    seen(match, 0, ago_s=40)
    miss(match, 0)
    live_seat = live_seat_at(match, 0)
    assert (live_seat.forfeit, live_seat.owes) == ("abandoned", False)
    play_to_the_end(match)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"][0] == 3


def test_a_rated_duel_that_its_person_has_left_ends_at_once() -> None:
    match = against_the_house(guest=False, rated=True)
    ask_workers(match)
    seen(match, 0, ago_s=40)
    miss(match, 0)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"] == [2, 1]


# --- abort ---------------------------------------------------------------------------------------------------------


def test_a_casual_game_can_be_aborted_before_its_second_round() -> None:
    match = table_for(GEMS, people(3))
    answer_any(match, 0)
    assert look(match, 1)["rights"]["abort"] == {"allowed": True, "agree": False, "agreed": []}
    actions.abort(match.pk, 1)
    ended = again(match)
    assert (ended.status, ended.reason) == ("aborted", rights.ENDED_EARLY)
    check_ended(match)
    with refused("game_over"):
        actions.abort(match.pk, 0)
    assert say(match, 1, "gems").verdict is AnswerVerdict.LATE


def test_and_not_after_it() -> None:
    match = table_for(GEMS, people(3))
    while position(match).table.round < 2:
        answer_any(match, owing(match)[0])
    assert look(match, 1)["rights"]["abort"]["allowed"] is False
    with refused("abort_too_late"):
        actions.abort(match.pk, 1)


def test_a_rated_game_can_be_aborted_before_the_first_answer() -> None:
    match = table_for(GEMS, people(3), rated=True)
    assert look(match, 0)["rights"]["abort"]["allowed"]
    actions.abort(match.pk, 0)
    assert again(match).reason == rights.ENDED_UNBEGUN
    check_ended(match)


def test_and_afterwards_only_if_all_agree_in_one_round() -> None:
    match = table_for(GEMS, people(3), rated=True)
    answer_any(match, 0)
    assert look(match, 1)["rights"]["abort"] == {"allowed": False, "agree": True, "agreed": []}
    actions.abort(match.pk, 1)
    actions.abort(match.pk, 2)
    assert again(match).status == "running"
    assert look(match, 0)["rights"]["abort"] == {"allowed": False, "agree": True, "agreed": [1, 2]}
    assert look(match, 1)["rights"]["abort"] == {"allowed": False, "agree": False, "agreed": [1, 2]}
    while position(match).table.round < 2:
        answer_any(match, owing(match)[0])
    answer_any(match, owing(match)[0])
    assert look(match, 0)["rights"]["abort"]["agreed"] == []
    for seat in range(3):
        actions.abort(match.pk, seat)
    assert (again(match).status, again(match).reason) == ("aborted", actions.AGREED)
    check_ended(match)


def test_players_who_can_return_must_also_agree() -> None:
    match = table_for(DUEL, people(2), rated=True)
    answer_any(match, owing(match)[0])
    gone = owing(match)[0]
    seen(match, gone, ago_s=31)
    miss(match, gone)
    assert live_seat_at(match, gone).kind == LiveSeat.Kind.SUBSTITUTE
    actions.abort(match.pk, 1 - gone)
    assert again(match).status == "running", "one alone has agreed with nobody"
    actions.return_to_seat(match.pk, gone)
    for seat in (gone, 1 - gone):
        actions.abort(match.pk, seat)
    assert again(match).reason == actions.AGREED


def test_nobody_ends_a_rated_game_against_bots_without_a_result() -> None:
    match = against_the_house(guest=False, rated=True)
    assert look(match, 0)["rights"]["abort"] == {"allowed": False, "agree": False, "agreed": []}
    with refused("abort_with_bots"):
        actions.abort(match.pk, 0)


# --- claim ---------------------------------------------------------------------------------------------------------


def test_a_game_is_claimed_when_the_other_has_been_away_for_a_minute() -> None:
    match = table_for(DUEL, people(2), rated=True)
    seen(match, 1, ago_s=55)
    assert not rights_of(position(match), 0)["claim"]
    with refused("no_claim"):
        actions.claim(match.pk, 0)
    seen(match, 1, ago_s=61)
    assert rights_of(position(match), 0)["claim"]
    actions.claim(match.pk, 0)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"] == [1, 2]
    assert record["outcome"]["scores"][1]["forfeit"] == "abandoned"


def test_victory_cannot_be_claimed_over_a_present_substituted_player() -> None:
    match = substituted()
    seen(match, 0)
    for seat in (2,):
        seen(match, seat, ago_s=90)
    assert not rights_of(position(match), 1)["claim"]
    seen(match, 0, ago_s=61)
    assert rights_of(position(match), 1)["claim"]
    assert not rights_of(position(match), 0)["claim"]
    actions.claim(match.pk, 1)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"] == [2, 1, 2]


def test_a_player_who_resigned_can_watch_without_preventing_a_claim() -> None:
    match = table_for(GEMS, people(3), rated=True)
    actions.resign(match.pk, 0)
    seen(match, 0)
    seen(match, 2, ago_s=61)
    actions.claim(match.pk, 1)
    record = check_ended(match)
    assert record is not None
    assert [score.get("forfeit") for score in record["outcome"]["scores"]] == ["resign", None, "abandoned"]


def test_after_a_claim_the_remaining_player_and_bots_play_on() -> None:
    first, second = people(2)
    match = table_for(GEMS, [first, second, *house("greedy")], rated=True, players="open")
    seen(match, 1, ago_s=61)
    actions.claim(match.pk, 0)
    assert again(match).status == "running"
    play_to_the_end(match)
    record = check_ended(match)
    assert record is not None and record["outcome"]["ranks"][1] == 3


def test_against_bots_alone_there_is_nobody_to_claim_from() -> None:
    match = against_the_house()
    assert not rights_of(position(match), 0)["claim"]


# --- twice is once -------------------------------------------------------------------------------------------------


def twice(act: Callable[[int, int], None], match: Match, seat: int) -> None:
    """Do it, and do it once more, as whoever lost the database while it was written."""
    act(match.pk, seat)
    before = written(match)
    act(match.pk, seat)
    assert written(match) == before


@pytest.mark.parametrize(("game", "seats"), [(DUEL, 2), (GEMS, 3)])
def test_to_resign_twice_is_to_resign_and_nobody_else_has(game: str, seats: int) -> None:
    match = table_for(game, people(seats), rated=True)
    twice(actions.resign, match, 1)
    if seats == 2:
        with refused("game_over"):
            actions.resign(match.pk, 0)
    play_to_the_end(match)
    check_ended(match)
    actions.resign(match.pk, 1)
    with refused("game_over"):
        actions.resign(match.pk, 0)


def test_to_abort_twice_is_to_abort_and_one_has_agreed_once() -> None:
    match = table_for(DUEL, people(2), rated=True)
    answer_any(match, owing(match)[0])
    twice(actions.abort, match, 0)
    assert look(match, 1)["rights"]["abort"]["agreed"] == [0]
    twice(actions.abort, match, 1)
    actions.abort(match.pk, 0)
    check_ended(match)


def test_aborting_a_finished_game_is_refused() -> None:
    match = table_for(DUEL, people(2), rated=True)
    answer_any(match, owing(match)[0])
    actions.abort(match.pk, 0)
    actions.resign(match.pk, 1)
    with refused("game_over"):
        actions.abort(match.pk, 0)


def test_a_claim_can_be_repeated_but_not_by_the_loser() -> None:
    match = table_for(DUEL, people(2), rated=True)
    seen(match, 1, ago_s=61)
    twice(actions.claim, match, 0)
    with refused("game_over"):
        actions.claim(match.pk, 1)
    check_ended(match)


@pytest.mark.parametrize("resigned", [False, True])
def test_to_claim_twice_where_bots_play_on_is_to_claim(resigned: bool) -> None:
    match = table_for(GEMS, [*people(2), *house("greedy")], rated=True, players="open")
    if resigned:
        actions.resign(match.pk, 1)
    seen(match, 1, ago_s=61)
    twice(actions.claim, match, 0)
    assert again(match).status == "running"


def test_to_come_back_twice_is_to_come_back() -> None:
    match = substituted()
    twice(actions.return_to_seat, match, 0)
    actions.resign(match.pk, 0)
    with refused("no_return"):
        actions.return_to_seat(match.pk, 0)


def test_a_player_who_returned_has_no_seat_after_the_end() -> None:
    match = substituted()
    actions.return_to_seat(match.pk, 0)
    play_to_the_end(match)
    with refused("game_over"):
        actions.return_to_seat(match.pk, 0)


# --- the sweeper ---------------------------------------------------------------------------------------------------


def test_a_decision_open_long_before_a_substitution_does_not_void_the_game() -> None:
    match = table_for(GEMS, people(3), rated=True, limits=replace(QUICK, move_ms=600_000))
    run_out(match, 0, ago=-100)  # asked for eleven minutes
    actions.resign(match.pk, 0)
    remind()
    sweep_tables()
    assert again(match).status == "running"


def test_other_seats_have_no_rights_of_a_person() -> None:
    match = against_the_house()
    for act in (actions.resign, actions.abort, actions.claim, actions.return_to_seat):
        for seat in (1, 3):
            with refused("no_seat"):
                act(match.pk, seat)
        with refused("game_over"):
            act(match.pk + 1, 0)
