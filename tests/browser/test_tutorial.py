from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.looker import PHONE, Looker

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TUTORIAL = "/rules/edel-stein-reich/tutorial/"
MOST_CLICKS = 40


def test_a_newcomer_plays_the_first_phase_by_clicking(watched: Page) -> None:
    loads = list[str]()
    watched.on("load", lambda loaded: loads.append(loaded.url))
    watched.emulate_media(reduced_motion="reduce")
    watched.goto(TUTORIAL)
    expect(watched.locator(".gems")).to_be_visible()
    expect(watched.locator("[data-grid]")).to_be_hidden()
    choice(watched, "Money").click()
    expect(watched.get_by_text("Round 2 of 7")).to_be_visible()
    choice(watched, "Money").click()
    expect(watched.get_by_role("heading", name="magpie offers")).to_be_visible()
    compose(watched)
    for _ in range(MOST_CLICKS):
        if watched.locator("[data-end]").count():
            break
        expect(watched.locator("[data-tutorial].begun .gems-board")).to_be_visible()
        here = watched.url
        watched.locator(".tutorial-choices .button").first.click()
        expect(watched).not_to_have_url(here)
    expect(watched.locator("[data-end] ~ section a.send")).to_be_visible()
    watched.locator("[data-back]").click()
    expect(watched.get_by_text("Round 7 of 7")).to_be_visible()
    watched.get_by_role("link", name="Start over").click()
    expect(watched.get_by_text("Round 1 of 7")).to_be_visible()
    watched.go_back()
    expect(watched.get_by_text("Round 7 of 7")).to_be_visible()
    expect(watched.locator("[data-tutorial].begun .gems-board")).to_be_visible()
    assert len(loads) == 1, "no decision loads a page"


def test_on_a_phone_the_question_is_in_sight_with_the_board(watched: Page) -> None:
    width, height = PHONE
    watched.set_viewport_size({"width": width, "height": height})
    watched.emulate_media(reduced_motion="reduce")
    for moves in ("", "?moves=0-0"):
        watched.goto(f"{TUTORIAL}{moves}#now")
        expect(watched.locator("[data-tutorial].begun .gems-board")).to_be_visible()
        watched.locator("[data-tutorial]").evaluate("(part) => part.scrollIntoView({block: 'start'})")
        board, ask = (watched.locator(part).bounding_box() for part in (".gems-board", ".tutorial-ask"))
        assert board and ask, moves
        assert ask["y"] + ask["height"] <= height, moves
        assert board["y"] >= 0, moves
        assert board["y"] + board["height"] <= ask["y"] + 1, (moves, board, ask)


def choice(page: Page, name: str) -> Locator:
    return page.locator(".tutorial-choices").get_by_role("link", name=name, exact=True)


def compose(page: Page) -> None:
    """Put an offer together gem by gem: too low, then higher, and send it."""
    verdict = page.locator("[data-verdict]")
    page.get_by_role("button", name="Add one blue").click()
    expect(verdict).to_contain_text("Not high enough")
    page.get_by_role("button", name="Remove one blue").click()
    page.get_by_role("button", name="Add one green").click()
    expect(verdict).to_contain_text("Higher offer.")
    page.locator(".tutorial-offer button[type=submit]").click()
    expect(page.locator(".tutorial-story")).to_contain_text("lantern offers 1 green (green ranks above blue).")


def test_the_tutorial_fits_its_window_in_english_and_with_longer_texts(looker: Looker, pseudo_language: str) -> None:
    page = looker.page
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{TUTORIAL}?moves=0-0&R=0&Y=0&G=0&B=1")
    expect(page.locator(".gems")).to_be_visible()
    looker.look("tutorial-barter")
    page.locator(f".languages button[value={pseudo_language}]").click()
    expect(page.locator("html")).to_have_attribute("lang", pseudo_language)
    looker.open(f"{TUTORIAL}?moves=0-0-1-0-1-0-2-1-0-0-1-0-0")
