from __future__ import annotations

from typing import Any

import pytest
from pytest_django import Settings

from bots.models import Bot, BotVersion
from ladder.models import Membership
from tests.build import new_version, uploaded
from tests.esr_platform.api.conftest import Program, document, problem

WREN = {"kind": "remote", "name": "Wren", "games": {"edel-stein-reich-duel": [2]}}


def test_a_remote_bot_is_registered_without_code_and_joins_live_ladders(manager: Program) -> None:
    answer = manager.send("POST", "bots", {**WREN, "games_at_once": 3, "label": "step 1000"})
    assert answer.status_code == 201, answer.content
    version = document(answer)
    assert (version["bot"], version["number"], version["state"], version["active"]) == ("wren", 1, "ready", True)
    assert (version["language"], version["label"]) == ("remote", "step 1000")
    bot = Bot.objects.get(slug="wren")
    assert (bot.kind, bot.remote.games_at_once, bot.owner) == ("remote", 3, manager.user)
    assert all(membership.ladder.live for membership in Membership.objects.filter(bot=bot).select_related("ladder"))
    assert document(manager.client.get(answer.headers["Location"], headers=manager.headers)) == version
    again = manager.send("POST", "bots", {**WREN, "games_at_once": 3, "label": "step 1000"})
    assert (again.status_code, document(again)) == (200, version)
    assert Bot.objects.filter(owner=manager.user).count() == 1


def test_a_new_label_creates_an_active_version_and_an_old_label_selects_the_old_one(manager: Program) -> None:
    manager.send("POST", "bots", WREN)
    new = manager.send("POST", "bots/wren/versions", {"label": "step 2000"})
    assert (new.status_code, document(new)["number"], document(new)["active"]) == (201, 2, True)
    old = manager.send("POST", "bots/wren/versions", {"label": "main"})
    assert (old.status_code, document(old)["number"], document(old)["active"]) == (200, 1, True)


def test_a_remote_bot_takes_no_code_and_a_hosted_bot_takes_no_label(manager: Program) -> None:
    assert manager.user is not None
    manager.send("POST", "bots", WREN)
    problem(manager.upload("bots/wren/versions"), 422, "remote_bot")
    hosted = uploaded(manager.user, "Magpie")
    problem(manager.send("POST", f"bots/{hosted.slug}/versions", {"label": "x"}), 422, "not_remote")
    assert hosted.versions.count() == 1


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"kind": "hosted"}, "kind"),
        ({"name": 7}, "name"),
        ({"name": "x" * 41}, "name"),
        ({"games": '{"die-weinhaendler": [3]}'}, "games"),
        ({"games": {"die-weinhaendler": ["3"]}}, "games"),
        ({"games_at_once": 0}, "games_at_once"),
        ({"games_at_once": 1.5}, "games_at_once"),
        ({"label": ""}, "label"),
        ({"game": {}}, "game"),
    ],
)
def test_an_invalid_field_is_named(manager: Program, change: dict[str, Any], wrong: str) -> None:
    error = problem(manager.send("POST", "bots", {**WREN, **change}), 400, "invalid")
    assert list(error["fields"]) == [wrong]


def test_the_number_of_registered_bots_is_limited(manager: Program, settings: Settings) -> None:
    settings.MAX_BOTS_PER_USER = 1
    manager.send("POST", "bots", WREN)
    problem(manager.send("POST", "bots", {**WREN, "name": "Robin"}), 409, "bots_per_user")


def test_an_old_version_can_be_activated_again(manager: Program) -> None:
    assert manager.user is not None
    bot = uploaded(manager.user, "Magpie")
    new_version(bot)
    for number in (2, 1, 1):
        version = document(manager.send("POST", f"bots/{bot.slug}/versions/{number}/activate"))
        assert (version["number"], version["active"]) == (number, True)
    assert bot.active_version is not None
    assert bot.active_version.number == 1


def test_a_version_that_is_not_validated_cannot_be_activated(manager: Program) -> None:
    assert manager.user is not None
    bot = uploaded(manager.user, "Magpie")
    BotVersion.objects.filter(pk=new_version(bot).pk).update(state="received")
    problem(manager.send("POST", f"bots/{bot.slug}/versions/2/activate"), 422, "version_not_ready")
    problem(manager.send("POST", f"bots/{bot.slug}/versions/3/activate"), 404, "not_found")
