from __future__ import annotations

from django.utils import timezone

from bots.models import Bot
from ladder.models import Ladder, Membership
from tests.build import DUEL
from tests.esr_platform.api.conftest import Program, document, problem

HERE = f"ladders/{DUEL}/members"


def test_a_bot_that_rejoins_keeps_its_rating(manager: Program, bot: Bot, duel: Ladder) -> None:
    Membership.objects.filter(bot=bot, ladder=duel).update(rating=1_612_000, games=7)
    for _ in range(2):
        left = document(manager.send("DELETE", f"{HERE}/{bot.slug}"))
        assert (left["active"], left["declined"]) == (False, True)
    for _ in range(2):
        back = document(manager.send("PUT", f"{HERE}/{bot.slug}"))
    standing = {"ladder": DUEL, "bot": bot.slug, "active": True, "declined": False}
    assert back == {**standing, "rating": 1612.0, "games": 7}


def test_a_bot_that_cannot_join_gets_a_reason(manager: Program, bot: Bot) -> None:
    problem(manager.send("PUT", f"ladders/edel-stein-reich-4/members/{bot.slug}"), 422, "unsupported_format")
    Bot.objects.update(retired=timezone.now())
    problem(manager.send("PUT", f"{HERE}/{bot.slug}"), 422, "retired")
