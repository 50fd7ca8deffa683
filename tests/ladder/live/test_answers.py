from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.db import connection
from django.utils import timezone

from ladder.live import answers
from ladder.live.answers import UNKNOWN, JudgedAnswer, answer
from ladder.live.end import void
from ladder.models import LiveSeat, Match, PlayedMove
from tests.build import snapshot
from tests.ladder.live.play import (
    asked,
    bot_at,
    decide_event,
    game_of,
    owing,
    pass_time,
    position,
    post,
    remote_bots,
    sent,
)

pytestmark = pytest.mark.django_db

WRONG = [
    (b"", "malformed"),
    (b"{", "malformed"),
    (b"[]", "malformed"),
    (b"\xff", "malformed"),
    (b"{}", "malformed"),
    (b'{"move": "money", "move": "money"}', "malformed"),
    (b'{"move": "money", "thought_ms": -1}', "malformed"),
    (b'{"move": "money", "thought_ms": 1.0}', "malformed"),
    (b'{"move": "money", "id": "1"}', "malformed"),
    (b'{"move": "Money"}', "illegal"),
    (b'{"move": null}', "illegal"),
    (b'{"move": true}', "illegal"),
    (b'{"move": "\\u0000"}', "illegal"),
    (b'{"move": {"offer": [1, 0, 0, 0]}}', "illegal"),
    (b'{"move": "money", "x": "' + b"y" * 65536 + b'"}', "too_long"),
    (b"x" * 65537, "too_long"),
]


@pytest.fixture
def match() -> Match:
    """A game in which the three seats are asked at once."""
    return game_of("edel-stein-reich", 3)


@pytest.fixture
def duel() -> Match:
    return game_of("edel-stein-reich-duel", 2)


def test_an_answer_in_time_is_played(match: Match) -> None:
    assert post(match, 1, 1, "gems") == JudgedAnswer("played", "gems")
    row = PlayedMove.objects.get()
    assert (row.number, row.seat.index, row.decision, row.move, row.default) == (0, 1, 1, "gems", "")


