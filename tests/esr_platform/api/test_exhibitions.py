from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from pytest_django import Settings

from bots.models import Bot
from esr_platform.accounts.models import Scope
from ladder.models import Exhibition, Ladder
from tests.build import DUEL, new_version
from tests.esr_platform.api.conftest import Program, document, person, problem


def test_of(bot: Bot, **more: Any) -> dict[str, Any]:
    return {"kind": "test", "ladder": DUEL, "players": [bot.slug, "house-haggler"], "blocks": 3, **more}


test_of.__test__ = False  # type: ignore[attr-defined]


def test_a_test_match_can_be_requested_followed_and_canceled(manager: Program, bot: Bot) -> None:
    house = Bot.objects.filter(owner=None, memberships__ladder__slug=DUEL).order_by("pk").first()
    assert house is not None
    answer = manager.send("POST", "exhibitions", test_of(bot, players=[bot.slug, house.slug]))
    assert answer.status_code == 201, answer.content
    exhibition = document(answer)
    assert (exhibition["kind"], exhibition["state"], exhibition["blocks"], exhibition["ladder"]) == (
        "test",
        "running",
        3,
        DUEL,
    )
    assert [(player["bot"], player["version"]) for player in exhibition["players"]] == [(bot.slug, 1), (house.slug, 1)]
    assert document(manager.client.get(answer.headers["Location"])) == exhibition
    ended = document(manager.send("DELETE", f"exhibitions/{exhibition['id']}"))
    assert ended["state"] == "cancelled"
    problem(manager.send("DELETE", f"exhibitions/{exhibition['id']}"), 422, "already_ended")


def test_a_match_request_with_the_same_key_is_not_repeated(manager: Program, bot: Bot) -> None:
    body = test_of(bot, players=[bot.slug, _house()], key=str(uuid4()))
    first, again = manager.send("POST", "exhibitions", body), manager.send("POST", "exhibitions", body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert document(first) == document(again)
    assert Exhibition.objects.count() == 1


def test_two_versions_are_compared(manager: Program, bot: Bot) -> None:
    new_version(bot)
    pair = {"candidate": f"{bot.slug}/2", "baseline": bot.slug}
    wanted = {"kind": "comparison", "ladder": DUEL, "blocks": 20, "margin": 100}
    body = {**wanted, **pair, "opponents": [_house()]}
    answer = manager.send("POST", "exhibitions", body)
    assert answer.status_code == 201, answer.content
    exhibition = document(answer)
    assert [(player["part"], player["version"]) for player in exhibition["players"]][:2] == [
        ("candidate", 2),
        ("baseline", 1),
    ]
    assert (exhibition["margin"], exhibition["verdict"]) == (100, "")


def test_an_error_for_a_value_lists_the_allowed_ones(manager: Program, bot: Bot) -> None:
    body = {"kind": "comparison", "ladder": DUEL, "blocks": 20, "candidate": bot.slug, "baseline": bot.slug}
    answer = manager.send("POST", "exhibitions", {**body, "opponents": [_house()], "margin": 10})
    (message,) = problem(answer, 400, "invalid")["fields"]["margin"]
    assert all(str(margin) in message for margin in (20, 50, 100))


def test_the_error_for_a_player_does_not_reveal_whether_it_exists(manager: Program, bot: Bot, duel: Ladder) -> None:
    carl = person("carl", Scope.MANAGE).user
    assert carl is not None
    secret = new_version(Bot.objects.create(owner=carl, name="Secret", slug="secret"))
    type(secret).objects.filter(pk=secret.pk).update(state="received")
    messages = []
    for name in ("secret", "secret/1", "nobody", "nobody/1", f"{bot.slug}/9"):
        refusal = problem(
            manager.send("POST", "exhibitions", test_of(bot, players=[bot.slug, name])), 422, "version_not_available"
        )
        messages.append(refusal["detail"].replace(name, "it"))
    assert len(set(messages)) == 1
    assert not Exhibition.objects.exists()


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"kind": "riot"}, "kind"),
        ({"players": "house-greedy"}, "players"),
        ({"players": ["a b", "c"]}, "players"),
        ({"blocks": "3"}, "blocks"),
        ({"blocks": True}, "blocks"),
        ({"blocks": 0}, "blocks"),
        ({"key": "mine"}, "key"),
        ({"block": 3}, "block"),
    ],
)
def test_an_invalid_field_is_named(manager: Program, bot: Bot, change: dict[str, Any], wrong: str) -> None:
    error = problem(manager.send("POST", "exhibitions", test_of(bot, **change)), 400, "invalid")
    assert list(error["fields"]) == [wrong]


NESTED = b'{"kind": "test", "players": ' + b"[" * 900 + b"]" * 900 + b"}"
"""Deeper than a recursive reader of Python can go, and within the limit of the JSON parser."""


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'"x"', b"{", b"[" * 5000, NESTED, b'{"kind": NaN}', b"\xff", b"0" * 70_000]
)
def test_an_invalid_document_is_an_error(manager: Program, body: bytes) -> None:
    answer = manager.send("POST", "exhibitions", body)
    assert answer.status_code == 400, answer.content


def test_the_number_of_open_match_requests_is_limited(manager: Program, bot: Bot, settings: Settings) -> None:
    settings.MAX_OPEN_EXHIBITIONS_PER_USER = 1
    body = test_of(bot, players=[bot.slug, _house()])
    manager.send("POST", "exhibitions", body)
    answer = manager.send("POST", "exhibitions", body)
    problem(answer, 429, "open_exhibitions")
    assert int(answer.headers["Retry-After"]) > 0


def test_users_cannot_cancel_match_requests_of_others(manager: Program, carl_manages: Program, bot: Bot) -> None:
    exhibition = document(manager.send("POST", "exhibitions", test_of(bot, players=[bot.slug, _house()])))
    problem(carl_manages.send("DELETE", f"exhibitions/{exhibition['id']}"), 403, "permission_denied")
    key = str(Exhibition.objects.get().token)
    problem(
        carl_manages.send("POST", "exhibitions", test_of(bot, players=[bot.slug, _house()], key=key)), 422, "token_used"
    )
    assert Exhibition.objects.get().open


def _house() -> str:
    house_bot = Bot.objects.filter(owner=None, memberships__ladder__slug=DUEL).order_by("pk").first()
    assert house_bot is not None
    return house_bot.slug
