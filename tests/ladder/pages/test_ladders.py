"""The list of all ladders and the list of all bots."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from bots.models import Bot
from ladder.models import Ladder, Membership
from ladder.pages.components.words import points
from tests.build import DUEL, finish_game, match_of, open_ladder, person, uploaded
from tests.ladder.pages.site import Site
from tests.page import Element, page

pytestmark = pytest.mark.django_db


def cell(client: Client, ladder: Ladder) -> Element:
    return page(client, "/ladders/").one("main").one("a", href=f"/ladders/{ladder.slug}/")


def bots_at(client: Client, **asked: str) -> list[str]:
    """The slugs of the listed bots."""
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    links = page(client, f"/bots/?{query}").one(id="bots").links
    return [link.split("/")[2] for link in links if link.startswith("/bots/")]


@pytest.mark.usefixtures("house")
def test_every_format_is_a_row_with_a_ladder_per_kind_of_player(client: Client) -> None:
    matrix = page(client, "/ladders/").one("table", id="ladders")
    kinds = [heading["id"] for heading in matrix.all("th", id=True)]
    assert kinds == list(Ladder.Players.values)
    rows = matrix.one("tbody").all("tr")
    assert [row["id"] for row in rows][:2] == ["edel-stein-reich-3", "edel-stein-reich-4"]
    for row in rows:
        ladders = [Ladder.objects.get(slug=link.split("/")[2]) for link in row.links]
        assert [ladder.players for ladder in ladders] == kinds
        assert {f"{ladder.game}-{ladder.seats}" for ladder in ladders} == {row["id"]}


def test_a_cell_has_the_leader_only_after_a_rated_game(site: Site, client: Client) -> None:
    played = cell(client, site.ladder)
    leader = Membership.objects.filter(ladder=site.ladder, games__gt=0).order_by("-rating", "pk")[0]
    assert played.one(class_="leader").text == leader.bot.name
    assert played.one("b").text == points(leader.rating)
    quiet = cell(client, Ladder.objects.get(slug=f"{DUEL}-open"))
    assert not quiet.all(class_="leader")
    assert "quiet" in quiet["class"]


def test_a_leader_whose_account_is_deleted_has_no_name(site: Site, client: Client) -> None:
    leader = Membership.objects.filter(ladder=site.ladder, games__gt=0).order_by("-rating", "pk")[0]
    player = {"kind": Bot.Kind.PERSON, "house_name": "", "owner": person("ada")}
    player |= {"name": "deleted-1", "slug": "deleted-1"}
    Bot.objects.filter(pk=leader.bot_id).update(**player, retired=timezone.now())
    Membership.objects.filter(pk=leader.pk).update(active=False)
    assert cell(client, site.ladder).one(class_="leader").text == "deleted user"


@pytest.mark.usefixtures("house")
def test_a_ladder_that_does_not_fit_the_matrix_is_listed_below(client: Client) -> None:
    second = open_ladder("second-duel")
    Ladder.objects.filter(slug=f"{DUEL}-people").update(by_invitation=True)
    listing = page(client, "/ladders/")
    others = listing.one(id="other-ladders").links
    assert f"/ladders/{second.slug}/" in listing.one("main").links
    assert f"/ladders/{DUEL}-people/" in others
    assert f"/ladders/{DUEL}-people/" not in listing.one("table", id="ladders").links


def test_bots_are_listed_once_each_by_their_best_rank(site: Site, client: Client) -> None:
    listed = bots_at(client)
    assert len(listed) == len(set(listed))
    leaders = {
        Membership.objects.filter(ladder=ladder, games__gt=0).order_by("-rating", "pk")[0].bot.slug
        for ladder in Ladder.objects.filter(memberships__games__gt=0).distinct()
    }
    assert set(listed[: len(leaders)]) == leaders
    assert bots_at(client, sort="-rank") != listed
    assert sorted(bots_at(client, sort="-rank")) == sorted(listed)


def test_bots_without_a_rated_game_come_last_and_say_so(site: Site, client: Client) -> None:
    newcomer = uploaded(person("ada"), "Zz newcomer")
    assert bots_at(client)[-1] == bots_at(client, sort="-rank")[-1] == newcomer.slug
    assert bots_at(client, sort="-bot")[0] == newcomer.slug


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"of": "people"}, True),
        ({"kind": "remote"}, False),
        ({"game": "edel-stein-reich", "of": "people"}, True),
        ({"game": "die-weinhaendler", "of": "people"}, False),
        ({"state": "playing", "of": "people"}, True),
        ({"state": "paused"}, False),
        ({"q": "ada"}, True),
    ],
)
def test_bots_are_filtered(site: Site, client: Client, asked: dict[str, Any], found: bool) -> None:
    bot = uploaded(person("ada"), "Mine", formats={site.ladder.game: [site.ladder.seats]})
    finish_game(match_of(bot, site.ladder))
    assert bots_at(client, **asked) == [bot.slug] * found


def test_a_game_filter_ranks_by_that_game_alone(site: Site, client: Client) -> None:
    rows = page(client, "/bots/?game=die-weinhaendler").one(id="bots").one("tbody").all("tr")
    places = [row.all("a", href=True)[-1]["href"] for row in rows if len(row.links) > 1]
    assert places
    assert all(place.startswith("/ladders/die-weinhaendler") for place in places)


def test_folded_filters_say_how_many_are_set(site: Site, client: Client) -> None:
    for address in ("/bots/", f"/ladders/{site.ladder.slug}/", "/matches/"):
        assert not page(client, address).one(id="filters-active").text
    assert page(client, "/bots/?of=house&state=playing&q=a&sort=games").one(id="filters-active").one("b").text == "2"
    assert page(client, "/matches/?state=void").one(id="filters-active").one("b").text == "1"


def test_the_owner_filter_is_absent_where_only_people_play(site: Site, client: Client) -> None:
    slug = f"{DUEL}-people"
    assert not page(client, f"/ladders/{slug}/?state=playing").all("select", name="of")
    assert page(client, f"/ladders/{site.ladder.slug}/").all("select", name="of")


def test_matches_stand_in_the_order_of_their_column(site: Site, client: Client) -> None:
    rows = page(client, "/matches/").one("table", class_="matches").one("tbody").all("tr")
    times = [row.one(class_="ago").one("time")["datetime"] for row in rows]
    assert times == sorted(times, reverse=True)
