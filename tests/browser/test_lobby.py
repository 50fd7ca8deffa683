"""The lobby and the pages from which one sits down, at every size and in both themes."""

from __future__ import annotations

from random import Random

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from playwright.sync_api import Browser, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from esr_platform.accounts.models import Role, User, flags_of
from ladder.chat import report, say
from ladder.creation import open_house
from ladder.live.presence import note_seen
from ladder.matchmaking import proposals, quick_pairing
from ladder.matchmaking.presence import note_here
from ladder.models import Ladder, LiveSeat, Match, Proposal
from tests.browser.looker import ARTEFACTS, PHONE, Looker
from tests.browser.test_owner_pages import sign_in
from tests.build import person
from tests.ladder.live_tables import as_if_later, remote_bots, seated, to_round
from tests.ladder.pages.lobby.meeting import DUEL, met

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _house(transactional_db: None, watched: Page) -> None:
    """The house is open; its test server has no streams, so that of the lobby says nothing and ends."""
    open_house()
    watched.route("**/lobby/stream*", _silent)


def _silent(route: Route) -> None:
    route.fulfill(status=200, content_type="text/event-stream", body="retry: 60000\n\n")


def ladder(slug: str) -> Ladder:
    return Ladder.objects.get(slug=slug)


def verified(name: str) -> User:
    user = person(name)
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def test_every_page_of_the_lobby_fits_its_window_and_axe_finds_nothing(looker: Looker) -> None:
    ada, bob = verified("ada"), verified("a_name_as_long_as_they_get_30x")
    looker.open("/play/")
    proposals.create_game(bob, ladder("edel-stein-reich-4-people"), clock="calm")
    proposals.create_game(verified("cid"), ladder("die-weinhaendler-3-people"))
    made = proposals.create_game(ada, ladder("edel-stein-reich-5-people"), kind=Proposal.Kind.LINK)
    guest = Client()
    guest.post("/play/now/", {"game": "edel-stein-reich"})
    looker.open("/play/", f"/play/links/{made.token}/")
    match = met(ada, bob)
    note_seen({match.pk: {0, 1}})
    line = say(match.pk, 0, ada, text="Buy this. " * 20)
    report(match.pk, line["id"], bob)
    quick_pairing.look_for(ada, ladder(DUEL))
    note_here([ada.pk])
    bobs = Client()
    bobs.force_login(bob)
    bobs.post("/play/challenge/people/ada/", {"ladder": "edel-stein-reich-4-open", "counts": "casual"})
    sign_in(looker.page, ada)
    looker.page.goto("/play/")
    expect(looker.page.get_by_role("button", name="Copy link")).to_be_visible()
    looker.look("in-the-middle")
    looker.open("/play/challenge/house-haggler/", f"/play/challenge/people/{bob.username}/", "/account/")
    looker.open(f"/people/{bob.username}/", "/bots/house-haggler/")
    User.objects.filter(pk=ada.pk).update(role=Role.ADMIN, **flags_of(Role.ADMIN))
    looker.open("/staff/chat/")


def test_the_first_page_follows_the_best_table(looker: Looker) -> None:
    remote = ladder("edel-stein-reich-4-remote")
    match = seated(remote, remote_bots(remote))
    to_round(match, 8, Random(3))
    looker.page.goto("/")
    expect(looker.page.locator("best-table.begun")).to_be_visible()
    expect(looker.page.locator("best-table")).to_be_visible()
    looker.look("home-best")


def test_the_form_shows_what_the_chosen_table_has(watched: Page) -> None:
    sign_in(watched, person("ada"))
    watched.goto("/play/")
    watched.locator("#id_ladder").select_option("edel-stein-reich-3-people")
    expect(watched.locator("#id_opponent_1")).to_be_visible()
    expect(watched.locator("#id_opponent_2")).to_be_hidden()
    watched.locator("[name=kind][value=bots]").check()
    expect(watched.locator("#id_opponent_2")).to_be_visible()
    expect(watched.locator("#id_opponent_3")).to_be_hidden()
    watched.locator("#id_opponent_1").select_option("house-haggler")
    watched.locator("#id_opponent_3").evaluate("(field) => (field.value = 'house-greedy')")
    with watched.expect_response("**/play/offer/"):
        watched.locator("[data-create]").click(no_wait_after=True)
    seek = Proposal.objects.get()
    assert seek.ladder.slug == "edel-stein-reich-3-open"
    assert "house-haggler" in seek.players.values_list("bot__slug", flat=True)
    assert Match.objects.filter(pk=seek.match_id).exists()


