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
from tests.ladder.live.play import game_of

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


def test_a_token_shows_its_owner_and_scopes(ada: Program) -> None:
    token = document(ada.get("token"))
    assert (token["owner"], token["scopes"], token["bot"], token["expires"]) == ("ada", ["play"], None, None)
    assert ada.secret not in json.dumps(token)


def test_a_bot_token_names_its_bot(ada: Program) -> None:
    assert ada.user is not None
    bot = Bot.objects.get(slug="afar")
    Token.objects.filter(user=ada.user).update(bot=bot)
    assert document(ada.get("token"))["bot"] == "afar"


def test_a_connected_bot_is_online_and_available(ada: Program) -> None:
    away = document(ada.get("bot"))
    assert (away["slug"], away["games"], away["here"], away["available"]) == ("afar", DUEL, False, False)
    note_seen([Bot.objects.get(slug="afar").pk])
    here = document(ada.get("bot"))
    assert (here["here"], here["available"], here["running"], here["answer_ms"]) == (True, True, [], None)


def test_declared_fields_change_and_missing_fields_do_not(ada: Program) -> None:
    assert document(declare(ada, games_at_once=0))["games_at_once"] == 0
    bot = document(declare(ada, label="step 2000"))
    assert (bot["label"], bot["version"], bot["games_at_once"], bot["games"]) == ("step 2000", 2, 0, DUEL)
    wider = document(declare(ada, games={"edel-stein-reich-duel": [2], "die-weinhaendler": [3]}))
    assert (wider["label"], wider["version"]) == ("step 2000", 3)


def test_a_paused_bot_can_resume_itself(ada: Program) -> None:
    Bot.objects.filter(slug="afar").update(paused="2026-01-01T00:00Z", pause_reason="It lost.", bad_in_a_row=3)
    assert document(ada.get("bot"))["pause_reason"] == "It lost."
    bot = document(declare(ada, available=True))
    assert (bot["paused"], bot["pause_reason"]) == (None, "")


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
def test_an_invalid_declaration_names_the_field(ada: Program, changes: dict[str, Any], field: str) -> None:
    assert list(problem(declare(ada, **changes), 400, "invalid")["fields"]) == [field]


def test_declarations_have_a_lower_rate_limit_than_answers(ada: Program, settings: Settings) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "manage": 1}
    assert declare(ada, games_at_once=2).status_code == 200
    problem(declare(ada, games_at_once=3), 429, "throttled")
    assert document(ada.get("bot"))["games_at_once"] == 2


def test_one_of_several_bots_must_be_named_and_bots_of_others_are_not_found(ada: Program) -> None:
    assert ada.user is not None
    register(ada.user, "Beyond", DUEL)
    detail = problem(ada.get("bot"), 400, "bot_missing")["detail"]
    assert "afar" in detail and "beyond" in detail
    assert document(ada.get("bot?bot=beyond"))["name"] == "Beyond"
    problem(declare(person("eve", Scope.PLAY), "?bot=afar", games_at_once=2), 404, "not_found")


def test_running_games_are_listed_with_their_open_decisions() -> None:
    match = game_of("edel-stein-reich-duel", 2)
    live_seat = LiveSeat.objects.select_related("seat__version__bot__owner").filter(table=match.pk, owes=True)[0]
    bot = live_seat.seat.version.bot
    _, secret = tokens.issue(bot.owner, "tests", [Scope.PLAY], timedelta(days=1))
    (running,) = document(Program(secret=secret).get(f"bot?bot={bot.slug}"))["running"]
    assert running == {"game": match.pk, "decision": 1}
