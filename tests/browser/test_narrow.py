"""The head of every page on a narrow screen, in English and in a longer language, for visitors and for users."""

from __future__ import annotations

from itertools import pairwise

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from bots.remote import MOST_LABEL
from ladder.members.memberships import declare, register
from tests.browser.looker import PHONE, SMALL, THUMB, WIDTH
from tests.browser.sessions import set_cookie, sign_in
from tests.build import DUEL, person
from tests.ladder.pages.site import Site

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_the_head_fits_a_phone_in_every_language(watched: Page, pseudo_language: str) -> None:
    width, height = PHONE
    watched.set_viewport_size({"width": width, "height": height})
    watched.goto("/about/")
    for signed_in in (False, True):
        if signed_in:
            sign_in(watched, person("ada"))
            watched.reload()
            expect(watched.locator("#menu .person a", has_text="ada")).to_be_attached()
        for code in (pseudo_language, "en"):
            watched.locator(f".languages button[value={code}]").click()
            expect(watched.locator("html")).to_have_attribute("lang", code)
            assert watched.evaluate(WIDTH) == width, (code, signed_in)
            assert watched.evaluate(SMALL, THUMB) == [], (code, signed_in)


def test_every_page_fits_its_window_with_longer_texts(site: Site, watched: Page, pseudo_language: str) -> None:
    width, height = PHONE
    sign_in(watched, person("ada"))
    set_cookie(watched, settings.LANGUAGE_COOKIE_NAME, pseudo_language)
    faults = []
    others = {f"/matches/{match.pk}/" for match in site.others}
    for address in [address for address in site.addresses if address not in others] + OF_A_USER:
        watched.set_viewport_size({"width": width, "height": height})
        watched.goto(address)
        watched.wait_for_load_state()
        faults += [f"{address}: {pixels} px wide"] if (pixels := watched.evaluate(WIDTH)) > width else []
        faults += [f"{address}: too small for a thumb: {it}" for it in watched.evaluate(SMALL, THUMB)]
        for wider in WIDER:
            watched.set_viewport_size({"width": wider, "height": height})
            faults += [f"{address}: {pixels} px wide at {wider}"] if (pixels := watched.evaluate(WIDTH)) > wider else []
    assert faults == []


WIDER = (768, 1280)
OF_A_USER = ["/account/", "/bots/mine/", "/bots/new/", "/exhibitions/", "/search/?q=house", "/terms/"]


@pytest.mark.parametrize("width", [360, 1024, 1280])
def test_the_versions_of_a_remote_bot_fit_the_page_of_its_owner(watched: Page, width: int) -> None:
    watched.set_viewport_size({"width": width, "height": PHONE[1]})
    ada = person("ada")
    sign_in(watched, ada)
    bot = register(ada, "Distant", {DUEL: [2]}, label="f5b57e4f83ce").bot
    declare(bot, label="W" * MOST_LABEL)
    declare(bot, label="0d34bb81c2aa")
    watched.goto(f"/bots/{bot.slug}/")
    expect(watched.locator("#versions button")).to_have_count(2)
    assert watched.evaluate(WIDTH) == width


def test_the_supply_of_a_replay_shows_all_its_numbers_on_a_phone(site: Site, watched: Page) -> None:
    width, height = PHONE
    watched.set_viewport_size({"width": width, "height": height})
    watched.goto(f"/matches/{site.finished.pk}/")
    expect(watched.locator(".row.bank .number").last).to_be_visible()
    edges = watched.evaluate(
        """() => [...document.querySelectorAll('.row.bank .piles :is(.stone:first-child, .number)')]
            .map((part) => part.getBoundingClientRect()).map(({ left, right }) => [left, right])"""
    )
    assert len(edges) == 8
    assert all(right <= left for (_, right), (left, _) in pairwise(edges)), edges
