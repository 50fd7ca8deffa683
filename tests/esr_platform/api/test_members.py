from __future__ import annotations

from django.utils import timezone

from bots.models import Bot
from esr_platform.accounts.models import Scope, Token
from ladder.models import Ladder, Membership
from tests.build import DUEL
from tests.esr_platform.api.conftest import Program, document, person, problem

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


def test_users_cannot_change_memberships_of_others(manager: Program, carl_manages: Program, bot: Bot) -> None:
    house = Bot.objects.filter(owner=None).values_list("slug", flat=True)[0]
    for method in ("PUT", "DELETE"):
        problem(carl_manages.send(method, f"{HERE}/{bot.slug}"), 403, "permission_denied")
        problem(manager.send(method, f"{HERE}/{house}"), 403, "permission_denied")
        problem(manager.send(method, f"{HERE}/nobody"), 404, "not_found")
        problem(manager.send(method, f"ladders/nowhere/members/{bot.slug}"), 404, "not_found")
    assert Membership.objects.get(bot=bot, ladder__slug=DUEL).active


def test_a_private_ladder_is_hidden_from_users_who_are_not_members(manager: Program, bot: Bot, duel: Ladder) -> None:
    Ladder.objects.filter(pk=duel.pk).update(private=True, by_invitation=True)
    problem(manager.send("PUT", f"{HERE}/{bot.slug}"), 404, "not_found")


def test_memberships_need_the_scope_manage(manager: Program, bot: Bot) -> None:
    for scope in (Scope.READ, Scope.PLAY, Scope.UPLOAD):
        Token.objects.update(scopes=[scope.value])
        problem(manager.send("DELETE", f"{HERE}/{bot.slug}"), 403, "permission_denied")
    problem(Program().send("DELETE", f"{HERE}/{bot.slug}"), 401, "not_authenticated")
    assert person("else", Scope.MANAGE).user is not None
    assert Membership.objects.get(bot=bot, ladder__slug=DUEL).active
