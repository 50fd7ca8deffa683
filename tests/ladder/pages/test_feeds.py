"""Feeds of matches, read by a parser as a feed reader would: what is in them, and that nobody fetches them in vain."""

from __future__ import annotations

from datetime import datetime
from email.utils import parsedate_to_datetime
from xml.etree import ElementTree as Xml

import pytest
from django.test import Client

from bots.models import Bot
from ladder.models import Block, Ladder, Match, SeatResult
from ladder.seasons import close
from tests.build import finished_blocks
from tests.ladder.pages.site import rename

pytestmark = pytest.mark.django_db

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    finished_blocks(ladder, 2)
    return ladder


def bot_of(ladder: Ladder) -> Bot:
    return Match.objects.filter(ladder=ladder).order_by("-pk")[0].seats.select_related("version__bot")[0].version.bot


def parsed(client: Client, address: str) -> Xml.Element:
    response = client.get(address)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/atom+xml; charset=utf-8"
    return Xml.fromstring(response.content)


def test_a_feed_has_what_the_standard_asks_for(played: Ladder, client: Client) -> None:
    bot = bot_of(played)
    for address in (f"/bots/{bot.slug}/feed.atom", f"/ladders/{played.slug}/feed.atom"):
        feed = parsed(client, address)
        assert feed.tag == f"{ATOM}feed"
        for element in ("id", "title", "updated"):
            assert feed.findtext(ATOM + element)
        assert any((link.get("href") or "").endswith(address) for link in feed.findall(f"{ATOM}link[@rel='self']"))
        entries = feed.findall(f"{ATOM}entry")
        assert entries
        for entry in entries:
            assert all(entry.findtext(ATOM + element) for element in ("id", "title", "updated", "summary"))
            link = entry.find(f"{ATOM}link")
            assert link is not None
            assert "/matches/" in (link.get("href") or "")
        ids = [entry.findtext(f"{ATOM}id") for entry in entries]
        assert len(set(ids)) == len(ids)
        assert all(str(tag).startswith("tag:") for tag in ids)


def test_a_bot_has_its_own_matches_in_its_feed_and_a_ladder_all(played: Ladder, client: Client) -> None:
    bot = bot_of(played)
    own = parsed(client, f"/bots/{bot.slug}/feed.atom").findall(f"{ATOM}entry")
    everything = parsed(client, f"/ladders/{played.slug}/feed.atom").findall(f"{ATOM}entry")
    assert len(own) == Match.objects.filter(seats__version__bot=bot, status="finished").count()
    assert len(everything) == 8
    assert all(bot.name in str(entry.findtext(f"{ATOM}title")) for entry in own)


def test_ids_stay_while_more_is_played(played: Ladder, client: Client) -> None:
    address = f"/ladders/{played.slug}/feed.atom"
    before = {entry.findtext(f"{ATOM}id") for entry in parsed(client, address).findall(f"{ATOM}entry")}
    finished_blocks(played, 1)
    after = [entry.findtext(f"{ATOM}id") for entry in parsed(client, address).findall(f"{ATOM}entry")]
    assert before < set(after)
    assert before.isdisjoint(after[:4])


def test_whoever_has_a_feed_already_is_told_so(played: Ladder, client: Client) -> None:
    address = f"/ladders/{played.slug}/feed.atom"
    first = client.get(address)
    tag, changed = first.headers["ETag"], first.headers["Last-Modified"]
    newest = Block.objects.exclude(ended=None).order_by("-ended")[0].ended
    assert newest is not None
    assert parsedate_to_datetime(changed) == newest.replace(microsecond=0)
    for header in ({"If-None-Match": tag}, {"If-Modified-Since": changed}):
        again = client.get(address, headers=header)
        assert again.status_code == 304
        assert not again.content
    finished_blocks(played, 1)
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 200


def test_a_feed_without_matches_says_the_same_each_time(ladder: Ladder, client: Client) -> None:
    address = f"/ladders/{ladder.slug}/feed.atom"
    feed = parsed(client, address)
    assert not feed.findall(f"{ATOM}entry")
    assert datetime.fromisoformat(str(feed.findtext(f"{ATOM}updated"))) == ladder.created
    assert client.get(address).content == client.get(address).content


