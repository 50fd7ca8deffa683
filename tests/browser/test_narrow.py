"""The head of every page on a narrow screen, in every language, for who has signed in and for who has not."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from tests.browser.looking import PHONE, WIDTH
from tests.build import person

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_the_head_fits_a_phone_in_every_language(watched: Page) -> None:
    width, height = PHONE
    watched.set_viewport_size({"width": width, "height": height})
    watched.goto("/about/")
    for signed_in in (False, True):
        if signed_in:
            client = Client()
            client.force_login(person("ada"))
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            watched.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": watched.url}])
            watched.reload()
            expect(watched.get_by_role("link", name="ada")).to_be_visible()
        for code, name in settings.LANGUAGES:
            button = watched.get_by_role("button", name=str(name))
            if button.count():
                button.click()
            expect(watched.locator("html")).to_have_attribute("lang", code)
            assert watched.evaluate(WIDTH) == width, (code, signed_in)
        watched.get_by_role("button", name="English").click()
        expect(watched.locator("html")).to_have_attribute("lang", "en")
