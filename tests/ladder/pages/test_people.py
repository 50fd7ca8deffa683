"""The page of a person: bots and matches that the viewer may know of, and nobody who is not there."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion
from esr_platform.account_pages import suspensions
from esr_platform.accounts.models import User
from ladder.models import Entry, Ladder, Match, Membership
from tests.build import DUEL, match_of, opened_house, person, staff, uploaded

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


def test_the_name_is_found_whatever_its_case(ada: User, client: Client) -> None:
    uploaded(ada)
    assert client.get("/people/ADA/").headers["Location"] == "/people/ada/"


def test_what_is_on_a_private_ladder_is_for_its_members_numbers_included(ada: User, client: Client) -> None:
    bot = uploaded(ada, "Magpie")
    ladder = Ladder.objects.get(slug=DUEL)
    match = begun(bot, ladder)
    Entry.objects.filter(bot=bot).update(games=77, rating=1_234_000)
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    outsider = client.get("/people/ada/").content.decode()
    assert f"/matches/{match.pk}/" not in outsider
    assert ladder.slug not in outsider
    assert ">77<" not in outsider
    assert "1234" not in outsider
    bob = person("bob")
    Membership.objects.create(ladder=ladder, person=bob)
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
    assert "suspended" in page
    assert "Secret reason" not in page


def test_the_page_takes_few_queries_however_much_is_on_it(ada: User, client: Client) -> None:
    for number in range(4):
        begun(uploaded(ada, f"Bot {number}"), Ladder.objects.get(slug=DUEL))
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get("/people/ada/").status_code == 200
    assert len(asked) <= 12, [query["sql"][:120] for query in asked]