def test_a_decision_can_be_answered_at_once_although_the_lock_before_it_took_long(duel: Match) -> None:
    def lock_slowly(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if 'FROM "ladder_match" WHERE' in sql:
            time.sleep(0.5)
        return execute(sql, params, many, context)

    def answer_next(move: Any = None) -> str:
        seat = owing(duel)[0]
        number = position(duel).live_seats[seat].asked
        return post(duel, seat, number, move or asked(duel, seat)["decision"]["default"]).verdict

    assert answer_next() == "played"
    with connection.execute_wrapper(lock_slowly):
        assert answer_next("of no kind") == "refused"
    assert answer_next() == "played"


def test_the_same_answer_again_is_the_same_and_moves_nothing(match: Match) -> None:
    post(match, 1, 1, "gems")
    before = snapshot()
    assert [post(match, 1, 1, "gems", x=i) for i in range(2)] == [JudgedAnswer("same", "gems")] * 2
    assert snapshot() == before


def test_another_answer_gets_the_move_that_was_played(match: Match) -> None:
    post(match, 1, 1, "gems")
    before = snapshot()
    assert post(match, 1, 1, "money") == JudgedAnswer("answered", "gems")
    assert sent(match, 1, 1, b"{") == JudgedAnswer("answered", "gems")
    assert snapshot() == before


def test_the_same_offer_in_other_words_is_the_same(duel: Match) -> None:
    seat = owing(duel)[0]
    post(duel, seat, 1, "gems")
    body = b'{ "thought_ms": 5, "move":\t"gems" }'
    assert sent(duel, seat, 1, body).verdict == "same"


@pytest.mark.parametrize(("body", "fault"), WRONG)
def test_a_wrong_answer_is_the_decisions_strike(match: Match, body: bytes, fault: str) -> None:
    judged = sent(match, 0, 1, body)
    assert (judged.verdict, judged.default, judged.move) == ("refused", fault, "money")
    assert judged.detail
    assert judged.question is not None and judged.question["legal"] == ["money", "event", "gems"]
    assert position(match).live_seats[0].strikes == 1


@pytest.mark.parametrize(("body", "fault"), WRONG[:2] + WRONG[-4:])
def test_a_repeated_wrong_answer_is_one_strike(match: Match, body: bytes, fault: str) -> None:
    first, before = sent(match, 0, 1, body), snapshot()
    assert sent(match, 0, 1, body) == first
    post(match, 1, 1, "gems")
    assert sent(match, 0, 1, body) == first
    assert LiveSeat.objects.get(seat__match=match, seat__index=0).strikes == 1
    assert post(match, 0, 1, "money") == JudgedAnswer("answered", "money", fault)
    assert before != snapshot()


def test_the_third_strike_costs_the_game_and_nobody_is_asked_any_more() -> None:
    match = game_of("edel-stein-reich-duel", 2)
    for decision in (1, 2, 3):
        while 0 not in owing(match):
            pass_time(match)
            post(match, 1, asked(match, 1)["id"], asked(match, 1)["decision"]["default"])
        pass_time(match)
        assert sent(match, 0, decision, b"{").verdict == "refused"
    live_seat = position(match).live_seats[0]
    assert (live_seat.strikes, live_seat.forfeit, live_seat.owes) == (3, "strikes", False)
    assert live_seat.evidence == ("third strike (decision 1: malformed; decision 2: malformed; decision 3: malformed)")
    for _ in range(5):
        pass_time(match)
        post(match, 1, asked(match, 1)["id"], asked(match, 1)["decision"]["default"])
        assert owing(match) == [1]
    assert PlayedMove.objects.filter(default="forfeit", decision=None).exists()


def test_an_id_in_the_answer_that_is_another_moves_nothing(match: Match) -> None:
    before = snapshot()
    assert post(match, 0, 1, "gems", id=2) == JudgedAnswer("wrong_id")
    assert snapshot() == before
    assert post(match, 0, 1, "gems", id=1).verdict == "played"


@pytest.mark.parametrize("decision", [-1, 0, 2, 3, 2**31, 2**63, 10**30])
def test_a_decision_that_was_never_asked_is_unknown(match: Match, decision: int) -> None:
    before = snapshot()
    assert post(match, 0, decision, "gems") == UNKNOWN
    assert snapshot() == before


def test_nobody_answers_for_a_game_that_is_not_theirs(match: Match) -> None:
    stranger = remote_bots(1, "stranger")[0]
    before = snapshot()
    body = orjson.dumps({"move": "gems"})
    assert answer(match.pk, stranger.pk, 1, body) == UNKNOWN
    for wrong in (0, -1, match.pk + 1, 2**63, 10**30):
        assert answer(wrong, stranger.pk, 1, body) == UNKNOWN
        assert answer(wrong, bot_at(match, 0), 1, body) == UNKNOWN
    assert snapshot() == before


def test_nobody_answers_over_the_network_for_code_that_the_site_runs(match: Match) -> None:
    LiveSeat.objects.filter(seat__match=match, seat__index=0).update(kind="hosted", deadline=None)
    assert post(match, 0, 1, "gems") == UNKNOWN


def test_a_decision_that_was_not_sent_yet_cannot_be_answered(match: Match) -> None:
    pass_time(match, -60)
    LiveSeat.objects.filter(seat__match=match).update(due_at=position(match).table.settled_at)
    assert decide_event(match.pk, bot_at(match, 0)) is None
    before = snapshot()
    for named in ({}, {"id": 1}, {"id": 2}):  # or a wrong id would tell that it is asked
        assert post(match, 0, 1, "gems", **named) == UNKNOWN
    assert snapshot() == before


def test_a_decision_that_was_not_sent_yet_is_refused_like_an_unknown_one(
    match: Match, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither takes the lock, so the time tells nothing of a decision that is held back."""
    LiveSeat.objects.filter(seat__match=match).update(due_at=timezone.now() + timedelta(minutes=1))

    def never(match_id: int) -> None:
        raise AssertionError(f"match {match_id} is held")

    monkeypatch.setattr(answers, "lock_match", never)
    assert [post(match, 0, decision, "gems") for decision in (1, 2)] == [UNKNOWN] * 2


def test_latency_is_what_the_client_did_not_think(match: Match) -> None:
    pass_time(match)
    LiveSeat.objects.filter(seat__match=match).update(due_at=position(match).now)
    post(match, 0, 1, "gems", thought_ms=0)
    row, live_seat = PlayedMove.objects.get(), position(match).live_seats[0]
    assert (row.thought_ms, live_seat.latency_ms) == (0, row.wall_ms)
    post(match, 1, 1, "gems", thought_ms=10**6)
    assert position(match).live_seats[1].latency_ms == 0


def test_an_answer_to_a_game_that_has_ended_meanwhile_is_too_late(match: Match) -> None:
    post(match, 0, 1, "gems")
    void(match.pk, "The power was cut.")
    assert post(match, 0, 1, "gems") == JudgedAnswer("same", "gems")
    assert post(match, 0, 1, "money") == JudgedAnswer("answered", "gems")
    assert post(match, 1, 1, "gems") == JudgedAnswer("late")
    assert post(match, 1, 2, "gems") == UNKNOWN


def test_no_answer_of_a_bot_prevents_storing_the_game(match: Match) -> None:
    assert sent(match, 0, 1, b'{"move": "\\u0000\xed\xa0\x80"}').default == "malformed"
    assert sent(match, 1, 1, b"\x00" * 600).default == "malformed"
    assert sent(match, 2, 1, orjson.dumps({"move": "\0" * 6000})).default == "illegal"
    assert [len(row.heard) <= 600 for row in PlayedMove.objects.all()] == [True] * 3
