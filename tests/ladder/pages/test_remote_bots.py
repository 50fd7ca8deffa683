from __future__ import annotations

from random import Random

import pytest
from django.test import Client

from bots.models import Bot
from bots.remote import note_seen
from ladder.live.answers import answer
from ladder.live.end import finish
from ladder.models import Ladder, Match
from ladder.season_statistics import gather
from tests.build import DUEL, person, uploaded
from tests.ladder.live_tables import as_if_later, move_on, remote_bots, seated, table_of
from tests.page import html, markup

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("house")]


@pytest.fixture
def ladder() -> Ladder:
    return Ladder.objects.get(slug=f"{DUEL}-remote")


def owned(client: Client, bot: Bot) -> str:
    assert bot.owner
    client.force_login(bot.owner)
    return html(client, f"/bots/{bot.slug}/")


def test_a_remote_bot_is_registered_on_a_page_and_says_how_it_connects(client: Client) -> None:
    assert "/account/login/?next=/bots/new/remote/" in html(client, "/bots/new/remote/")
    client.force_login(person("ada"))
    sent = {"name": "Afar", "label": "net-100k", "games_at_once": 3, "formats": [f"{DUEL}:2"]}
    response = client.post("/bots/new/remote/", sent, follow=True)
    assert response.redirect_chain == [("/bots/afar/", 302)]
    text = markup(response)
    assert "net-100k" in text
    assert 'data-playing="0"' in text
    assert "?bot=afar" in text
    assert "/bots/afar/upload/" not in text


def test_what_it_declares_can_be_changed_by_its_owner_alone(client: Client, ladder: Ladder) -> None:
    bot = remote_bots(ladder)[0]
    client.force_login(person("zoe"))
    assert client.get(f"/bots/{bot.slug}/declare/").status_code == 403
    client.force_login(bot.owner)  # type: ignore[arg-type]
    assert 'value="main"' in html(client, f"/bots/{bot.slug}/declare/")
    sent = {"label": "net-200k", "games_at_once": 2, "formats": [f"{DUEL}:2"]}
    client.post(f"/bots/{bot.slug}/declare/", sent)
    assert (bot.active_version.label, bot.versions.count()) == ("net-200k", 2)  # type: ignore[union-attr]
    assert client.post(f"/bots/{bot.slug}/declare/", {**sent, "games_at_once": 99}).status_code == 422


def test_an_uploaded_bot_declares_nothing(client: Client) -> None:
    ada = person("ada")
    client.force_login(ada)
    assert client.get(f"/bots/{uploaded(ada).slug}/declare/").status_code == 404


def test_everybody_sees_whether_it_is_here(client: Client, ladder: Ladder) -> None:
    bot = remote_bots(ladder)[0]
    assert 'data-presence="offline"' in html(client, f"/bots/{bot.slug}/")
    note_seen([bot.pk])
    assert 'data-presence="online"' in html(client, f"/bots/{bot.slug}/")
    assert "1 remote bot online" in html(client, f"/ladders/{ladder.slug}/")


def test_games_of_private_ladders_are_counted_for_those_who_may_know_of_them(client: Client, ladder: Ladder) -> None:
    bots = remote_bots(ladder)
    seated(ladder, bots)
    address = f"/bots/{bots[0].slug}/"
    assert 'data-playing="1"' in html(client, address)
    Ladder.objects.filter(pk=ladder.pk).update(private=True, by_invitation=True)
    assert 'data-playing="0"' in html(client, address)


def test_its_owner_reads_what_was_wrong_once_the_game_is_over(client: Client, ladder: Ladder) -> None:
    bots, random = remote_bots(ladder), Random(1)
    match = seated(ladder, bots)
    as_if_later(match)
    live_seat = next(live_seat for live_seat in table_of(match).live_seats if live_seat.owes)
    bot = live_seat.seat.version.bot
    answer(match.pk, bot.pk, live_seat.asked, b'{"move": "<b>none</b>"}')
    assert "&lt;b&gt;none" not in owned(client, bot)
    while move_on(match, random):
        pass
    finish(match.pk)
    text = owned(client, bot)
    assert "&lt;b&gt;none&lt;/b&gt;" in text
    client.logout()
    assert "&lt;b&gt;none" not in html(client, f"/bots/{bot.slug}/")


@pytest.mark.parametrize("slug", [f"{DUEL}-remote", "edel-stein-reich-3-remote", "die-weinhaendler-4-remote"])
def test_every_page_tells_of_live_games_that_are_over_as_of_blocks_of_one_game(client: Client, slug: str) -> None:
    ladder, random = Ladder.objects.get(slug=slug), Random(2)
    bots = remote_bots(ladder)
    match = seated(ladder, bots)
    while move_on(match, random):
        pass
    assert finish(match.pk)
    assert gather() == 1
    first, second = (bot.slug for bot in bots[:2])
    for bot in bots:
        assert 'data-note="no-game"' not in html(client, f"/bots/{bot.slug}/")
        assert html(client, f"/ladders/{slug}/bots/{bot.slug}/")
    assert html(client, f"/compare/{first}/{second}/")
    statistics = html(client, f"/ladders/{slug}/statistics/")
    assert "1 finished game" in statistics
    assert "block" not in statistics


def test_its_page_says_the_whole_command_that_lets_it_play(client: Client, ladder: Ladder) -> None:
    text = owned(client, remote_bots(ladder)[0])
    assert "esr login http://testserver " in text
    assert f"esr play-remote my-bot --ladder {ladder.slug}" in text


def test_ladders_are_listed_by_who_plays_and_lead_to_each_other(client: Client, ladder: Ladder) -> None:
    text = html(client, "/ladders/")
    places = [text.index(f'id="{players}"') for players in Ladder.Players.values]
    assert places == sorted(places)
    there = html(client, f"/ladders/{ladder.slug}/")
    for slug in (DUEL, f"{DUEL}-open"):
        assert f'href="/ladders/{slug}/"' in there
    assert "/bots/new/remote/" in there
    assert "/test/" not in there


def test_the_first_page_leads_to_live_games(client: Client, ladder: Ladder) -> None:
    match: Match = seated(ladder, remote_bots(ladder), rated=False)
    text = html(client, "/")
    live = text[text.index('id="live"') : text.index('id="running"')]
    assert f'href="/matches/{match.pk}/"' in live
    assert "casual" in live.lower()
    assert "1 game running" in text


def test_an_uploaded_bot_is_not_on_an_open_ladder_until_its_owner_ticks_it(client: Client) -> None:
    bot = uploaded(person("ada"))
    text = owned(client, bot)
    assert f'value="{DUEL}-open" checked' not in text
    client.post(f"/bots/{bot.slug}/ladders/", {"shown": [f"{DUEL}-open", DUEL], "ladder": [f"{DUEL}-open", DUEL]})
    assert f'value="{DUEL}-open" checked' in owned(client, bot)
