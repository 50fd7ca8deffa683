from __future__ import annotations

from random import Random

import pytest
from playwright.sync_api import expect

from bots.models import Bot
from bots.remote import note_seen
from ladder.creation import open_house
from ladder.live.answers import answer
from ladder.live.end import finish
from ladder.models import Ladder, Match
from tests.browser.hall import Hall
from tests.browser.looker import Looker
from tests.browser.test_owner_pages import sign_in
from tests.ladder.live_tables import as_if_later, move_on, remote_bots, seated, table_of, to_round

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def ladder(transactional_db: None) -> Ladder:
    open_house()
    return Ladder.objects.get(slug="edel-stein-reich-3-remote")


def answer_wrongly(match: Match) -> None:
    """Send something that is no move for the first seat that is asked."""
    as_if_later(match)
    live_seat = next(live_seat for live_seat in table_of(match).live_seats if live_seat.owes)
    answer(match.pk, live_seat.seat.version.bot_id, live_seat.asked, b'{"move": "<b>everything</b>"}')


def play_to_the_end(match: Match, random: Random) -> None:
    while move_on(match, random):
        pass
    assert finish(match.pk)


def test_every_page_of_live_games_fits_its_window_and_axe_finds_nothing(ladder: Ladder, looker: Looker) -> None:
    random = Random(1)
    looker.page.route("**/api/v1/matches/*/stream*", lambda route: route.fulfill(status=204))  # this server has none
    bots = remote_bots(ladder)
    note_seen([bots[0].pk])
    over, running = seated(ladder, bots), seated(ladder, bots[::-1])
    answer_wrongly(over)
    play_to_the_end(over, random)
    to_round(running, 6, random)
    wine = Ladder.objects.get(slug="die-weinhaendler-4-remote")
    Bot.objects.filter(owner__username="ada").update(name="A_name_as_long_as_a_bots_name_may_be_40x")
    cellars = seated(wine, remote_bots(wine, ("eve", "fay", "gus", "hal")), rated=False)
    to_round(cellars, 4, random)
    looker.open("/", "/ladders/", f"/ladders/{ladder.slug}/", "/ladders/edel-stein-reich-4-remote/")
    looker.open("/ladders/edel-stein-reich-3-open/", "/bots/new/remote/", f"/bots/{bots[0].slug}/", "/bots/")
    for match in (running, cellars):
        looker.page.goto(f"/matches/{match.pk}/")
        expect(looker.page.locator("running-table.begun")).to_be_visible()
        looker.look(f"running-{match.ladder.game}")
    owner = bots[0].owner
    assert owner is not None
    sign_in(looker.page, owner)
    looker.open("/bots/new/remote/", "/bots/mine/", f"/bots/{bots[0].slug}/", f"/bots/{bots[0].slug}/declare/")
    looker.open(f"/bots/{bots[1].slug}/", f"/bots/{bots[0].slug}/settings/")


@pytest.mark.parametrize("streams", [True, False], ids=["by its events", "by asking"])
def test_a_running_game_is_followed_until_its_replay_appears(hall: Hall, streams: bool) -> None:
    random, visitor = Random(2), hall.visitor()
    ladder = Ladder.objects.get(slug="edel-stein-reich-3-remote")
    match, watched = seated(ladder, remote_bots(ladder)), visitor.page
    if not streams:
        watched.route("**/api/v1/matches/*/stream*", lambda route: route.fulfill(status=204))
    watched.goto(f"/matches/{match.pk}/")
    expect(watched.locator("[data-note=first-round]")).to_be_visible()
    expect(watched.locator("running-table")).to_be_hidden()
    to_round(match, 3, random)
    expect(watched.locator("running-table.begun")).to_be_visible(timeout=60_000)
    expect(watched.get_by_role("heading", name="Phase 1, round 2")).to_be_visible()
    expect(watched.get_by_role("heading", name="Phase 1, round 3")).to_have_count(0)
    if streams:
        requested: list[str] = []
        watched.on("request", lambda request: requested.append(request.url))
        newest = watched.locator("#told-3 li")
        begun = newest.count()
        watched.evaluate("getSelection().selectAllChildren(document.querySelector('#told-3'))")
        to_round(match, 4, random)
        expect(watched.locator("[data-told] > :first-child")).to_have_attribute("id", "told-4", timeout=60_000)
        assert newest.count() == begun, "a part in use is not replaced"
        watched.evaluate("getSelection().removeAllRanges()")
        expect(newest).not_to_have_count(begun)
        assert requested == [], "the events bring all that changes"
    while move_on(match, random):
        pass
    expect(watched.locator("game-replay.begun")).to_be_visible(timeout=60_000)
    expect(watched.locator("running-table")).to_have_count(0)
    assert visitor.messages == []


def test_a_page_continues_polling_after_an_error(hall: Hall) -> None:
    watched = hall.visitor().page
    address = f"**/ladders/{Ladder.objects.earliest('pk').slug}/"
    watched.goto(address[2:])
    parts = watched.locator("[data-live]").count()
    watched.route(address, lambda route: route.fulfill(status=429, body="Too many requests."))
    with watched.expect_response(lambda response: response.status == 429, timeout=60_000):
        pass
    watched.unroute(address)
    with watched.expect_response(lambda response: response.request.headers.get("hx-request") == "true", timeout=60_000):
        pass
    assert parts and watched.locator("[data-live]").count() == parts
