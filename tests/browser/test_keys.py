"""Passkeys and codes in a real browser, whose authenticator is Chromium's virtual one, under the site's own policy."""

from __future__ import annotations

import hmac
import re
import struct
import time
from base64 import b32decode
from collections.abc import Iterator

import pytest
from playwright.sync_api import CDPSession, Page, expect

from esr_platform.accounts.models import User
from tests.browser.looker import Looker, press
from tests.browser.test_accounts import PASSWORD, signed_in
from tests.services.ports import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def authenticator(watched: Page) -> Iterator[CDPSession]:
    """A device with a finger on it."""
    session = watched.context.new_cdp_session(watched)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield session
    session.detach()


def heading(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def go(page: Page, address: str) -> None:
    """Open a page that asks first whether it is really you."""
    page.goto(address)
    if "/reauthenticate/" in page.url:
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("form[action='/account/reauthenticate/'] button").click()
        page.wait_for_url(f"**{address}")


def sign_out(page: Page) -> None:
    page.goto("/account/logout/")
    page.locator("main form[action='/account/logout/'] button").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_passkey_is_added_signs_in_is_named_and_removed(
    watched: Page, looker: Looker, authenticator: CDPSession
) -> None:
    user = signed_in(watched)
    watched.goto("/account/2fa/")
    looker.look("keys-none")
    go(watched, "/account/2fa/webauthn/add/")
    looker.look("key-add")
    watched.locator("input[name=name]").fill("laptop")
    watched.locator("form[data-passkey=add] button").click()
    heading(watched, "Recovery codes")
    looker.look("recovery-codes")
    assert watched.locator(".codes li").count() == 10
    sign_out(watched)

    watched.goto("/account/login/?next=/bots/")
    watched.locator("form[data-passkey=login] button").click()
    watched.wait_for_url("**/bots/")
    expect(watched.get_by_role("link", name=user.username)).to_be_visible()

    watched.goto("/account/2fa/webauthn/")
    looker.look("keys")
    press(watched.get_by_role("link", name="Rename passkey laptop"))
    press(watched.locator(".after a[href^='/account/2fa/webauthn/reauthenticate/']"))
    looker.look("is-it-you")
    watched.locator("form[data-passkey=use] button").click()
    watched.wait_for_url("**/edit/")
    watched.locator("input[name=name]").fill("old laptop")
    watched.locator("main form button").click()
    watched.get_by_role("link", name="Remove passkey old laptop").click()
    watched.wait_for_url("**/remove/")
    looker.look("key-remove")
    watched.locator("main form button").click()
    watched.wait_for_url("**/2fa/webauthn/")
    expect(watched.locator("main table")).to_have_count(0)


def test_a_password_alone_does_not_sign_in_with_a_passkey_registered(watched: Page, authenticator: CDPSession) -> None:
    signed_in(watched)
    go(watched, "/account/2fa/webauthn/add/")
    watched.locator("form[data-passkey=add] button").click()
    heading(watched, "Recovery codes")
    code = watched.locator(".codes li").first.inner_text()
    sign_out(watched)
    enter_password(watched)
    watched.wait_for_url("**/2fa/authenticate/")
    watched.goto("/account/")
    expect(watched.get_by_role("heading", name="miriam")).to_have_count(0)
    watched.goto("/account/2fa/authenticate/")
    watched.locator("form[data-passkey=use] button").click()
    watched.wait_for_url("**/play/")
    sign_out(watched)
    for works in (True, False):
        enter_password(watched)
        watched.locator("input[name=code]").fill(code)
        press(watched.locator("main form:not([data-passkey]) button.send"))
        assert ("/2fa/authenticate/" not in watched.url) == works
        if works:
            sign_out(watched)


def test_the_codes_of_an_app_are_asked_for_after_the_password(watched: Page, looker: Looker) -> None:
    signed_in(watched)
    go(watched, "/account/2fa/totp/activate/")
    looker.look("app")
    secret = watched.locator(".secret code").inner_text()
    watched.locator("input[name=code]").fill(totp(secret))
    watched.locator("form[action='/account/2fa/totp/activate/'] button").click()
    heading(watched, "Recovery codes")
    sign_out(watched)
    enter_password(watched)
    watched.wait_for_url("**/2fa/authenticate/")
    looker.look("two-factor")
    watched.locator("input[name=code]").fill("000000")
    sign_in = watched.locator("main form:not([data-passkey]) button.send")
    sign_in.click()
    expect(watched.locator("#id_code_error")).to_be_visible()
    watched.locator("input[name=code]").fill(totp(secret))
    sign_in.click()
    watched.wait_for_url("**/play/")
    assert User.objects.get().is_active


def enter_password(page: Page) -> None:
    page.goto("/account/login/")
    page.locator("main input[name=login]").fill("miriam")
    page.locator("main input[name=password]").fill(PASSWORD)
    page.locator("main form[action='/account/login/'] button").click()


def totp(secret: str) -> str:
    """The code of this half minute (RFC 6238). Waits for one that stays valid while the browser submits it."""
    wait_until(lambda: time.time() % 30 < 15, "a half minute has begun")
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.digest(b32decode(secret), counter, "sha1")
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"
