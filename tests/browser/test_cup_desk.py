"""Creating a cup and running it in a browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from ladder.cups.moderation import remove_texts, report
from ladder.models import Cup, CupEntry, Intervention
from tests.browser.looker import Looker, press
from tests.browser.test_owner_pages import sign_in
from tests.build import staff, verified
from tests.ladder.cups.cups import due, entered, house_bots, new_cup
from tests.ladder.pages.site import Site

pytestmark = pytest.mark.slow


def test_the_pages_of_organizers_fit_their_windows_and_axe_finds_nothing(site: Site, looker: Looker) -> None:
    cup = due(entered(new_cup("swiss", organizer=verified("olga"), repeat_days=7), house_bots()))
    following = Cup.objects.get(previous=cup)
    root = staff("root")
    verified("root")
    sign_in(looker.page, root)
    parts = ("", "pause/", f"entries/{CupEntry.objects.filter(cup=cup)[0].bot.slug}/", "rounds/1/1/")
    report(cup, verified("ada"), "It is an advertisement.")
    remove_texts(following, root, [Intervention.Action.REMOVED_TITLE], "An insult.")
    for renamed in (cup, following):  # both had the removed title, so both have a new address
        renamed.refresh_from_db()
    desk = f"/cups/{cup.slug}/desk/"
    looker.open("/staff/cups/", f"/staff/cups/{following.pk}/", f"/cups/{cup.slug}/report/")
    looker.open("/cups/", "/cups/new/", *[desk + part for part in parts], f"/cups/{following.slug}/desk/settings/")


def test_the_form_takes_the_time_zone_of_the_browser_and_shows_utc(site: Site, watched: Page) -> None:
    sign_in(watched, verified("olga"))
    session = watched.context.new_cdp_session(watched)
    session.send("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
    watched.goto("/cups/new/")
    expect(watched.locator("#id_time_zone")).to_have_value("Asia/Tokyo")
    start = (datetime.now(UTC) + timedelta(days=3)).replace(hour=11, minute=0)
    watched.locator("#id_title").fill("Tokyo evening")
    for field in ("closes_at", "starts_at"):
        watched.locator(f"#id_{field}").fill(f"{start:%Y-%m-%d}T20:00")
        expect(watched.locator(f"#id_{field} + [role=status]")).to_contain_text("11:00")
    watched.locator("#id_time_zone").select_option("Europe/Berlin")
    watched.locator("#id_starts_at").fill("2027-03-28T02:30")
    expect(watched.locator("#id_starts_at + [role=status]")).to_contain_text("Europe/Berlin")
    watched.locator("#id_starts_at").fill(f"{start:%Y-%m-%d}T20:00")
    watched.locator("#id_time_zone").select_option("Asia/Tokyo")
    press(watched.get_by_role("button", name="Create cup"))
    expect(watched.locator("h1")).to_have_text("Tokyo evening")
    cup = Cup.objects.get()
    assert f"{cup.starts_at:%Y-%m-%d %H:%M}" == f"{start:%Y-%m-%d %H:%M}"
