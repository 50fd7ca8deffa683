"""What people at a table are shown: everything they may know, once and in order, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from games.registry import GAMES
from games.rules import Document
from ladder.live import actions, person_view
from ladder.live.person_view import SeatViews, moments, moments_of, present
from ladder.live.position import Position, substituted
from ladder.models import LiveSeat, Match, PlayedMove
from tests.ladder.live.people import (
    against_the_house,
    answer_any,
    ask_workers,
    live_seat_at,
    look,
    miss,
    owing,
    people,
    say,
    seen,
    settle,
    table_for,
)
from tests.ladder.live.play import at_random, play_out, position

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]

TABLES = [("edel-stein-reich", 3), ("edel-stein-reich-duel", 2), ("die-weinhaendler", 3)]


def played(game: str, seats: int, seed: int = 3) -> Match:
    match = table_for(game, people(seats))
    play_out(match, at_random(seed))
    return match


def cut_at(whole: Position, moves: int, seconds: float = 0) -> Position:
    """The table as it was after so many moves, all of which were shown."""
    rows = whole.rows[:moves]
    now = max([whole.now, *(row.visible_at + timedelta(milliseconds=sum(row.delays)) for row in rows)])
    return replace(whole, rows=rows, now=now + timedelta(seconds=seconds))


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_moments_followed_from_any_place_are_those_of_the_whole_game(game: str, seats: int) -> None:
    """Whoever comes back with the position of their log gets what followed, without a gap and nothing twice."""
    whole = position(played(game, seats))
    whole = cut_at(whole, len(whole.rows))
    for seat in range(seats):
        log: list[Document] = []
        plies: list[int] = []
        for moves in range(len(whole.rows) + 1):
            at = cut_at(whole, moves)
            new = moments(at, seat, len(log))
            new = [moment for moment in new if moment["entries"] or not plies or moment["ply"] > plies[-1]]
            log += [entry for moment in new for entry in moment["entries"]]
            plies += [moment["ply"] for moment in new]
            state = at.shown_to(seat)
            assert log == state.entries(seat)
            if new:
                assert new[-1]["view"] == state.view(seat) or state.view(seat)["you"] != new[-1]["view"]["you"]
        assert all(ply < other for ply, other in pairwise(plies))
        everything = moments(whole, seat, 0)
        assert [moment["ply"] for moment in everything] == plies
        for start in range(0, len(log), 7):
            story = moments_of(whole, {seat: start})[seat]
            assert (story.log_from, story.log_to) == (start, len(log))
            assert [entry for moment in story.moments for entry in moment["entries"]] == log[start:]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_who_comes_new_is_shown_the_running_round_and_the_one_before(game: str, seats: int) -> None:
    whole = position(played(game, seats))
    for moves in (0, 1, len(whole.rows) // 2, len(whole.rows) - 1):
        at = cut_at(whole, moves)
        rounds = at.shown_to(0).rounds_begun
        story = moments_of(at, {0: None})[0]
        log = at.shown_to(0).entries(0)
        assert [entry for moment in story.moments for entry in moment["entries"]] == log[story.log_from :]
        first = GAMES[game].new(seats, bytes(whole.match.block.seed)).view(0)
        assert (story.moments[0]["view"] == first) == (rounds <= 2)
        now = at.shown_to(0).view(0)
        assert {**story.moments[-1]["view"], "you": None} == {**now, "you": None}
        assert present(at, 0)["you"] == now["you"]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_several_seats_together_get_the_stories_of_each_alone(game: str, seats: int) -> None:
    whole = position(played(game, seats))
    for moves in range(0, len(whole.rows), 9):
        at = cut_at(whole, moves)
        asks: dict[int, int | None] = {seat: None if seat else 0 for seat in range(seats)}
        together = moments_of(at, asks)
        assert together == {seat: moments_of(at, {seat: start})[seat] for seat, start in asks.items()}
        looks = SeatViews(at)
        assert [looks.present(seat) for seat in range(seats)] == [present(at, seat) for seat in range(seats)]


def test_a_moment_has_what_its_seat_alone_knows_and_nothing_of_the_others() -> None:
    match = table_for("die-weinhaendler", people(3))
    (moment,) = moments(position(match), 1, 0)
    assert moment["yous"][0] is moment["yous"][2] is None
    assert moment["yous"][1] == moment["view"]["you"]
    assert moment["view"]["seat"] == 1
    assert set(moment) == {"ply", "view", "yous", "entries"}


def test_the_present_state_has_question_clock_and_rights() -> None:
    match = table_for("edel-stein-reich", people(3), rated=True)
    shown = look(match, 0)
    assert shown["question"]["kind"] == "action"
    clock = shown.pop("clock")
    assert clock.pop("left_ms") == pytest.approx(225_000, abs=3000)
    assert clock == {"move_ms": 45_000, "bank_ms": 180_000, "starts_in_ms": 0}
    assert shown == {
        "seat": 0,
        "decision": 1,
        "question": shown["question"],
        "you": {"action": None},
        "waiting": [0, 1, 2],
        "clocks": [180_000] * 3,
        "here": ["here"] * 3,
        "rights": {
            "resign": True,
            "resigning": "replaced",
            "abort": {"allowed": True, "agree": True, "agreed": []},
            "claim": False,
            "return": False,
        },
        "round": 1,
        "running": True,
        "rated": True,
        "outage_ms": 0,
        "limits": {"move_ms": 45_000, "bank_ms": 180_000, "game_ms": 3_600_000},
    }


def test_a_choice_in_secret_is_known_to_its_seat_and_that_it_was_made_to_all() -> None:
    match = table_for("edel-stein-reich", people(3))
    say(match, 1, "gems")
    assert look(match, 1)["you"] == {"action": "gems"}
    for seat in range(3):
        assert look(match, seat)["waiting"] == [0, 2]
    for seat in (0, 2):
        assert "gems" not in repr(without_options(look(match, seat)))


def without_options(shown: Document) -> Document:
    return {key: value for key, value in shown.items() if key != "question"}


def test_presence_of_all_seats_is_shown() -> None:
    bots = against_the_house()
    assert look(bots, 0)["here"] == ["here", "bot"]
    assert look(bots, 0)["clocks"] == [180_000, None]
    match = table_for("edel-stein-reich", people(5))
    actions.resign(match.pk, 0)
    seen(match, 1, ago_s=31)
    seen(match, 2, ago_s=31)
    miss(match, 2)
    assert look(match, 4)["here"] == ["left", "away", "substitute", "here", "here"]


def test_a_substituted_player_gets_no_question_and_can_return() -> None:
    match = table_for("edel-stein-reich", people(3))
    seen(match, 0, ago_s=31)
    miss(match, 0)
    for seat in (1, 2):
        answer_any(match, seat)
    shown = look(match, 0)
    assert (shown["decision"], shown["question"], shown["clock"]) == (None, None, None)
    assert shown["rights"]["return"] is True
    actions.return_to_seat(match.pk, 0)
    assert look(match, 0)["here"][0] == "here"


def test_a_question_is_shown_when_it_is_due_and_it_is_known_when_that_is() -> None:
    match = table_for("edel-stein-reich-duel", people(2))
    (seat,) = owing(match)
    LiveSeat.objects.filter(pk=live_seat_at(match, seat).pk).update(due_at=timezone.now() + timedelta(seconds=5))
    at = position(match)
    assert present(at, seat)["decision"] is None
    assert SeatViews(at).again_ms(seat) == pytest.approx(5000, abs=500)
    later = replace(at, now=at.now + timedelta(seconds=6))
    assert present(later, seat)["decision"] == 1
    assert SeatViews(later).again_ms(seat) is None


def test_when_something_is_held_back_it_is_known_when_it_is_shown() -> None:
    match = table_for("die-weinhaendler", people(3))
    while not PlayedMove.objects.exclude(delays=[]).exists():
        settle(match)
        seat = owing(match)[0]
        state = position(match).state()
        say(match, seat, state.legal_moves(seat)[-1])
    at = position(match)
    row = next(row for row in at.rows if row.delays)
    assert all(delay <= 15_000 for delay in row.delays)
    other = (row.seat + 1) % 3
    early = replace(at, now=row.visible_at + timedelta(milliseconds=1))
    again = SeatViews(early).again_ms(other)
    assert again is not None and abs(again - row.delays[0]) <= 2
    after = replace(at, now=early.now + timedelta(milliseconds=again))
    assert len(moments(after, other, 0)) > len(moments(early, other, 0))


# --- hidden is hidden ----------------------------------------------------------------------------------------------


def everything(at: Position, seat: int) -> Any:
    """All that a seat is given."""
    looks = SeatViews(at)
    shown = looks.present(seat)
    return looks.stories({seat: 0}), looks.stories({seat: None}), {**shown, "clock": None}


@pytest.mark.parametrize("actions", [("money", "gems"), ("event", "money"), ("gems", "event")])
def test_tables_that_differ_in_a_secret_choice_look_the_same_to_all_others(actions: tuple[str, str]) -> None:
    match = table_for("edel-stein-reich", people(4))
    say(match, 0, "gems")
    say(match, 1, actions[0])
    table = position(match)
    rows = [row._replace(move=actions[1]) if row.seat == 1 else row for row in table.rows]
    other = replace(table, rows=rows)
    for seat in (0, 2, 3):
        assert everything(table, seat) == everything(other, seat)
    assert everything(table, 1) != everything(other, 1)


@pytest.mark.parametrize("actions", [("money", "gems"), ("event", "money")])
def test_the_hidden_card_of_a_duel_is_nowhere_before_it_is_turned_over(actions: tuple[str, str]) -> None:
    match = table_for("edel-stein-reich-duel", people(2))
    (active,) = owing(match)
    say(match, active, actions[0])
    table = position(match)
    other = replace(table, rows=[row._replace(move=actions[1]) for row in table.rows])
    assert everything(table, 1 - active) == everything(other, 1 - active)
    assert everything(table, active) != everything(other, active)
    assert table.rows[0].kind == "action"


def test_hands_of_other_seats_do_not_appear() -> None:
    """Two deals in which only the bottles of others, and of the stack, differ: nothing tells them apart."""
    match = table_for("die-weinhaendler", people(3))
    at = position(match)
    own_hand = at.state().view(1)["you"]["hand"]
    hands = [at.state().view(seat)["you"]["hand"] for seat in (0, 2)]
    shown = repr(everything(at, 1))
    assert repr(own_hand) in shown
    assert not any(repr(hand) in shown for hand in hands)


def test_a_hidden_forced_move_looks_like_a_thinking_player() -> None:
    """While it is held back its seat is waited for like one that was asked, and no clock tells the difference."""
    match = table_for("die-weinhaendler", people(3))
    while not PlayedMove.objects.exclude(delays=[]).exists():
        settle(match)
        seat = owing(match)[0]
        state = position(match).state()
        say(match, seat, state.legal_moves(seat)[-1])
    at = position(match)
    row = next(row for row in at.rows if row.delays)
    early = replace(at, now=row.visible_at + timedelta(milliseconds=1))
    shown = early.shown_to(None)
    for viewer in range(3):
        seen_by = present(early, viewer)
        assert seen_by["waiting"] == list(shown.pending)
        assert seen_by["decision"] is None or viewer in shown.pending
        assert seen_by["clocks"] == [live_seat.bank_ms for live_seat in at.live_seats]
        assert seen_by["round"] == shown.rounds_begun


def test_a_forced_move_of_a_person_is_delayed_like_a_decision() -> None:
    match = table_for("die-weinhaendler", people(3))
    while not PlayedMove.objects.exclude(delays=[]).exists():
        settle(match)
        seat = owing(match)[0]
        PlayedMove.objects.filter(match=match).update(asked_at=F("received_at") - timedelta(seconds=40))
        state = position(match).state()
        say(match, seat, state.legal_moves(seat)[-1])
    delays = [delay for row in position(match).rows for delay in row.delays]
    assert all(900 <= delay < 15_000 for delay in delays), delays


def test_a_substitute_has_the_pace_of_the_occupant() -> None:
    match = table_for("edel-stein-reich", people(3), rated=True)
    answer_any(match, 0)
    seen(match, 0, ago_s=40)
    while live_seat_at(match, 0).kind == LiveSeat.Kind.PERSON:
        if 0 in owing(match):
            miss(match, 0)
        else:
            answer_any(match, owing(match)[0])
    for _ in range(6):
        ask_workers(match)
        answer_any(match, owing(match)[0])
    at = position(match)
    paces = at.paces(substituted(at.live_seats))
    assert [pace.by_hand for pace in paces if pace.seat == 0][:1] == [True]
    assert [pace.by_hand for pace in paces if pace.seat == 0][-1:] == [False]
    assert all(pace.by_hand for pace in paces if pace.seat != 0)


def test_an_absence_is_shown_to_its_seat_only() -> None:
    match = table_for("edel-stein-reich", people(3))
    seen(match, 0)
    miss(match, 0)
    for seat in (1, 2):
        answer_any(match, seat)
    settle(match)
    at = position(match)
    for seat in (1, 2):
        assert "absent" not in repr(person_view.moments(at, seat, 0))
    assert "absent" in repr(person_view.moments(at, 0, 0))
