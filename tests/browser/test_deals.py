"""Deals checked in a real browser, by its own WebCrypto."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from ladder.creation import open_house
from ladder.models import Block, Ladder, Season
from ladder.seasons import close, publish_keys
from tests.browser.looking import Looker
from tests.build import block_on, finish_block, finish_game, games_of

pytestmark = pytest.mark.slow

PAGE = "/ladders/edel-stein-reich-duel/seasons/1/"


@pytest.fixture
def ladder(transactional_db: None) -> Ladder:
    """The ladder for two, with two deals that are over and one with a game left."""
    open_house()
    ladder = Ladder.objects.get(slug="edel-stein-reich-duel")
    for first in range(2):
        finish_block(block_on(ladder, first=first))
    finish_game(games_of(block_on(ladder, Block.Purpose.TEST))[0])
    return ladder


def over(ladder: Ladder) -> None:
    """Play what is left, close the season and publish its keys."""
    for block in Block.objects.filter(ladder=ladder, ended=None):
        finish_block(block, [match for match in games_of(block) if match.status == "queued"])
    close(Season.objects.get(ladder=ladder, number=1))
    assert publish_keys() == 3


def change(page: Page, old: str, new: str) -> None:
    """Let the site give out another document than it has."""

    def answer(route: Route) -> None:
        response = route.fetch()
        body = response.text()
        assert old in body
        route.fulfill(response=response, body=body.replace(old, new, 1))

    page.route("**/deals.jsonl", answer)


def verdict(page: Page) -> dict[str, str]:
    """The numbers of deals and faults that the page has found, by data attribute; empty if it could not finish."""
    button = page.locator("check-season button")
    button.click()
    expect(button).to_be_enabled()
    expect(page.locator("check-season .verdict")).not_to_be_empty()
    expect(page.locator("check-season progress")).to_be_hidden()
    found: dict[str, str] = page.locator("check-season .verdict").evaluate("(shown) => ({...shown.dataset})")
    return found


def test_an_open_season_is_checked_as_far_as_it_is_open(ladder: Ladder, watched: Page) -> None:
    watched.goto(PAGE)
    assert verdict(watched) == {"done": "3", "closed": "1", "keyed": "false", "faults": "0"}


def test_every_deal_of_a_season_that_is_over_is_what_its_keys_give(ladder: Ladder, watched: Page) -> None:
    over(ladder)
    watched.goto(PAGE)
    assert verdict(watched) == {"done": "3", "closed": "0", "keyed": "true", "faults": "0"}


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("seed", "not the SHA-256 of the seed"),
        ("commitment", "not the SHA-256 of the seed"),
        ("number", "instead of deal 1"),
        ("key_hash", "does not match the hash"),
    ],
)
def test_a_deal_that_was_changed_is_found_in_the_browser(ladder: Ladder, watched: Page, what: str, says: str) -> None:
    over(ladder)
    block = Block.objects.filter(ladder=ladder).earliest("pk")
    assert block.series
    old = {
        "seed": f'"seed":"{bytes(block.seed).hex()}"',
        "commitment": f'"commitment":"{block.commitment}"',
        "number": '"number":1,',
        "key_hash": f'"key_hash":"{block.series.key_hash}"',
    }[what]
    new = {"number": '"number":2,'}.get(what, f'"{what}":"{"0" * 64}"')
    change(watched, old, new)
    watched.goto(PAGE)
    found = verdict(watched)
    assert found["done"] == "3"
    assert int(found["faults"]) > 0
    assert says in watched.locator("check-season li").first.inner_text()


def test_a_document_without_its_last_deals_is_found(ladder: Ladder, watched: Page) -> None:
    over(ladder)
    change(watched, '"deals":2', '"deals":7')
    watched.goto(PAGE)
    assert verdict(watched)["faults"] == "1"
    assert re.search(r"\b7\b.*\b2\b", watched.locator("check-season li").inner_text())


def test_a_site_that_does_not_answer_is_no_verdict(ladder: Ladder, browser: Browser, live_server: LiveServer) -> None:
    page = browser.new_page(base_url=live_server.url)
    page.goto(PAGE)
    page.route("**/deals.jsonl", lambda route: route.fulfill(status=503, body=""))
    assert verdict(page) == {}
    assert "503" in page.locator("check-season .verdict").inner_text()
    page.close()


def unfold(page: Page) -> None:
    """Open the part of a match page that verifies its deal, once the deal is public."""
    page.locator("details.deal check-deal").wait_for(state="attached")
    page.locator("details.deal > summary").click()


def test_a_match_page_checks_its_own_deal_and_after_the_season_its_key(ladder: Ladder, watched: Page) -> None:
    match = games_of(Block.objects.filter(ladder=ladder).earliest("pk"))[0]
    said = watched.locator("check-deal .verdict")
    for keyed in ("false", "true"):
        watched.goto(f"/matches/{match.pk}/")
        unfold(watched)
        watched.locator("check-deal button").click()
        expect(said).to_have_attribute("data-faults", "0")
        expect(said).to_have_attribute("data-keyed", keyed)
        if keyed == "false":
            over(ladder)


def test_a_match_that_is_watched_opens_its_deal_by_itself_and_can_check_it(ladder: Ladder, watched: Page) -> None:
    block = Block.objects.get(ladder=ladder, ended=None)
    watched.goto(f"/matches/{games_of(block)[0].pk}/")
    expect(watched.locator("[data-pending]")).to_be_visible()
    finish_block(block, [games_of(block)[1]])
    unfold(watched)
    watched.locator("check-deal button").click()
    expect(watched.locator("check-deal .verdict")).to_have_attribute("data-faults", "0")


def test_without_javascript_the_pages_say_how_to_check_by_hand(
    ladder: Ladder, browser: Browser, live_server: LiveServer
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()
    page.goto(PAGE)
    assert page.get_by_text("manage.py verify --season edel-stein-reich-duel/1").is_visible()
    match = games_of(Block.objects.filter(ladder=ladder).earliest("pk"))[0]
    page.goto(f"/matches/{match.pk}/")
    page.locator("details.deal > summary").click()
    assert page.locator("check-deal .caption").is_visible()
    context.close()


def test_seasons_fit_their_window_and_axe_finds_nothing(ladder: Ladder, looker: Looker) -> None:
    match = games_of(Block.objects.filter(ladder=ladder).earliest("pk"))[0]
    closed = games_of(Block.objects.get(ladder=ladder, ended=None))[0]
    over_now = {"season": PAGE, "seasons": "/ladders/edel-stein-reich-duel/seasons/", "deal": f"/matches/{match.pk}/"}
    for name, address in {"closed-deal": f"/matches/{closed.pk}/", "open-season": PAGE, **over_now}.items():
        if name == "season":
            over(ladder)
        looker.page.goto(address)
        if name == "deal":
            unfold(looker.page)
        for button in looker.page.locator("check-season button, check-deal button").all():
            button.click()
            expect(looker.page.locator(".verdict")).to_have_attribute("data-faults", "0")
        looker.look(name)
