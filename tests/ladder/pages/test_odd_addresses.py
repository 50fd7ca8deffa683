"""Addresses and forms as nobody of good will sends them: whatever stands in them, no page is an error of the site's."""

from __future__ import annotations

from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from esr_platform.accounts.models import User
from tests.ladder.pages.site import Site
from tests.ladder.pages.walk import addresses

pytestmark = pytest.mark.slow

ODD = ("a\0@b", "9" * 18, "9" * 30, "-1", "\u202e%s{0}{R}", "x" * 3000, "9" * 5000)
NAMES = (
    *("a", "after", "b", "before", "bot", "games", "kind", "ladder", "language", "moves", "of", "page"),
    *("q", "R", "season", "sort", "state", "versions"),
)
RAW = ("%ED%A0%80", "%FF%FE", "%")


class _Everywhere(dict[str, Any]):
    """The same odd value for every parameter of an address."""

    def __init__(self, value: str) -> None:
        super().__init__()
        self.value = (value,)

    def __missing__(self, _name: str) -> tuple[str]:
        return self.value


@pytest.fixture
def boss(client: Client, settings: Any) -> Client:
    settings.REQUESTS_PER_MINUTE = dict.fromkeys(settings.REQUESTS_PER_MINUTE, 100_000)
    client.force_login(User.objects.create_superuser("roberta"))
    return client


def test_whatever_an_address_asks_for_no_page_breaks(site: Site, boss: Client) -> None:
    pages = [
        *("/", "/search/", "/search/suggestions/", "/compare/", "/bots/", "/matches/", "/staff/trail/"),
        *("/rules/edel-stein-reich/tutorial/", "/exhibitions/", "/staff/reports/"),
        *(f"/ladders/{site.ladder.slug}/", f"/ladders/{site.ladder.slug}/statistics/"),
        *(
            f"/ladders/{site.ladder.slug}/statistics/head-to-head/",
            f"/ladders/{site.ladder.slug}/bots/{site.bot.slug}/",
        ),
        *(f"/bots/{site.bot.slug}/", f"/matches/{site.finished.pk}/"),
    ]
    for page, value in product(pages, (*map(quote, ODD), *RAW)):
        everything = "&".join(f"{name}={value}" for name in NAMES if name != "ladder" or page == "/compare/")
        assert boss.get(f"{page}?{everything}").status_code < 500, (page, value[:50])


def test_whatever_stands_in_the_place_of_a_name_no_page_breaks(site: Site, boss: Client) -> None:
    for value in map(quote, ODD):
        for address in addresses(_Everywhere(value)):
            assert boss.get(address).status_code < 500, address[:200]


def test_whatever_a_form_sends_no_page_breaks(site: Site, boss: Client) -> None:
    names = ("next", "language", "do", "what", "reason", "username", "login", "password", "email", "name", "days")
    for value in ODD[:3]:
        for address in addresses(_Everywhere("1")):
            assert boss.post(address, dict.fromkeys(names, value)).status_code < 500, address
