from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.test import Client

from bots.models import Bot
from ladder.models import Ladder, Match
from ladder.pages import home
from ladder.pages.home import climbs
from tests.build import finished_blocks, person, uploaded
from tests.ladder.pages.site import Site
from tests.page import page


def main(client: Client) -> str:
    return client.get("/").content.decode().split("<main", 1)[1]


def forget() -> None:
    for cache in caches.all():
        cache.clear()


@pytest.mark.usefixtures("house")
def test_a_newcomer_is_told_what_to_do_first(client: Client) -> None:
    text = main(client)
    first = text[: text.index('id="live"')]
    assert "/rules/die-weinhaendler/" in first
    assert "/bots/new/" in first


def test_a_running_block_shows_names_and_how_many_of_its_games_are_over(site: Site, client: Client) -> None:
    block = site.running.block
    text = main(client)
    running = text[text.index('id="running"') : text.index('id="results"')]
    over, games = block.matches.filter(status__in=Match.ENDED).count(), block.matches.count()
    assert re.search(rf"\b{over}\b\D+\b{games}\b", running)
    assert running.count('class="over"') == over
    assert running.count('class="now"') == 1
    for seat in site.running.seats.select_related("version__bot"):
        assert seat.version.bot.name in running
    assert bytes(block.seed).hex() not in text


def test_a_game_is_offered_to_watch_only_when_its_whole_block_has_ended(site: Site, client: Client) -> None:
    text = main(client)
    offered = text[text.index('id="last"') : text.index('id="leaders"')]
    closed = f"/matches/{site.closed.pk}/"
    assert "/matches/" in offered
    assert closed not in offered
    assert closed in text
    assert f"Watch match {site.closed.pk}" not in text


def test_what_is_kept_of_a_private_ladder_is_nothing(site: Site, client: Client) -> None:
    Ladder.objects.update(private=True, by_invitation=True)
    forget()
    text = main(client)
    assert 'data-note="no-open-game"' in text
    assert "/matches/1/" not in text
    assert not climbs().rows


def test_who_has_gained_most_in_enough_games_climbs(duel: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = uploaded(person("ada"), "Riser")
    finished_blocks(duel, 12)
    monkeypatch.setattr(home, "FEWEST_GAMES", 2)
    shown = climbs()
    gained = {
        membership.bot.name: (membership.rating - 1_500_000, membership.games)
        for membership in duel.memberships.select_related("bot").filter(games__gte=2, rating__gt=1_500_000)
    }
    best = dict(sorted(gained.items(), key=lambda row: -row[1][0])[: home.SHOWN])
    assert {climb.bot.name: (climb.change, climb.games) for climb in shown.rows} == best
    assert [climb.change for climb in shown.rows] == sorted((climb.change for climb in shown.rows), reverse=True)
    Bot.objects.filter(pk=ada.pk).update(name="Blanked")
    assert "Riser" not in {climb.bot.name for climb in climbs().rows}


@pytest.mark.usefixtures("house")
def test_the_newest_versions_are_those_of_people_that_play(client: Client) -> None:
    uploaded(person("ada"), "Fresh")
    gone = uploaded(person("bob"), "Gone")
    Bot.objects.filter(pk=gone.pk).update(retired=gone.created)
    text = main(client)
    new = text[text.index('id="newest"') : text.index('id="running"')]
    assert "Fresh" in new
    assert "Gone" not in new


def test_the_latest_replay_is_given_to_the_board_with_its_turning_point(site: Site, client: Client) -> None:
    shown = page(client, "/").one(id="last")
    clip = shown.one("game-clip")
    assert clip["data-document"].endswith("/replay.json")
    assert client.get(clip["data-document"]).json()["turning_point"] == int(clip["data-start"])
    assert clip["data-board"]
    assert clip["data-sheet"]
    assert shown.one(data_toggle=True).attributes.get("hidden") is not None
    assert "data-live" not in shown.attributes, "a part that is requested again would begin again"


def test_the_ladders_in_front_are_for_four_players_whatever_is_played(site: Site) -> None:
    finished_blocks(Ladder.objects.get(slug="die-weinhaendler-3"), 2)
    finished_blocks(Ladder.objects.get(slug="edel-stein-reich-duel"), 2)
    leading = [board.ladder.slug for board in home.home_page(AnonymousUser()).leading]
    assert leading == ["edel-stein-reich-4", "die-weinhaendler-4"]


def test_a_bot_climbs_once(duel: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    finished_blocks(duel, 12)
    finished_blocks(Ladder.objects.get(slug="edel-stein-reich-4"), 6)
    monkeypatch.setattr(home, "FEWEST_GAMES", 1)
    bots = [climb.bot.slug for climb in climbs().rows]
    assert bots
    assert len(bots) == len(set(bots))
