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


def test_a_moment_of_a_chart_is_told_to_the_keyboard(site: Site, watched: Page) -> None:
    watched.goto(f"/ladders/{site.ladder.slug}/bots/{site.bot.slug}/")
    plot, told = watched.locator(".rating-chart .plot"), watched.locator(".chart-tip")
    expect(told).to_be_hidden()
    plot.focus()
    watched.keyboard.press("Home")
    expect(told).to_have_text(re.compile(r"^\d+, v1, "))
    watched.keyboard.press("Escape")
    expect(told).to_be_hidden()
