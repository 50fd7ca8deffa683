"""A table that is searched, sorted and gone back in without a new page, and with nothing but addresses."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.ladder.pages.site import Site

pytestmark = pytest.mark.slow


def test_a_table_is_filtered_sorted_and_gone_back_in_on_one_page(site: Site, watched: Page) -> None:
    page, loads = watched, list[str]()
    page.on("load", lambda loaded: loads.append(loaded.url))
    page.goto(f"/ladders/{site.ladder.slug}/")
    rows = page.locator(".standings tbody tr")
    everybody = rows.count()
    page.locator("[data-filters] [name=q]").fill(site.bot.name)
    expect(rows).to_have_count(1)
    expect(page.locator("[data-filters] [name=q]")).to_be_focused()
    page.locator("th.games a").click()
    expect(page.locator("th.games")).to_have_attribute("aria-sort", "descending")
    page.locator("[data-filters] [name=of]").select_option("house")
    expect(page).to_have_url(re.compile(r"\?q=.+&of=house&sort=games$"))
    page.locator("[data-filters] [name=q]").fill("")
    expect(rows).to_have_count(everybody)
    page.go_back()
    expect(page.locator("[data-filters] [name=q]")).to_have_value(site.bot.name)
    expect(rows).to_have_count(1)
    assert len(loads) == 1


def test_chart_points_are_readable_by_keyboard(site: Site, watched: Page) -> None:
    watched.goto(f"/ladders/{site.ladder.slug}/bots/{site.bot.slug}/")
    plot, tip = watched.locator(".rating-chart .plot"), watched.locator(".chart-tip")
    expect(tip).to_be_hidden()
    plot.focus()
    watched.keyboard.press("Home")
    expect(tip).to_have_text(re.compile(r"^\d+, v1, "))
    watched.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_lists_start_near_the_top_of_a_phone_and_their_filters_unfold(site: Site, watched: Page) -> None:
    page = watched
    page.set_viewport_size({"width": 360, "height": 780})
    for address, rows in {
        f"/ladders/{site.ladder.slug}/": ".standings tbody tr",
        "/ladders/": ".ladder-matrix tbody tr",
        "/matches/": ".matches tbody tr",
        "/bots/": ".bot-list tbody tr",
    }.items():
        page.goto(address)
        box = page.locator(rows).first.bounding_box()
        assert box, address
        assert box["y"] < 300, (address, box)
    filters = page.locator("[data-filters] details")
    expect(filters.locator("select").first).to_be_hidden()
    filters.locator("summary").click()
    page.locator("[name=sort]").select_option("bot")
    expect(page).to_have_url(re.compile(r"\?sort=bot$"))
    page.locator("[name=of]").select_option("house")
    expect(page.locator("#filters-active b")).to_have_text("1")
    expect(filters).to_have_attribute("open", "")
