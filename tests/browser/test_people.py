"""The pages of users and of moderators, at every size and in both themes."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from bots.models import Bot
from esr_platform.accounts.models import Role, User, flags_of
from ladder.creation import open_house
from tests.browser.looker import Looker, press
from tests.browser.test_accounts import PASSWORD, signed_in
from tests.build import person, uploaded

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_staff_suspends_an_account_and_all_pages_show_it(watched: Page, looker: Looker) -> None:
    open_house()
    staff, carl = signed_in(watched), person("carl")
    bot = uploaded(carl, "W" * 40)
    Bot.objects.filter(pk=bot.pk).update(description="Buy this. " * 50)
    User.objects.filter(pk=staff.pk).update(role=Role.ADMIN, **flags_of(Role.ADMIN))
    watched.goto("/people/carl/")
    looker.look("person")
    watched.locator("main a[href='/staff/people/carl/']").click()
    watched.locator("textarea[name=reason]").fill("It advertises.")
    watched.locator("button[value=suspend]").click()
    expect(watched.locator("main").get_by_role("status")).to_be_visible()
    looker.look("moderated")
    watched.goto(f"/staff/bots/{bot.pk}/")
    looker.look("moderated-bot")
    watched.goto("/staff/trail/")
    looker.look("trail")
    for name in ("people/carl", "terms", "account", "staff"):
        watched.goto(f"/{name}/")
        looker.look(name.replace("/", "-"))


def test_a_user_closes_their_account(watched: Page, looker: Looker) -> None:
    user = signed_in(watched)
    watched.goto("/account/delete/")
    watched.locator("input[name=password]").fill(PASSWORD)
    press(watched.locator("form[action='/account/reauthenticate/'] button"))
    looker.look("delete")
    watched.locator("input[name=username]").fill(user.username)
    watched.locator("form[action='/account/delete/'] button").click()
    expect(watched.locator("main").get_by_role("status")).to_be_visible()
