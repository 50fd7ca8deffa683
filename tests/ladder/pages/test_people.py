"""The page of a person: bots and matches that the viewer may know of, and nobody who is not there."""

from __future__ import annotations

import re
from html import escape

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion
from bots.owners import guest_player, player_of
from esr_platform.account_pages import suspensions
from esr_platform.accounts.models import User
from games.registry import GAMES
from ladder.creation import LadderPlan, found_ladder
from ladder.matches.blocks import BlockPlayer
from ladder.models import Block, Invitation, Ladder, Match, Membership, Season
from ladder.pages import home
from ladder.pages.components.boards import table
from ladder.pages.components.chart import rating_chart
from ladder.pages.components.traces import trace
from ladder.seasons import close
from tests.build import (
    DUEL,
    active_version,
    finish_game,
    finished_by_hand,
    match_of,
    opened_house,
    person,
    scheduled,
    staff,
    uploaded,
    verified,
)
from tests.page import parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    opened_house()
    return person("ada")


def begun(bot: Bot, ladder: Ladder) -> Match:
    match = match_of(bot, ladder)
    Match.objects.filter(pk=match.pk).update(attempts_started=1)
    return match


def test_it_lists_bots_and_matches_and_the_bot_page_leads_there(ada: User, client: Client) -> None:
    bot = uploaded(ada, "Magpie")
    match = begun(bot, Ladder.objects.get(slug=DUEL))
    page = client.get("/people/ada/").content.decode()
    assert "Magpie" in page
    assert f"/matches/{match.pk}/" in page
    assert 'href="/people/ada/"' in client.get(f"/bots/{bot.slug}/").content.decode()


def test_further_ladders_of_a_format_are_named(ada: User, client: Client) -> None:
    bot, standard = uploaded(ada, "Magpie"), Ladder.objects.get(slug=DUEL)
    course = found_ladder(LadderPlan("Class 7b", standard.game, standard.seats), staff("eve"))
    assert bot.memberships.filter(ladder=course).exists()
    client.force_login(ada)
    for address in ("/people/ada/", "/bots/mine/"):
        names = {
            link["href"]: link.text
            for link in parsed(client.get(address).content.decode()).all("a", class_="name")
            if link["href"].startswith("/ladders/")
        }
        assert names[f"/ladders/{course.slug}/"] == course.name
        assert names[f"/ladders/{standard.slug}/"] != standard.name


def test_the_name_is_found_whatever_its_case(ada: User, client: Client) -> None:
    uploaded(ada)
    assert client.get("/people/ADA/").headers["Location"] == "/people/ada/"


def test_what_is_on_a_private_ladder_is_for_its_members_numbers_included(ada: User, client: Client) -> None:
    bot = uploaded(ada, "Magpie")
    ladder = Ladder.objects.get(slug=DUEL)
    match = begun(bot, ladder)
    Membership.objects.filter(bot=bot).update(games=77, rating=1_234_000)
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    outsider = client.get("/people/ada/").content.decode()
    assert f"/matches/{match.pk}/" not in outsider
    assert ladder.slug not in outsider
    assert ">77<" not in outsider
    assert "1234" not in outsider
    bob = person("bob")
    Invitation.objects.create(ladder=ladder, person=bob)
    client.force_login(bob)
    inside = client.get("/people/ada/").content.decode()
    assert f"/matches/{match.pk}/" in inside
    assert ">77<" in inside


@pytest.mark.parametrize("name", ["nobody", "a/b", "x" * 300, "%00", "ada'--"])
def test_there_is_no_page_of_nobody(ada: User, client: Client, name: str) -> None:
    assert client.get(f"/people/{name}/").status_code == 404


def test_who_has_proven_no_address_and_has_no_bot_is_not_shown(ada: User, client: Client) -> None:
    assert client.get("/people/ada/").status_code == 404
    client.force_login(ada)
    assert client.get("/people/ada/").status_code == 200, "to themselves they are"
    client.logout()
    EmailAddress.objects.create(user=ada, email="ada@example.org", verified=True, primary=True)
    assert "ada@" not in client.get("/people/ada/").content.decode()
    assert client.get("/people/ada/").status_code == 200


def test_a_bot_that_was_never_ready_is_its_owners_alone(ada: User, client: Client) -> None:
    uploaded(ada, "Magpie")
    new = Bot.objects.create(owner=ada, name="Newcomer", slug="newcomer")
    BotVersion.objects.create(bot=new, number=1, digest="1" * 64, state="received")
    assert "Newcomer" not in client.get("/people/ada/").content.decode()


def test_a_suspended_account_keeps_its_page_which_says_so(ada: User, client: Client) -> None:
    uploaded(ada, "Magpie")
    suspensions.suspend(ada, staff("eve"), "Secret reason.")
    page = client.get("/people/ada/").content.decode()
    assert 'data-note="suspended"' in page
    assert "Secret reason" not in page


def test_more_bots_need_no_more_queries(ada: User, client: Client) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert client.get("/people/ada/").status_code == 200
        return len(queries)

    begun(uploaded(ada, "Bot 0"), Ladder.objects.get(slug=DUEL))
    before = count()
    for number in (1, 2, 3):
        begun(uploaded(ada, f"Bot {number}"), Ladder.objects.get(slug=DUEL))
    assert count() == before


