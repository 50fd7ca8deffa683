from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.conf import settings
from django.core import mail
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from bots.models import Bot
from esr_platform.accounts.models import Role, Token, User, flags_of
from tests.browser.looker import ARTEFACTS, AXE, AXE_SCRIPT, SCHEMES, Looker, press

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

PASSWORD = "a cellar full of amethysts"
Look = Callable[[str], None]


@pytest.fixture
def look(looker: Looker) -> Look:
    """Looks at the page as it is, under a name."""
    return looker.look


def last_email() -> str:
    return str(mail.outbox[-1].body)


def test_a_person_signs_up_and_finds_everything_of_the_account(watched: Page, look: Look) -> None:
    watched.goto("/account/signup/")
    look("signup")
    watched.locator("input[name=username]").fill("miriam")
    watched.locator("input[name=email]").fill("miriam@example.org")
    watched.locator("input[name=password1]").fill(PASSWORD)
    watched.locator("input[name=terms]").check()
    press(watched.locator("form[action='/account/signup/'] button"))
    look("code")
    code = re.search(r"^([A-Z0-9-]{6,9})$", last_email(), re.MULTILINE)
    assert code is not None
    watched.locator("input[name=code]").fill(code[1])
    watched.locator("main form button.send").click()
    expect(watched).to_have_url(re.compile("/play/$"))
    for name in ("", "tokens", "email", "password/change", "logout"):
        watched.goto(f"/account/{name}/" if name else "/account/")
        look(name.replace("/", "-") or "account")
    watched.locator("form[action='/account/logout/'] button").click()
    expect(watched.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_token_is_shown_once_and_revoked(watched: Page, look: Look) -> None:
    signed_in(watched)
    watched.goto("/account/tokens/")
    watched.locator("input[name=name]").fill("laptop")
    watched.locator("form[action='/account/tokens/'] button").click()
    secret = watched.locator(".notice code").inner_text()
    assert secret.startswith("esr_")
    look("tokens-new")
    watched.goto("/account/tokens/")
    assert secret not in watched.content()
    press(watched.get_by_role("button", name="Revoke token laptop"))
    look("tokens-revoked")


def test_a_remote_bot_gets_a_separate_token(watched: Page, look: Look) -> None:
    signed_in(watched)
    bot = Bot.objects.create(slug="wren", name="Wren", owner=User.objects.get(), kind=Bot.Kind.REMOTE)
    watched.goto("/account/tokens/?bot=wren")
    expect(watched.locator("select[name=bot]")).to_have_value("wren")
    watched.locator("input[name=name]").fill("the machine in the cellar")
    press(watched.locator("form[action='/account/tokens/'] button"))
    look("tokens-of-a-bot")
    assert (bot.tokens.get().scopes, bot.tokens.get().name) == (["play"], "the machine in the cellar")
    press(watched.locator("form[action='/account/tokens/revoke/'] button"))
    assert not Token.objects.live().exists()


def test_a_forgotten_password_can_be_reset(watched: Page, look: Look) -> None:
    User.objects.create_user("miriam", "miriam@example.org", PASSWORD)
    watched.goto("/account/login/")
    look("login")
    watched.locator("main input[name=login]").fill("miriam")
    watched.locator("main input[name=password]").fill("wrong")
    press(watched.locator("main form[action='/account/login/'] button"))
    look("login-wrong")
    watched.goto("/account/password/reset/")
    look("reset")
    watched.locator("main input[name=email]").fill("miriam@example.org")
    press(watched.locator("main button[type=submit]").first)
    look("reset-done")
    link = re.search(rf"{settings.SITE_URL}(\S+)", last_email())
    assert link is not None
    watched.goto(link[1])
    look("reset-key")
    for field in watched.locator("input[type=password]").all():
        field.fill("another cellar")
    press(watched.locator("main form button.send"))
    look("reset-key-done")
    watched.goto(link[1])
    look("reset-key-used")


def test_staff_sees_what_people_report(watched: Page, look: Look) -> None:
    miriam = signed_in(watched)
    carl = User.objects.create_user("carl")
    bot = Bot.objects.create(owner=carl, name="W" * 40, slug="w", description="Buy this. " * 50)
    bot.versions.create(number=1, digest="1" * 64, active=True)
    watched.goto("/bots/w/report/")
    look("report")
    watched.locator("textarea[name=text]").fill("It advertises. " + "x" * 80)
    watched.locator("main form button.send").click()
    expect(watched.locator("main").get_by_role("status")).to_be_visible()
    User.objects.filter(pk=miriam.pk).update(role=Role.ADMIN, **flags_of(Role.ADMIN))
    watched.goto("/staff/reports/")
    look("reports")
    watched.locator("input[name=what][value=description]").check()
    watched.locator("input[name=reason]").fill("Advertising")
    press(watched.locator("main form button.send"))
    look("reports-done")
    bot.refresh_from_db()
    assert bot.description == ""


def test_the_reference_of_the_api_is_drawn_without_anything_from_elsewhere(watched: Page) -> None:
    asked: list[str] = []
    watched.on("request", lambda request: asked.append(request.url))
    watched.goto("/api/v1/")
    expect(watched.locator(".opblock-summary-path[data-path$='/bots']").first).to_be_visible()
    here = watched.url.partition("/api/")[0]
    assert all(url.startswith((here, "data:")) for url in asked), asked
    watched.screenshot(path=ARTEFACTS / "account-reference.png", full_page=True)
    watched.emulate_media(color_scheme="dark")
    heading = watched.get_by_role("heading", name="Steinreich API")
    expect(watched.locator("html")).to_have_class("dark-mode")
    assert all(int(part) > 180 for part in re.findall(r"\d+", heading.evaluate("(it) => getComputedStyle(it).color")))


@pytest.mark.parametrize(
    ("address", "drawn"), [("/api/v1/", ".json-schema-2020-12"), ("/api/v1/redoc", "[data-section-id]")]
)
def test_axe_finds_nothing_in_the_reference_of_the_api(
    page: Page, live_server: LiveServer, address: str, drawn: str
) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{live_server.url}{address}")
        expect(page.locator(drawn).last).to_be_visible()
        page.evaluate(AXE_SCRIPT)
        assert page.evaluate(AXE, None) == [], scheme


def signed_in(page: Page) -> User:
    """Somebody who signs in by the form."""
    user = User.objects.create_user("miriam", "miriam@example.org", PASSWORD)
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)  # type: ignore[attr-defined]
    page.goto("/account/login/")
    page.locator("main input[name=login]").fill("miriam")
    page.locator("main input[name=password]").fill(PASSWORD)
    page.locator("main form[action='/account/login/'] button").click()
    expect(page).to_have_url(re.compile("/play/$"))
    return user
