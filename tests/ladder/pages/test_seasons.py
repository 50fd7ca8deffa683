"""The pages of seasons: what everybody reads there, and what staff do."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient, Client
from django.utils import timezone

from ladder.exports.season_deals import lines
from ladder.models import DealSeries, FinalStanding, Ladder, Season
from ladder.seasons import close, publish_keys
from tests.build import DUEL, block_on, finish_block, staff
from tests.page import html, page, parsed

pytestmark = pytest.mark.django_db(transaction=True)


SEASONS = f"/ladders/{DUEL}/seasons/"
FIRST = f"{SEASONS}1/"
CLOSE = f"{FIRST}close/"


@pytest.fixture
def played(duel: Ladder) -> Ladder:
    """The ladder for two with a block that is over."""
    finish_block(block_on(duel))
    return duel


@pytest.fixture
def eve(client: Client) -> Client:
    """Staff, signed in."""
    client.force_login(staff("eve"))
    return client


def current(ladder: Ladder) -> Season:
    return Season.objects.get(ladder=ladder, closed=None)


def test_an_open_season_shows_hashes_and_no_key(played: Ladder, client: Client) -> None:
    page = html(client, FIRST)
    for series in DealSeries.objects.filter(season__ladder=played):
        assert series.key_hash in page
        assert bytes(series.key).hex() not in page
    assert f'href="{FIRST}deals.jsonl"' in page
    assert f"esr verify-season {DUEL}-season-1-deals.jsonl" in page
    assert f"manage.py verify --season {DUEL}/1" in page
    assert CLOSE not in parsed(page).actions


def test_a_season_that_is_over_shows_its_table_and_its_keys(played: Ladder, client: Client) -> None:
    close(current(played))
    publish_keys()
    page = html(client, FIRST)
    for series in DealSeries.objects.filter(season__number=1, season__ladder=played):
        assert bytes(series.key).hex() in page
    winner, loser = FinalStanding.objects.filter(season__ladder=played)
    assert f"<b>{winner.membership.bot.name}</b>" in page
    assert page.index(winner.membership.bot.name) < page.index(loser.membership.bot.name)
    assert winner.membership.bot.name in html(client, SEASONS)
    assert "Season 2" in html(client, SEASONS)


def test_staff_close_a_season_now(played: Ladder, eve: Client) -> None:
    assert CLOSE in page(eve, FIRST).actions
    assert eve.post(CLOSE, {"keep": "3/4"}, follow=True).status_code == 200
    season = Season.objects.get(ladder=played, number=1)
    assert season.closed_by is not None
    assert season.closed_by.username == "eve"
    assert current(played).number == 2
    assert eve.post(CLOSE, {"keep": "3/4"}, follow=True).status_code == 200
    assert current(played).number == 2


def test_staff_plan_the_end_of_a_season_and_take_it_back(played: Ladder, eve: Client) -> None:
    at = timezone.now() + timedelta(days=3)
    eve.post(CLOSE, {"keep": "1/2", "at": f"{at:%Y-%m-%dT%H:%M}"})
    assert current(played).closes_at == at.replace(second=0, microsecond=0)
    assert "eve" in page(eve, FIRST).one("main").text
    eve.post(CLOSE, {"keep_open": "yes", "keep": "1/2"})
    assert current(played).closes_at is None


def test_a_time_that_is_over_is_refused(played: Ladder, eve: Client) -> None:
    response = eve.post(CLOSE, {"keep": "1/2", "at": "2020-01-01T10:00"})
    assert (response.status_code, parsed(response).errors) == (422, {"at"})
    assert current(played).closing is None


def test_staff_open_the_next_season_after_a_last_one(played: Ladder, eve: Client) -> None:
    eve.post(CLOSE, {"keep": ""})
    assert not Season.objects.filter(ladder=played, closed=None).exists()
    assert f"{SEASONS}open/" in page(eve, SEASONS).actions
    assert eve.post(f"{SEASONS}open/", {"keep": "7"}).status_code == 422
    eve.post(f"{SEASONS}open/", {"keep": "0"})
    assert current(played).number == 2
    assert set(played.memberships.values_list("rating", flat=True)) == {1_500_000}


def test_a_season_says_how_many_deals_are_still_being_played(played: Ladder, client: Client) -> None:
    block_on(played)
    assert re.search(r"\b2\b.*\b1\b", page(client, FIRST).one("section", id="deals").all(class_="caption")[0].text)


def test_seasons_that_are_not_there_say_so(played: Ladder, client: Client) -> None:
    for address in (f"{SEASONS}9/", f"{SEASONS}9/deals.jsonl", "/ladders/nowhere/seasons/"):
        assert client.get(address).status_code == 404


def test_a_slow_reader_of_all_deals_holds_no_connection_to_the_database(played: Ladder) -> None:
    async def begun() -> tuple[bytes, bool]:
        response = await AsyncClient().get(f"{FIRST}deals.jsonl")
        first = await anext(aiter(response.streaming_content))
        return first, await sync_to_async(lambda: connections["default"].connection is None)()

    assert asyncio.run(begun()) == ("".join(lines(current(played))).encode(), True)
