"""Limits and decisions that hold however many requests come at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from django.db import connection

from bots.models import Bot, BotReport, TextRemoval
from bots.moderation import MOST_A_DAY, blank, complain
from bots.owners import describe, rename
from esr_platform.accounts import tokens
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import Role, Scope, Token, User

pytestmark = [pytest.mark.locks, pytest.mark.django_db(transaction=True)]


def at_once(count: int, does: Callable[[int], object]) -> None:
    """Call ``does`` with the numbers below ``count`` from many threads; what it refuses is refused."""

    def one(number: int) -> None:
        try:
            with suppress(Refused):
                does(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(one, range(count)))


def test_nobody_gets_more_tokens_than_one_may_have() -> None:
    miriam = User.objects.create_user("miriam")
    at_once(tokens.MOST_TOKENS + 10, lambda number: tokens.issue(miriam, str(number), [Scope.UPLOAD], None))
    assert Token.objects.count() == tokens.MOST_TOKENS


def test_nobody_reports_more_bots_a_day_than_one_may() -> None:
    ada, carl = User.objects.create_user("ada"), User.objects.create_user("carl")
    bots = [Bot.objects.create(owner=carl, name=f"b{i}", slug=f"b{i}") for i in range(MOST_A_DAY + 10)]
    at_once(len(bots), lambda number: complain(bots[number], ada, "x"))
    assert BotReport.objects.count() == MOST_A_DAY


def test_what_staff_takes_away_is_away_whatever_its_owner_sends_at_that_moment() -> None:
    carl, staff = User.objects.create_user("carl"), User.objects.create_user("root1", role=Role.MODERATOR)
    bot = Bot.objects.create(owner=carl, name="Rude Word", slug="rude", description="Rude.")

    def act(number: int) -> None:
        current = Bot.objects.get(pk=bot.pk)
        if number == 12:
            blank(current, staff, list(TextRemoval.What), "insult")
        elif number % 2:
            rename(current, "Rude Word")
        else:
            describe(current, "Rude.")

    at_once(30, act)
    bot.refresh_from_db()
    assert (bot.name, bot.slug, bot.description) == (f"Bot {bot.pk}", f"bot-{bot.pk}", "")
