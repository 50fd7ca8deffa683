"""Sessions of a browser."""

from __future__ import annotations

from django.conf import settings
from django.test import Client
from playwright.sync_api import Page

from esr_platform.accounts.models import User


def sign_in(page: Page, user: User) -> None:
    """Give the browser a session of ``user``."""
    client = Client()
    client.force_login(user)
    set_cookie(page, settings.SESSION_COOKIE_NAME, client.cookies[settings.SESSION_COOKIE_NAME].value)


def set_cookie(page: Page, name: str, value: str) -> None:
    """Set a cookie for all pages of the site. With the URL of a page, it would be for the folder of this page only."""
    page.goto("/about/")
    page.context.add_cookies([{"name": name, "value": value, "url": page.url.removesuffix("about/")}])
