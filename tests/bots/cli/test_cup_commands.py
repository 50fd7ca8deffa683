"""``esr cup`` against a real site."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from bots.cli.frame import USAGE
from bots.models import Bot
from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, User
from ladder.models import Cup, CupSchedule
from tests.bots.cli.bots import Esr
from tests.build import opened_house, uploaded, verified
from tests.ladder.cups.cups import due, entered, house_bots, new_cup, play_round

GAME = "edel-stein-reich-duel"


@pytest.fixture
def miriam(live_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> User:
    """A user of a running site, signed in with ``esr``."""
    opened_house()
    user = verified("miriam")
    monkeypatch.setenv("ESR_SITE", live_server.url)
    monkeypatch.setenv("ESR_TOKEN", tokens.issue(user, "test", [Scope.READ, Scope.MANAGE], None)[1])
    monkeypatch.setenv("ESR_CONFIG_DIR", str(tmp_path / "config"))
    return user


@pytest.fixture
def bot(miriam: User) -> Bot:
    return uploaded(miriam, "Opal")


@pytest.fixture
def cup(bot: Bot) -> Cup:
    made = new_cup("swiss", organizer=verified("olga"), game=GAME, seats=2, rounds=1, title="Winter cup")
    return entered(made, house_bots(GAME, 2, most=3))


def test_a_bot_is_entered_plays_and_has_a_rank(cup: Cup, bot: Bot, esr: Esr) -> None:
    listed = esr("cup", "list", "--json").document["cups"]
    assert [(cup["slug"], cup["entries"]) for cup in listed] == [("winter-cup", 3)]
    assert "winter-cup" in esr("cup", "list").out
    run = esr("cup", "enter", "winter-cup", bot.slug)
    assert (run.status, run.out.count("Opal")) == (0, 1)
    entry = esr("cup", "--json", "enter", "winter-cup", bot.slug).document["entry"]
    assert (entry["bot"], entry["state"]) == (bot.slug, "entered")
    values = {"rounds": 0, "basis": "", "computed": timezone.now(), "round_s": [90]}
    CupSchedule.objects.update_or_create(cup=cup, defaults=values)
    run = esr("cup", "status", "winter-cup")
    assert "Opal" in run.out
    assert re.findall(r"[0-9]+ min", run.out) == ["2 min"]
    mine = esr("cup", "list", "--mine", "--json").document["cups"]
    assert [cup["slug"] for cup in mine] == ["winter-cup"]
    play_round(due(cup))
    assert cup.state == Cup.State.FINISHED
    status = esr("cup", "status", "winter-cup", "--json").document
    assert [row["rank"] for row in status["standings"]] == [1, 2, 3, 4]
    assert "Opal" in esr("cup", "status", "winter-cup").out
    assert esr("cup", "list", "--json").document["cups"] == []
    assert len(esr("cup", "list", "--state", "finished", "--json").document["cups"]) == 1
    refused = esr("cup", "withdraw", "winter-cup", bot.slug)
    assert (refused.status, len(refused.err.splitlines())) == (USAGE, 1)


def test_a_bot_is_withdrawn_and_wrong_names_are_one_sentence(cup: Cup, bot: Bot, esr: Esr) -> None:
    esr("cup", "enter", "winter-cup", bot.slug)
    assert esr("cup", "withdraw", "winter-cup", bot.slug, "--json").document["entry"]["state"] == "withdrawn"
    for words in (("enter", "summer-cup", bot.slug), ("enter", "winter-cup", "nobody"), ("status", "summer-cup")):
        run = esr("cup", *words)
        assert (run.status, len(run.err.splitlines())) == (USAGE, 1), words


def test_reading_needs_no_token(cup: Cup, esr: Esr, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ESR_TOKEN")
    assert esr("cup", "list").status == 0
    assert esr("cup", "status", "winter-cup").status == 0
    assert esr("cup", "enter", "winter-cup", "opal").status == USAGE
