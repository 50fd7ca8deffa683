"""The search in the head: its key, its suggestions, and the way without them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.ladder.pages.site import Site

pytestmark = pytest.mark.slow


def test_a_bot_is_found_with_the_keyboard_alone(site: Site, watched: Page) -> None:
    watched.goto("/about/")
    field = watched.locator("input[data-suggestions]")
    expect(field).to_have_attribute("aria-expanded", "false")
    watched.keyboard.press("/")
    expect(field).to_be_focused()
    watched.keyboard.type("kon")
    option = watched.get_by_role("option", name=re.compile("Kontor"))
    expect(option).to_be_visible()
    watched.keyboard.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    watched.keyboard.press("Escape")
    expect(option).to_be_hidden()
    watched.keyboard.type("t")
    expect(option).to_be_visible()
    watched.keyboard.press("ArrowDown")
    watched.keyboard.press("Enter")
    expect(watched).to_have_url(re.compile("/bots/house-kontor/$"))

    field = watched.locator("input[data-suggestions]")
    expect(field).to_have_attribute("aria-expanded", "false")
    field.fill(f"match {site.finished.pk}")
    field.press("Enter")
    expect(watched).to_have_url(re.compile("/search/"))
    expect(watched.locator(f"main a[href='/matches/{site.finished.pk}/']")).to_be_visible()
