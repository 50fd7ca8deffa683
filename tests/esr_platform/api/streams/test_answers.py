"""Answers of strangers, of other seats, twice, too late and of no sense: what each is told, and that nothing moves."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from bots.models import Bot
from bots.protocol import MAX_ANSWER_BYTES
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token
from ladder.models import LiveSeat, Match, PlayedMove
from tests.esr_platform.api.conftest import document, problem
from tests.ladder.live.play import asked, game_of, position, remote_bots

pytestmark = pytest.mark.django_db


class Seat:
    """A program that plays one seat, with a token of its bot alone."""

    def __init__(self, bot: Bot, match: Match) -> None:
        self.bot, self.match = bot, match
        self.secret = token_of(bot)

    def post(self, decision: int, body: Any, secret: str | None = None) -> HttpResponse:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.secret if secret is None else secret}"} if secret != "" else {}
        address = f"/api/v1/matches/{self.match.pk}/decisions/{decision}"
        return Client().post(address, data, content_type="application/json", headers=headers)

    def question(self, seat: int) -> dict[str, Any]:
        return asked(self.match, seat)


def token_of(bot: Bot) -> str:
    assert bot.owner is not None
    return tokens.issue(bot.owner, "program", [Scope.PLAY], None, bot)[1]  # type: ignore[arg-type]


@pytest.fixture
def table(db: None) -> tuple[Match, list[Seat]]:
    """A two-player game between remote bots, whose active seat is asked first; and a program for each seat."""
    match = game_of("edel-stein-reich-duel", 2)
    return match, [Seat(seat.version.bot, match) for seat in match.seats.select_related("version__bot__owner")]


def active(match: Match) -> int:
    return position(match).state().pending[0]


def unmoved(match: Match, act: Callable[[], HttpResponse], status: int, code: str) -> dict[str, Any]:
    """The problem that ``act`` is answered with; nothing at the table has changed."""
    before = list(PlayedMove.objects.values()), list(LiveSeat.objects.values())
    refusal = problem(act(), status, code)
    assert (list(PlayedMove.objects.values()), list(LiveSeat.objects.values())) == before
    return refusal


def test_an_answer_is_played_and_the_same_again_is_the_same(table: tuple[Match, list[Seat]]) -> None:
    match, seats = table
    seat = active(match)
    legal = seats[seat].question(seat)["decision"]["legal"]
    answers = [seats[seat].post(1, {"move": legal[1], "id": 1, "thought_ms": 3}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert document(answers[0]) == document(answers[1]) == {"game": match.pk, "decision": 1, "played": legal[1]}
    assert PlayedMove.objects.filter(decision=1, seat__index=seat).count() == 1
    refusal = unmoved(match, lambda: seats[seat].post(1, {"move": legal[0]}), 409, "answered")
    assert refusal["played"] == legal[1]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"move": "nothing of the kind"}', "illegal"),
        (b"no json", "malformed"),
        (b'{"move": "a", "move": "a"}', "malformed"),
        (b'{"move": "' + b"x" * MAX_ANSWER_BYTES + b'"}', "too_long"),
    ],
)
def test_what_is_no_answer_is_the_decisions_strike_once(
    table: tuple[Match, list[Seat]], body: bytes, code: str
) -> None:
    match, seats = table
    seat = active(match)
    question = seats[seat].question(seat)["decision"]
    first = problem(seats[seat].post(1, body), 422, code)
    assert (first["played"], first["default"]) == (question["default"], code)
    assert first["question"]["legal"] == question["legal"]
    assert LiveSeat.objects.get(seat__index=seat).strikes == 1
    again = problem(seats[seat].post(1, body), 422, code)
    assert again == first
    assert LiveSeat.objects.get(seat__index=seat).strikes == 1
    unmoved(match, lambda: seats[seat].post(1, {"move": question["legal"][-1]}), 409, "answered")


def test_an_answer_that_is_late_learns_what_was_played_instead(table: tuple[Match, list[Seat]]) -> None:
    match, seats = table
    seat = active(match)
    program = seats[seat]
    question = program.question(seat)["decision"]
    before = timezone.now() - timedelta(hours=1)
    LiveSeat.objects.filter(seat__index=seat).update(due_at=before, deadline=before)
    refusal = problem(program.post(1, {"move": question["legal"][-1]}), 409, "late")
    assert (refusal["played"], refusal["default"]) == (question["default"], "late")


def test_nobody_answers_for_another_seat_or_what_was_never_asked(table: tuple[Match, list[Seat]]) -> None:
    match, seats = table
    seat = active(match)
    right, other = seats[seat], seats[1 - seat]
    move = {"move": right.question(seat)["decision"]["default"]}
    unmoved(match, lambda: other.post(1, move), 404, "not_asked")
    for guess in (0, 2, 99, 2**40):
        unmoved(match, lambda guess=guess: right.post(guess, move), 404, "not_asked")  # type: ignore[misc]
    unmoved(match, lambda: right.post(1, {**move, "id": 2}), 400, "wrong_id")
    (stranger,) = remote_bots(1, "stranger")
    unmoved(match, lambda: right.post(1, move, token_of(stranger)), 404, "not_asked")


def test_tokens_that_are_old_or_for_something_else_move_nothing(table: tuple[Match, list[Seat]]) -> None:
    match, seats = table
    seat = active(match)
    program, owner = seats[seat], seats[seat].bot.owner
    assert owner is not None
    move = {"move": program.question(seat)["decision"]["default"]}
    unmoved(match, lambda: program.post(1, move, ""), 401, "not_authenticated")
    unmoved(match, lambda: program.post(1, move, "esr_guess"), 401, "authentication_failed")
    reader = tokens.issue(owner, "reads", [Scope.READ], None)[1]  # type: ignore[arg-type]
    unmoved(match, lambda: program.post(1, move, reader), 403, "permission_denied")
    Token.objects.filter(bot=program.bot).update(revoked=timezone.now())
    unmoved(match, lambda: program.post(1, move), 401, "authentication_failed")
    Token.objects.filter(bot=program.bot).update(revoked=None, expires=timezone.now())
    unmoved(match, lambda: program.post(1, move), 401, "authentication_failed")
    person = tokens.issue(owner, "plays", [Scope.PLAY], None)[1]  # type: ignore[arg-type]
    assert program.post(1, move, person).status_code == 200, "its owner may answer, too"
