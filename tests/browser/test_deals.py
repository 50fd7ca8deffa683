"""Pages of deals in a real browser, which checks a deal with its own WebCrypto."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from ladder.creation import open_house
from ladder.models import Block, Ladder, Season
from ladder.seasons import close, publish_keys
from tests.browser.looker import Looker
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


def unfold(page: Page) -> None:
    """Open the part of a match page that verifies its deal, once the deal is public."""
    page.locator("details.deal check-deal").wait_for(state="attached")
    page.locator("details.deal > summary").click()


def test_a_match_page_verifies_its_deal_and_after_the_season_its_key(ladder: Ladder, watched: Page) -> None:
    match = games_of(Block.objects.filter(ladder=ladder).earliest("pk"))[0]
    verdict = watched.locator("check-deal .verdict")
    for keyed in ("false", "true"):
        watched.goto(f"/matches/{match.pk}/")
        unfold(watched)
        watched.locator("check-deal button").click()
        expect(verdict).to_have_attribute("data-faults", "0")
        expect(verdict).to_have_attribute("data-keyed", keyed)
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
    page.locator("#deals details > summary").click()
    assert page.get_by_text("esr verify-season edel-stein-reich-duel-season-1-deals.jsonl").is_visible()
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
        for button in looker.page.locator("check-deal button").all():
            button.click()
            expect(looker.page.locator(".verdict")).to_have_attribute("data-faults", "0")
        for summary in looker.page.locator("#deals details > summary").all():
            summary.click()
        looker.look(name)
