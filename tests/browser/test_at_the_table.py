"""What there is at a table beside playing: talk, giving up, ending it, claiming it, a guest who sits down at once."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from ladder.models import Chair, ChatReport, Ladder, Match, PlayedMove
from tests.browser.looking import Looker
from tests.browser.seated import Hall, Sitter, table_of_people

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

SOON_S = 5.0
"""So long after the site was opened a person plays."""


def duel() -> Ladder:
    return Ladder.objects.get(slug="edel-stein-reich-duel-people")


def asked_first(match: Match, names: Sequence[str]) -> str:
    """Who of those at a table owes a decision now: who begins is drawn."""
    return names[Chair.objects.filter(table=match.pk, owes=True).earliest("seat__index").seat.index]


def agree_to(sitter: Sitter, button: str) -> None:
    """Do what asks first: the button at the table, then that of its dialog."""
    sitter.page.get_by_role("button", name=f"{button}…").click()
    dialog = sitter.page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    dialog.locator(".send").click()


def test_a_guest_plays_a_house_bot_within_five_seconds(hall: Hall) -> None:
    hall.visitor().page.goto("/")  # whatever a site does when it is asked first
    guest = hall.visitor()
    opened = time.monotonic()
    guest.page.goto("/")
    guest.page.locator("main button[name=ladder]").first.click()
    guest.page.wait_for_selector("sitting-table.begun")
    assert time.monotonic() - opened < SOON_S
    for _ in range(6):
        question = guest.until_asked()
        assert guest.send(question["default"])["sent"]
    expect(guest.page.get_by_role("tab", name="Table talk")).to_have_count(0)
    stranger = hall.visitor()
    stranger.page.goto(guest.page.url)
    assert "/matches/" in stranger.page.url, "a seat is its guest's alone"
    assert guest.said == stranger.said == []


def test_players_talk_and_a_line_is_reported_and_hidden(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    for sitter in (ada, bob):
        sitter.page.get_by_role("tab", name="Table talk").click()
    ada.page.get_by_label("Say something").fill("Buy <b>cheap</b> gems")
    ada.page.keyboard.press("Enter")
    line = bob.page.locator("[data-talk-lines] li")
    expect(line).to_contain_text("Buy <b>cheap</b> gems")
    expect(ada.page.locator("[data-talk-lines] li")).to_have_count(1)
    expect(ada.page.get_by_role("button", name="Report")).to_have_count(0)
    line.get_by_role("button", name="Report").click()
    expect(line).to_contain_text("Reported")
    assert ChatReport.objects.get().by == bob.user
    bob.page.get_by_role("button", name="Good luck").click()
    expect(ada.page.locator("[data-talk-lines] li").last).to_contain_text("Good luck")
    assert ada.said == bob.said == []


def test_a_casual_game_is_aborted_and_another_one_resigned(hall: Hall) -> None:
    first, second = (table_of_people(duel(), ["ada", "bob"]) for _ in range(2))
    ada, bob = hall.sit(first, ["ada", "bob"])
    agree_to(ada, "Abort")
    for sitter in (ada, bob):
        expect(sitter.page.locator(".sitting-end h2")).to_have_text("The game was aborted; it counts for nobody.")
        sitter.open(second)
    agree_to(bob, "Resign")
    expect(ada.page.locator(".sitting-end h2")).to_have_text("You win.", timeout=20_000)
    expect(bob.page.locator(".sitting-ranking li").last).to_contain_text("resigned")
    expect(bob.page.get_by_role("button", name="Rematch")).to_be_visible()
    bob.page.get_by_role("link", name="See the replay").click()
    expect(bob.page).to_have_url(re.compile(f"/matches/{second.pk}/"))
    assert ada.said == bob.said == []


def test_whoever_stays_alone_claims_the_game(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    ada, bob = hall.sit(match, ["ada", "bob"])
    bob.context.close()
    hall.contexts.remove(bob)
    long_ago = timezone.now() - timedelta(minutes=3)
    expect(ada.page.get_by_role("button", name="Claim the game…")).to_be_hidden()

    def away() -> None:
        Chair.objects.filter(table=match.pk, seat__index=bob.seat).update(seen_at=long_ago, left_at=None)

    away()
    expect(ada.page.locator(".sitting-seats")).to_contain_text("away", timeout=30_000)
    away()
    agree_to(ada, "Claim the game")
    expect(ada.page.locator(".sitting-end h2")).to_have_text("You win.", timeout=20_000)
    assert ada.said == []


def test_a_draft_outlives_a_page_that_is_loaded_again(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    (ada,) = hall.sit(match, [asked_first(match, ["ada", "bob"])])
    ada.until_asked("action")
    ada.page.locator('.compose [data-choice="event"]').click()
    assert not PlayedMove.objects.filter(match=match).exists(), "nothing is sent by choosing"
    ada.page.reload()
    ada.page.wait_for_selector("sitting-table.begun")
    ada.until_asked("action")
    ada.page.locator('.compose [data-send="main"]').click()
    ada.page.wait_for_function("() => document.querySelector('sitting-table').decision.number === null")
    assert PlayedMove.objects.get(match=match).move == "event"


HIDDEN = """() => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
"""As if another tab was looked at."""


def test_a_player_who_looks_elsewhere_is_called(hall: Hall) -> None:
    match = table_of_people(duel(), ["ada", "bob"])
    (ada,) = hall.sit(match, [asked_first(match, ["ada", "bob"])])
    ada.until_asked()
    expect(ada.page.locator("[data-alert]")).to_have_text("Your turn.")
    own = ada.page.title()
    ada.page.evaluate(HIDDEN)
    expect(ada.page).to_have_title("Your turn")
    expect(ada.page).to_have_title(own)
    expect(ada.page).to_have_title("Your turn")
    ada.page.emulate_media(reduced_motion="reduce")
    ada.page.evaluate(HIDDEN)
    expect(ada.page).to_have_title("• Your turn")
    ada.page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    expect(ada.page).to_have_title(own)
    sound = ada.page.get_by_role("button", name="Warning sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    ada.open(match)
    expect(sound).to_have_attribute("aria-pressed", "true")
    assert ada.said == []


def test_the_page_of_a_table_fits_its_window_and_axe_finds_nothing(hall: Hall) -> None:
    for slug in ("edel-stein-reich-4-people", "edel-stein-reich-duel-people", "die-weinhaendler-4-people"):
        ladder = Ladder.objects.get(slug=slug)
        names = ["ada", "bob", "cid", "dora"][: ladder.seats]
        match = table_of_people(ladder, names)
        (ada,) = hall.sit(match, [asked_first(match, names)])
        looker = Looker(ada.page, "sitting")
        looker.look(slug)
        ada.send(ada.until_asked()["default"])
        looker.look(f"{slug}-waiting")
        assert (looker.faults, ada.said) == ([], [])
