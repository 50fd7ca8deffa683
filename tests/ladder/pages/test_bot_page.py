"""How a bot plays, on its page: of deals that are over alone, with counts and intervals, in few queries."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot
from ladder.corrections import void
from ladder.estimates import estimate_due
from ladder.models import Entry, Ladder, Match, Membership
from ladder.pages.bot import BotPage, bot_page
from ladder.season_statistics import gather
from tests.build import finish_game, person, players_of, scheduled, staff, variety_of
from tests.ladder.pages.people import People

pytestmark = pytest.mark.django_db

MOST_QUERIES = 12


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """A ladder with five blocks among five bots, gathered and estimated."""
    Entry.objects.filter(ladder=ladder).exclude(pk__in=ladder.entries.order_by("pk")[:5]).update(active=False)
    entries = list(ladder.entries.select_related("bot").filter(active=True).order_by("pk"))
    for number in range(5):
        table = [*entries[number % 5 :], *entries[: number % 5]][:4]
        block = scheduled(ladder, players_of(table))
        for match in block.matches.select_related("ladder", "block").order_by("seating"):
            finish_game(match, variety_of(match))
    gather()
    estimate_due()
    return ladder


def first_bot(ladder: Ladder) -> Bot:
    return ladder.entries.select_related("bot").order_by("-games", "pk")[0].bot


def page_of(bot: Bot, **parameters: str) -> BotPage:
    return bot_page(bot, parameters.get, AnonymousUser())


def text_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_map_has_everybody_first_and_each_opponent_by_seat(played: Ladder) -> None:
    heat = page_of(first_bot(played)).heat
    assert heat is not None
    everybody, *opponents = heat.rows
    assert everybody.opponent is None
    assert everybody.total is not None
    assert len(opponents) == 4
    assert list(heat.seats) == [1, 2, 3, 4]
    met = [row.total.games for row in opponents if row.total]
    assert sum(met) == 3 * everybody.total.games
    for row in heat.rows:
        assert row.total is not None
        seats = [cell for cell in row.seats if cell]
        assert sum(cell.games for cell in seats) == row.total.games
        mean = sum(cell.share.value * cell.games for cell in seats) / row.total.games
        assert mean == pytest.approx(row.total.share.value)
        assert all(cell.share.low <= cell.share.value <= cell.share.high for cell in [row.total, *seats])


def test_habits_stand_beside_the_mean_of_the_ladder(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    habits = page_of(bot).habits
    assert habits is not None
    choices = habits.groups[0].rows
    assert [row.habit.key for row in choices] == ["money", "event", "gems"]
    assert sum(row.own.value for row in choices if row.own) == pytest.approx(1)
    assert sum(row.mean.value for row in choices if row.mean) == pytest.approx(1)
    text = text_of(client, f"/bots/{bot.slug}/")
    for words in ("What it chooses", "In barters", "stroke: the ladder's mean", "opens when asked"):
        assert words in text


def test_the_strength_of_versions_is_said_in_words(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    strength = page_of(bot).strength
    assert strength is not None
    assert strength.said == ""
    text = text_of(client, f"/bots/{bot.slug}/")
    assert "Strength over versions" in text
    assert f"± {strength.newest.margin / 1000:.0f}" in text


def test_nothing_is_told_of_a_deal_that_is_not_over(ladder: Ladder, client: Client) -> None:
    block = scheduled(ladder, players_of(ladder.entries.select_related("bot")[:4]))
    matches = list(block.matches.select_related("ladder", "block").order_by("seating"))
    for match in matches[:-1]:
        finish_game(match, variety_of(match))
    gather()
    bot = matches[0].seats.select_related("version__bot")[0].version.bot
    page = page_of(bot)
    assert page.heat is page.habits is None
    assert "No deal is over in all its seatings yet" in text_of(client, f"/bots/{bot.slug}/")
    assert "<entry>" not in client.get(f"/bots/{bot.slug}/feed.atom").content.decode()
    finish_game(matches[-1], variety_of(matches[-1]))
    gather()
    assert page_of(bot).heat is not None
    assert client.get(f"/bots/{bot.slug}/feed.atom").content.decode().count("<entry>") == 4


def test_a_private_ladder_is_on_no_page_but_its_members(played: Ladder, client: Client) -> None:
    bot, member = first_bot(played), person("member")
    Ladder.objects.filter(pk=played.pk).update(private=True, by_invitation=True, name="The Seminar")
    Membership.objects.create(ladder=played, person=member)
    for address in (f"/bots/{bot.slug}/", f"/bots/{bot.slug}/feed.atom", "/bots/"):
        assert "Seminar" not in client.get(address).content.decode()
    assert client.get(f"/bots/{bot.slug}/?ladder={played.slug}").status_code == 404
    assert client.get(f"/ladders/{played.slug}/feed.atom").status_code == 404
    client.force_login(member)
    assert "Seminar" in client.get(f"/bots/{bot.slug}/").content.decode()
    assert "Seminar" not in client.get(f"/bots/{bot.slug}/feed.atom").content.decode()
    assert client.get(f"/ladders/{played.slug}/feed.atom").status_code == 404


def test_an_address_chooses_the_ladder_that_is_looked_at(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    others = Entry.objects.filter(bot=bot).exclude(ladder=played).select_related("ladder")
    assert page_of(bot).chosen is not None
    chosen = page_of(bot, ladder=others[0].ladder.slug).chosen
    assert chosen is not None
    assert chosen.ladder == others[0].ladder
    text_of(client, f"/bots/{bot.slug}/?ladder=none-such", status=404)
    text_of(client, f"/bots/{bot.slug}/?ladder=%00", status=404)


def queries_of(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200
    return len(queries)


def test_a_page_takes_few_queries_however_much_was_played(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    addresses = [f"/bots/{bot.slug}/{page}" for page in ("", "waits/", "feed.atom")]
    addresses += ["/bots/", f"/ladders/{played.slug}/feed.atom"]
    counted = {address: queries_of(client, address) for address in addresses}
    assert max(counted.values()) <= MOST_QUERIES, counted


def test_an_owner_takes_few_queries_more(people: People, client: Client) -> None:
    client.force_login(people.ada)
    for page in ("", "waits/"):
        address = f"/bots/{people.magpie.slug}/{page}"
        client.get(address)
        assert queries_of(client, address) <= MOST_QUERIES, address


def test_what_is_taken_back_leaves_the_page_and_says_so_in_the_feed(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    before = page_of(bot).habits
    match = Match.objects.filter(ladder=played, seats__version__bot=bot).order_by("-pk")[0]
    void(match.pk, "its machine was broken", staff("eve"))
    gather()
    after = page_of(bot).habits
    assert before is not None
    assert after is not None
    assert after.blocks == before.blocks - 1
    assert "This result does not count." in client.get(f"/bots/{bot.slug}/feed.atom").content.decode()
