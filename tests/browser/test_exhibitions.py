"""Exhibition matches and ladders of staff in a real browser: in both color schemes, on a phone and on a desktop."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone
from playwright.sync_api import Page, expect

from ladder.creation import open_house
from ladder.exhibitions.progress import feed
from ladder.exhibitions.requests import request_scheduled
from ladder.models import Exhibition, Ladder, Match
from tests.browser.looker import Looker
from tests.browser.sessions import sign_in
from tests.build import (
    DUEL,
    active_version,
    finish_game,
    house_version,
    new_version,
    person,
    staff,
    uploaded,
    variety_of,
)
from tests.ladder.exhibitions.builders import a_comparison, a_test, play_all

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_comparison_is_ordered_followed_and_cancelled(watched: Page, looker: Looker) -> None:
    open_house()
    duel = Ladder.objects.get(slug=DUEL)
    bot = uploaded(person("ada"), "Magpie of the north")
    older, newer = active_version(bot), new_version(bot)
    sign_in(watched, bot.owner)
    looker.open(f"/ladders/{DUEL}/compare/")
    watched.get_by_label("Candidate").select_option(str(newer.pk))
    watched.get_by_label("Baseline").select_option(str(older.pk))
    watched.get_by_role("button", name="Start comparison").click()
    expect(watched.get_by_role("heading", level=1)).to_have_text(f"{newer} compared with {older}")
    exhibition = Exhibition.objects.get()
    for _ in range(3):
        feed()
        for match in Match.objects.filter(block__exhibition=exhibition, status="queued").order_by("pk"):
            finish_game(match, variety_of(match))
    expect(watched.locator(".walk .way")).to_have_attribute("d", re.compile(r"(L.*){8}"), timeout=60_000)
    looker.open(f"/exhibitions/{exhibition.pk}/")
    watched.get_by_role("button", name="Cancel match request").click()
    expect(watched.locator("#order")).to_have_attribute("data-state", "cancelled")
    decided = play_all(a_comparison(bot.owner, duel, (newer, older), [house_version("greedy")], 100), loser=older)
    looker.open(f"/exhibitions/{decided.pk}/")


def test_a_match_at_a_set_time_counts_down_with_and_without_scripts(watched: Page, looker: Looker) -> None:
    open_house()
    duel = Ladder.objects.get(slug=DUEL)
    bot, theirs = uploaded(person("ada"), "Magpie"), uploaded(person("bob"), "Abacus")
    a_test(bot.owner, duel, [active_version(bot), house_version("greedy")])
    at = timezone.now() + timedelta(minutes=12)
    exhibition = request_scheduled(bot.owner, duel, [active_version(bot).pk, active_version(theirs).pk], 2, at, uuid4())
    sign_in(watched, theirs.owner)
    looker.open("/exhibitions/")
    looker.open(f"/exhibitions/{exhibition.pk}/")
    first = watched.locator("[data-countdown]").inner_text()
    assert re.fullmatch(r"in 1[12] min \d+ s", first)
    expect(watched.locator("[data-countdown]")).not_to_have_text(first)
    watched.locator("button[name=agree]").click()
    expect(watched.locator("#order")).to_have_attribute("data-state", "planned")
    Exhibition.objects.filter(pk=exhibition.pk).update(due_at=timezone.now() - timedelta(minutes=4, seconds=30))
    looker.open(f"/exhibitions/{exhibition.pk}/")
    expect(watched.locator("[data-countdown]")).to_have_text("4 min ago")
    looker.open(f"/ladders/{DUEL}/test/")
    looker.open(f"/ladders/{DUEL}/schedule/")


def test_staff_creates_a_class_ladder_and_a_student_joins_by_link(watched: Page, looker: Looker) -> None:
    open_house()
    bot = uploaded(person("ada"), "Magpie")
    sign_in(watched, staff("eve"))
    looker.open("/ladders/")
    looker.open("/staff/ladders/new/")
    watched.get_by_label("Name").fill("Seminar 2026")
    watched.get_by_label("Game and number of players").select_option(f"{DUEL}:2")
    watched.locator("input[name=access][value=class]").check()
    watched.get_by_label("Deadline (UTC)").fill(f"{timezone.now() + timedelta(days=3):%Y-%m-%dT%H:%M}")
    watched.get_by_label("Greedy (").check()
    watched.get_by_role("button", name="Create ladder").click()
    expect(watched.get_by_role("heading", level=1)).to_have_text("Members of Seminar 2026")
    looker.look("members")
    link = watched.locator("code.long").inner_text()
    sign_in(watched, bot.owner)
    looker.open(link.removeprefix(settings.SITE_URL))
    watched.get_by_role("button", name="Join ladder").click()
    expect(watched.get_by_role("heading", level=1)).to_have_text("Seminar 2026")
    watched.goto(f"/bots/{bot.slug}/")
    watched.get_by_label("Seminar 2026").check()
    watched.get_by_role("button", name="Save ladders").click()
    looker.open("/ladders/seminar-2026/")
    expect(watched.locator("#ladder")).to_contain_text("Magpie")