@pytest.fixture
def people(house: None) -> Ladder:
    """The ladder of people for two, on which ann and ben have played."""
    ladder = Ladder.objects.get(slug=f"{DUEL}-people")
    finished_by_hand(ladder, ("ann", "ben"))
    return ladder


def text(address: str, client: Client | None = None) -> str:
    answer = (client or Client()).get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    return answer.content.decode()


def with_a_guest() -> Match:
    """A casual game of a guest against the house, over."""
    ladder = Ladder.objects.get(slug=f"{DUEL}-open")
    house = active_version(Bot.objects.get(house_name="greedy"))
    players = [BlockPlayer(guest_player(), None), BlockPlayer(house, None)]
    block = scheduled(ladder, players, purpose=Block.Purpose.CASUAL, rotated=False)
    return finish_game(Match.objects.select_related("ladder", "block").get(block=block))


def test_a_ladder_shows_people_with_links_to_their_pages_and_without_versions(people: Ladder) -> None:
    page = text(f"/ladders/{people.slug}/")
    assert 'href="/people/ann/"' in page
    assert "/bots/ann/" not in page
    assert "v1" not in page


def test_people_have_a_group_of_ladders_of_their_own(people: Ladder) -> None:
    page = parsed(text("/ladders/"))
    assert page.all("th", id="people")
    assert f"/ladders/{people.slug}/" in page.links


def test_a_table_leads_to_people(people: Ladder) -> None:
    match = people.matches.get()
    page = text(f"/matches/{match.pk}/")
    assert 'href="/people/ann/"' in page
    seats = list(match.seats.select_related("version__bot").order_by("index"))
    labels = table(GAMES[people.game], seats, ["ann", "ben"])["labels"]
    assert [(label["version"], label["href"]) for label in labels] == [(None, "/people/ann/"), (None, "/people/ben/")]


def test_guests_are_called_so_and_lead_nowhere(house: None) -> None:
    match = with_a_guest()
    page = text(f"/matches/{match.pk}/")
    assert '<span class="name">Guest</span>' in page
    assert "no account" in page
    assert "house-guest" not in page
    assert Client().get("/bots/house-guest/").status_code == 404
    assert "house-guest" not in text("/matches/")


def test_the_page_of_a_person_shows_where_they_stand(people: Ladder) -> None:
    page = text("/people/ann/")
    assert escape(people.name) in page
    assert f'href="/ladders/{people.slug}/bots/ann/"' in page
    assert f'href="/matches/{people.matches.get().pk}/"' in page


def test_the_first_page_and_the_list_of_seasons_lead_to_people(people: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "FEWEST_GAMES", 1)
    close(Season.objects.get(ladder=people, closed=None))
    for address in ("/", f"/ladders/{people.slug}/seasons/"):
        page = text(address)
        assert re.search('href="/people/(ann|ben)/"', page)
        assert not re.search('href="/bots/(ann|ben)/"', page)


def test_the_address_of_a_persons_row_leads_to_their_page(people: Ladder) -> None:
    assert Client().get("/bots/ann/").headers["Location"] == "/people/ann/"


def test_a_person_is_known_by_having_played(people: Ladder) -> None:
    cid = person("cid")
    assert Client().get("/people/cid/").status_code == 404
    player_of(cid)
    assert Client().get("/people/cid/").status_code == 200


@pytest.mark.parametrize(
    "page",
    ["settings", "retire", "upload", "versions/1", "versions/1/source", "report", "declare", "waits"],
)
def test_a_person_has_no_pages_of_code(people: Ladder, page: str) -> None:
    client = Client()
    client.force_login(verified("ann"))
    assert client.get(f"/bots/ann/{page}/").status_code == 404


def test_people_stand_in_no_list_of_bots(people: Ladder) -> None:
    client = Client()
    client.force_login(verified("ann"))
    for address in ("/bots/?q=ann", "/bots/mine/", "/bots/?of=people"):
        assert "/bots/ann/" not in text(address, client)
    results = text("/search/?q=ann", client)
    assert "/people/ann/" in results
    assert "/bots/ann/" not in results


def test_the_page_of_an_entry_speaks_of_no_versions(people: Ladder) -> None:
    page = text(f"/ladders/{people.slug}/bots/ann/")
    assert 'id="versions"' not in page
    assert 'href="/people/ann/"' in page
    assert "Seasons of ann" in page
    assert "Ratings of ann" in page
    assert "Versions of" not in page
    assert not re.search(r"\bv1\b", page)


def test_the_chart_of_a_person_tells_of_no_versions(people: Ladder) -> None:
    chart = rating_chart([trace(people.memberships.select_related("bot").get(bot__slug="ann"))])
    assert chart is not None
    assert not chart.of_versions
    assert not chart.versions
    assert [point.split()[3] for point in chart.drawn[0].points.split(";")] == ["-"]


def test_two_people_can_be_compared(people: Ladder) -> None:
    page = text("/compare/ann/ben/")
    assert "ann" in page
    assert not re.search(r"\bv1\b", page)


def test_staff_moderate_people_on_their_own_page(people: Ladder) -> None:
    client = Client()
    client.force_login(staff("eve"))
    bot = Bot.objects.get(slug="ann")
    assert client.get(f"/staff/bots/{bot.pk}/").status_code == 404