def test_play_now_offers_only_what_fits_the_chosen_game(watched: Page) -> None:
    watched.goto("/")
    seats, opponents = (watched.locator(f"input[name={name}]:enabled") for name in ("seats", "opponent"))
    assert [radio.get_attribute("value") for radio in seats.all()] == ["3", "4", "5"]
    expect(watched.locator("[value=house-vintner]")).to_be_disabled()
    watched.get_by_text("Other opponents").click()
    watched.locator(".now-form").get_by_text("Greedy", exact=True).click()
    watched.locator(".now-form").get_by_text("Edel, Stein & Reich for two", exact=True).click()
    assert [radio.get_attribute("value") for radio in seats.all()] == ["2"]
    expect(watched.locator("[value=house-greedy]")).to_be_checked()
    watched.locator(".now-form").get_by_text("Die Weinhändler", exact=True).click()
    assert [radio.get_attribute("value") for radio in seats.all()] == ["3", "4", "5"]
    expect(watched.locator("[value=house-greedy]")).to_be_disabled()
    assert watched.locator(".now-form input:checked").count() == 3, "nothing that was hidden is still chosen"
    assert all(radio.locator("xpath=..").is_visible() for radio in [*seats.all(), *opponents.all()])


@pytest.mark.parametrize("name", [None, "ada"])
def test_a_level_is_chosen_with_the_keyboard_and_preselected_next_time(watched: Page, name: str | None) -> None:
    if name:
        sign_in(watched, person(name))
    watched.goto("/")
    watched.locator("input[name=seats][value='3']").focus()
    watched.keyboard.press("ArrowRight")
    watched.keyboard.press("Tab")
    expect(watched.get_by_role("radio", name="Level 2")).to_be_focused()
    watched.keyboard.press("ArrowRight")
    watched.keyboard.press("Enter")
    watched.wait_for_url("**/play/tables/*/")
    match = Match.objects.get()
    assert match.ladder.slug == "edel-stein-reich-4-open"
    assert match.seats.filter(version__bot__house_name="level-3").count() == 3
    watched.goto("/play/")
    expect(watched.get_by_role("radio", name="Level 3")).to_be_checked()
    expect(watched.locator("input[name=seats][value='4']")).to_be_checked()


def test_open_details_and_a_draft_survive_an_update_of_the_lobby(watched: Page) -> None:
    sign_in(watched, verified("ada"))
    watched.goto("/play/")
    mixed = watched.locator("#mixed")
    mixed.locator("summary").click()
    watched.locator("[name=kind][value=bots]").check()
    watched.locator("#id_opponent_1").select_option("house-haggler")
    quick_pairing.look_for(verified("bob"), ladder(DUEL))
    expect(watched.locator("#quick [data-searching='1']")).to_have_count(1, timeout=30_000)
    expect(mixed).to_have_attribute("open", "")
    expect(watched.locator("[name=kind][value=bots]")).to_be_checked()
    expect(watched.locator("#id_opponent_1")).to_have_value("house-haggler")


def test_a_guest_sits_down_and_plays_without_javascript(browser: Browser, live_server: LiveServer) -> None:
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": PHONE[0], "height": PHONE[1]}
    )
    page = context.new_page()
    page.goto("/play/")
    page.locator("#now").get_by_text("Level 1", exact=True).click()
    page.get_by_role("button", name="Play game").click()  # all choose at once
    expect(page.locator("#now")).to_be_visible()
    match = Match.objects.get()
    assert match.seats.filter(version__bot__house_name="level-1").count() == match.ladder.seats - 1
    as_if_later(match)
    page.get_by_role("link", name="Refresh").click()
    page.locator("#move").select_option(label="gems")
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / "lobby-without-javascript.png", full_page=True)
    page.locator("[data-play]").click()
    assert match.played_moves.filter(move="gems").exists()
    page.get_by_role("button", name="Resign").click()
    assert LiveSeat.objects.get(table=match.pk, kind__in=LiveSeat.OF_PEOPLE).resigned
    context.close()