@pytest.mark.parametrize("name", ["<b>&amp;", "a\x08b", "\u202egnp.exe", "ß\N{COMBINING ACUTE ACCENT}", "]]>"])
def test_no_name_breaks_a_feed(played: Ladder, client: Client, name: str) -> None:
    bot = bot_of(played)
    rename(bot, name)
    feed = parsed(client, f"/bots/{bot.slug}/feed.atom")
    assert len(feed.findall(f"{ATOM}entry")) > 0


def test_a_name_is_no_markup_in_the_summary(played: Ladder, client: Client) -> None:
    """A summary is HTML."""
    bot = bot_of(played)
    rename(bot, "<i>Opal</i>")
    for entry in parsed(client, f"/bots/{bot.slug}/feed.atom").findall(f"{ATOM}entry"):
        summary = entry.find(f"{ATOM}summary")
        assert summary is not None
        assert summary.get("type") == "html"
        assert "&lt;i&gt;Opal&lt;/i&gt;" in str(summary.text)


def test_the_page_of_a_bot_names_its_feed(played: Ladder, client: Client) -> None:
    bot = bot_of(played)
    text = client.get(f"/bots/{bot.slug}/").content.decode()
    head = text.split("</head>")[0]
    assert '<link rel="alternate" type="application/atom+xml"' in head
    assert f'href="/bots/{bot.slug}/feed.atom"' in head


def test_a_feed_is_the_same_whatever_language_its_reader_has_chosen(
    played: Ladder, client: Client, pseudo_language: str
) -> None:
    SeatResult.objects.filter(result__match__ladder=played).update(forfeit="exit")
    address = f"/ladders/{played.slug}/feed.atom"
    english = client.get(address).content
    client.cookies["django_language"] = pseudo_language
    assert b"forfeit" in english
    assert client.get(address).content == english


def test_a_seat_without_a_score_has_no_colon(played: Ladder, client: Client) -> None:
    SeatResult.objects.filter(result__match__ladder=played).update(score={})
    SeatResult.objects.filter(result__match__ladder=played, seat__index=1).update(forfeit="exit")
    for entry in parsed(client, f"/ladders/{played.slug}/feed.atom").findall(f"{ATOM}entry"):
        seats = str(entry.findtext(f"{ATOM}summary")).partition("). ")[2].rstrip(".").split("; ")
        assert len(seats) == played.seats
        assert sorted(": " in seat for seat in seats) == [False] * (played.seats - 1) + [True]
        assert not any(seat.endswith(":") for seat in seats)


def test_the_end_of_a_season_is_in_the_feed_of_its_ladder(played: Ladder, client: Client) -> None:
    address = f"/ladders/{played.slug}/feed.atom"
    matches = parsed(client, address).findall(f"{ATOM}entry")
    before = client.get(address).headers["ETag"]
    season = close(played.seasons.get(closed=None))
    assert season.closed is not None
    first, *others = parsed(client, address).findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}id") for entry in others] == [entry.findtext(f"{ATOM}id") for entry in matches]
    assert str(first.findtext(f"{ATOM}id")).endswith(f":season/{season.pk}")
    assert datetime.fromisoformat(str(first.findtext(f"{ATOM}updated"))) == season.closed
    link = first.find(f"{ATOM}link")
    assert link is not None
    assert (link.get("href") or "").endswith(f"/ladders/{played.slug}/seasons/{season.number}/")
    winner = season.final_standings.filter(rank=1)[0].membership.bot
    assert winner.name in str(first.findtext(f"{ATOM}summary"))
    assert client.get(address).headers["ETag"] != before


def test_a_season_without_a_match_ends_in_the_feed_as_well(ladder: Ladder, client: Client) -> None:
    close(ladder.seasons.get())
    (entry,) = parsed(client, f"/ladders/{ladder.slug}/feed.atom").findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}summary")
