"""The versions on a bot's page: a part at a time, whatever an address asks for."""

from __future__ import annotations

import re
from hashlib import sha256

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion
from ladder.matches.play import play
from ladder.models import Ladder
from ladder.pages.bot import ROWS, spoken_of, versions_of
from ladder.season_statistics import gather
from tests.build import DUEL, match_of, opened_house, person, uploaded


@pytest.fixture
def bot(db: None) -> Bot:
    """A bot with 30 versions: the first plays, every third was refused, the last waits for its check."""
    opened_house()
    bot = uploaded(person("ada"), "Veteran")
    BotVersion.objects.bulk_create(_version(bot, number) for number in range(2, 31))
    return bot


def _version(bot: Bot, number: int) -> BotVersion:
    state = "received" if number == 30 else "refused" if number % 3 == 0 else "ready"
    digest = sha256(b"%d" % number).hexdigest()
    reason = "It was late." if state == "refused" else ""
    return BotVersion(bot=bot, number=number, digest=digest, state=state, reason=reason)


def numbers(text: str) -> list[int]:
    """The versions that the page lists."""
    table = text.split('id="versions"')[1].split("</section>")[0]
    return [int(number) for number in re.findall(r"<tr><td>(?:<a[^>]*>)?v(\d+)", table)]


def test_a_visitor_walks_through_all_versions_that_were_ready(bot: Bot, client: Client) -> None:
    seen, address = [], ""
    while True:
        text = client.get(f"/bots/{bot.slug}/{address}").content.decode()
        shown = numbers(text)
        assert 0 < len(shown) <= ROWS
        assert ("Newest versions" in text) == bool(address)
        seen += shown
        older = re.search(r'href="(\?versions=\d+)#versions">Older', text)
        if older is None:
            break
        address = older[1]
    assert seen == [number for number in range(29, 0, -1) if number == 1 or number % 3]


@pytest.mark.parametrize("asked", ["all", "-1", "999999999999999999", "²", "\0"])
def test_no_address_asks_for_more_than_a_part(bot: Bot, client: Client, asked: str) -> None:
    text = client.get(f"/bots/{bot.slug}/", {"versions": asked}).content.decode()
    assert numbers(text) == [29, 28, 26, 25, 23, 22, 20, 19, 17, 16, 14, 13]
    assert "v1 plays" in text


def test_a_cursor_below_the_first_version_shows_the_way_back(bot: Bot, client: Client) -> None:
    text = client.get(f"/bots/{bot.slug}/", {"versions": "1"}).content.decode()
    assert "Newest versions" in text
    assert "it cannot play" not in text


def test_its_owner_sees_all_and_what_is_said_of_the_newest_on_every_part(bot: Bot, client: Client) -> None:
    assert bot.owner is not None
    client.force_login(bot.owner)
    for address, first in (("", 30), ("?versions=9", 8)):
        text = client.get(f"/bots/{bot.slug}/{address}").content.decode()
        assert numbers(text)[0] == first
        assert "v30 waits for its check" in text
        assert "v1 plays" in text
    assert [version.number for version in spoken_of(bot)] == [30, 1]


def test_games_are_counted_for_the_versions_that_are_shown(bot: Bot) -> None:
    assert play(match_of(bot, Ladder.objects.get(slug=DUEL)).pk) == "finished"
    gather()
    with CaptureQueriesContext(connection) as queries:
        part = versions_of(bot, everything=False, older_than="5", user=AnonymousUser())
    assert [(version.number, played) for version, played in part.rows] == [(4, 0), (2, 0), (1, 0)]
    assert [version.number for version in part.spoken_of] == [30, 1]
    assert len(queries) == 1
    assert not [query["sql"] for query in queries if "check_report" in query["sql"]]


def test_a_page_reads_no_more_rows_than_it_shows(bot: Bot, client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        client.get(f"/bots/{bot.slug}/")
    of_versions = [query["sql"] for query in queries if re.search(r'SELECT "bots_botversion"\."id", ', query["sql"])]
    assert len(of_versions) == 1
    assert all(sql.count("LIMIT") == 2 for sql in of_versions)
