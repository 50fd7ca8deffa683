"""What a token and a remote bot are to the program that holds them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from pytest_django import Settings

from bots.models import Bot
from bots.remote import note_seen
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token
from ladder.members.memberships import register
from ladder.models import LiveSeat
from tests.esr_platform.api.conftest import Program, document, person, problem
from tests.ladder.live.playing import game_of

pytestmark = pytest.mark.django_db
DUEL = {"edel-stein-reich-duel": [2]}


@pytest.fixture
def ada() -> Program:
    program = person("ada", Scope.PLAY)
    assert program.user is not None
    register(program.user, "Afar", DUEL)
    return program


def declare(program: Program, query: str = "", **changes: Any) -> HttpResponse:
    return program.send("PATCH", f"bot{query}", changes)


def test_a_token_says_whose_it_is_and_what_it_may_do(ada: Program) -> None:
    said = document(ada.get("token"))
    assert (said["owner"], said["scopes"], said["bot"], said["expires"]) == ("ada", ["play"], None, None)
    assert ada.secret not in json.dumps(said)


def test_a_token_of_one_bot_names_it(ada: Program) -> None:
    assert ada.user is not None
    bot = Bot.objects.get(slug="afar")
    Token.objects.filter(user=ada.user).update(bot=bot)
    assert document(ada.get("token"))["bot"] == "afar"


def test_nobody_without_a_token_is_told_anything() -> None:
    problem(Program().get("token"), 401, "not_authenticated")
    problem(Program(secret="esr_" + "x" * 43).get("token"), 401, "authentication_failed")
    problem(Program().get("bot"), 401, "not_authenticated")


def test_a_token_that_may_not_play_is_told_so() -> None:
    problem(person("ada", Scope.READ).get("bot"), 403, "permission_denied")


def test_a_bot_that_has_come_is_here_and_available(ada: Program) -> None:
    away = document(ada.get("bot"))
    assert (away["slug"], away["games"], away["here"], away["available"]) == ("afar", DUEL, False, False)
    note_seen([Bot.objects.get(slug="afar").pk])
    here = document(ada.get("bot"))
    assert (here["here"], here["available"], here["running"], here["answer_ms"]) == (True, True, [], None)


def test_what_is_declared_holds_and_what_is_left_out_stays(ada: Program) -> None:
    assert document(declare(ada, games_at_once=0))["games_at_once"] == 0
    said = document(declare(ada, label="step 2000"))
    assert (said["label"], said["version"], said["games_at_once"], said["games"]) == ("step 2000", 2, 0, DUEL)
    wider = document(declare(ada, games={"edel-stein-reich-duel": [2], "die-weinhaendler": [3]}))
    assert (wider["label"], wider["version"]) == ("step 2000", 3)


def test_a_bot_comes_back_from_its_leave_by_its_own_word(ada: Program) -> None:
    Bot.objects.filter(slug="afar").update(paused="2026-01-01T00:00Z", pause_reason="It lost.", bad_in_a_row=3)
    assert document(ada.get("bot"))["pause_reason"] == "It lost."
    said = document(declare(ada, available=True))
    assert (said["paused"], said["pause_reason"]) == (None, "")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"games_at_once": 33}, "games_at_once"),
        ({"games_at_once": True}, "games_at_once"),
        ({"available": False}, "available"),
        ({"label": ""}, "label"),
        ({"games": []}, "games"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_what_cannot_be_declared_is_named(ada: Program, changes: dict[str, Any], field: str) -> None:
    assert list(problem(declare(ada, **changes), 400, "invalid")["fields"]) == [field]


def test_declaring_is_not_done_as_often_as_answering(ada: Program, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "manage": 1}
    assert declare(ada, games_at_once=2).status_code == 200
    problem(declare(ada, games_at_once=3), 429, "throttled")
    assert document(ada.get("bot"))["games_at_once"] == 2


def test_who_has_several_bots_says_which_and_others_bots_are_not_there(ada: Program) -> None:
    assert ada.user is not None
    register(ada.user, "Beyond", DUEL)
    said = problem(ada.get("bot"), 400, "bot_missing")["detail"]
    assert "afar" in said and "beyond" in said
    assert document(ada.get("bot?bot=beyond"))["name"] == "Beyond"
    problem(declare(person("eve", Scope.PLAY), "?bot=afar", games_at_once=2), 404, "not_found")


def test_games_that_run_are_listed_with_the_decision_that_is_owed() -> None:
    match = game_of("edel-stein-reich-duel", 2)
    live_seat = LiveSeat.objects.select_related("seat__version__bot__owner").filter(table=match.pk, owes=True)[0]
    bot = live_seat.seat.version.bot
    _, secret = tokens.issue(bot.owner, "tests", [Scope.PLAY], timedelta(days=1))
    (running,) = document(Program(secret=secret).get(f"bot?bot={bot.slug}"))["running"]
    assert running == {"game": match.pk, "decision": 1}
