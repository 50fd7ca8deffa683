"""How a bot plays, on its page: of deals that are over alone, with counts and intervals, in few queries."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from bots.models import Bot, BotVersion
from bots.uploads.storage import uploads
from ladder.corrections import void
from ladder.estimates import estimate_due
from ladder.matches.play import play
from ladder.members.standings import memberships_of
from ladder.models import Estimate, Invitation, Ladder, Match, Membership
from ladder.pages.bot import VERSIONS_PER_PAGE, BotPage, bot_page, spoken_of, versions_of
from ladder.season_statistics import gather
from tests.build import (
    DUEL,
    finish_game,
    match_of,
    opened_house,
    person,
    players_of,
    scheduled,
    staff,
    uploaded,
    variety_of,
)
from tests.ladder.pages.site import Site
from tests.page import html, markup, parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """A ladder with five blocks among five bots, gathered and estimated."""
    Membership.objects.filter(ladder=ladder).exclude(pk__in=ladder.memberships.order_by("pk")[:5]).update(active=False)
    memberships = list(ladder.memberships.select_related("bot").filter(active=True).order_by("pk"))
    for number in range(5):
        table = [*memberships[number % 5 :], *memberships[: number % 5]][:4]
        block = scheduled(ladder, players_of(table))
        for match in block.matches.select_related("ladder", "block").order_by("seating"):
            finish_game(match, variety_of(match))
    gather()
    estimate_due()
    return ladder


def first_bot(ladder: Ladder) -> Bot:
    return ladder.memberships.select_related("bot").order_by("-games", "pk")[0].bot


def page_of(bot: Bot, **parameters: str) -> BotPage:
    return bot_page(bot, parameters.get, AnonymousUser())


def text_of(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_a_bot_without_rated_games_has_no_rank(ladder: Ladder, client: Client) -> None:
    bot = uploaded(person("ada"), formats={ladder.game: [ladder.seats]})
    assert [one.rank for one in memberships_of(bot, AnonymousUser())] == [None]
    assert client.get(f"/bots/{bot.slug}/").status_code == 200


def test_all_intervals_are_inside_the_chart(played: Ladder) -> None:
    bot = first_bot(played)
    rows = Estimate.objects.filter(version__bot=bot)
    assert rows.update(low=1_200_000, high=1_900_000, rating=1_800_000)
    chart = page_of(bot).chart
    assert chart is not None
    for band in chart.drawn[0].bands:
        assert 0 < band.top < band.estimate < band.top + band.height < 100


def test_the_map_has_everybody_first_and_each_opponent_by_seat(played: Ladder) -> None:
    heat = page_of(first_bot(played)).heat
    assert heat is not None
    everybody, *opponents = heat.rows
    assert everybody.opponent is None
    assert everybody.total is not None
    assert len(opponents) == 4
    assert list(heat.seats) == [0, 1, 2, 3]
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
    for words in ("Actions", "Barters", "Opens barters"):
        assert words in text


def test_the_skill_of_versions_is_said_in_words(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    skill = page_of(bot).skill
    assert skill is not None
    assert skill.said == ""
    text = text_of(client, f"/bots/{bot.slug}/")
    assert 'data-note="skill"' in html(client, f"/bots/{bot.slug}/")
    assert f"± {skill.newest.margin / 1000:.0f}" in text


def test_nothing_is_told_of_a_deal_that_is_not_over(ladder: Ladder, client: Client) -> None:
    block = scheduled(ladder, players_of(ladder.memberships.select_related("bot")[:4]))
    matches = list(block.matches.select_related("ladder", "block").order_by("seating"))
    for match in matches[:-1]:
        finish_game(match, variety_of(match))
    gather()
    bot = matches[0].seats.select_related("version__bot")[0].version.bot
    page = page_of(bot)
    assert page.heat is page.habits is None
    assert 'data-note="no-deal"' in html(client, f"/bots/{bot.slug}/")
    assert "<entry>" not in client.get(f"/bots/{bot.slug}/feed.atom").content.decode()
    finish_game(matches[-1], variety_of(matches[-1]))
    gather()
    assert page_of(bot).heat is not None
    assert client.get(f"/bots/{bot.slug}/feed.atom").content.decode().count("<entry>") == 4


def test_a_private_ladder_is_on_no_page_but_its_members(played: Ladder, client: Client) -> None:
    bot, member = first_bot(played), person("member")
    Ladder.objects.filter(pk=played.pk).update(private=True, by_invitation=True, name="The Seminar")
    Invitation.objects.create(ladder=played, person=member)
    for address in (f"/bots/{bot.slug}/", f"/bots/{bot.slug}/feed.atom", "/bots/"):
        assert "Seminar" not in markup(client.get(address))
    assert client.get(f"/bots/{bot.slug}/?ladder={played.slug}").status_code == 404
    assert client.get(f"/ladders/{played.slug}/feed.atom").status_code == 404
    client.force_login(member)
    assert "Seminar" in markup(client.get(f"/bots/{bot.slug}/"))
    assert "Seminar" not in client.get(f"/bots/{bot.slug}/feed.atom").content.decode()
    assert client.get(f"/ladders/{played.slug}/feed.atom").status_code == 404


def test_an_address_chooses_the_ladder_that_is_looked_at(played: Ladder, client: Client) -> None:
    bot = first_bot(played)
    others = Membership.objects.filter(bot=bot).exclude(ladder=played).select_related("ladder")
    assert page_of(bot).chosen is not None
    chosen = page_of(bot, ladder=others[0].ladder.slug).chosen
    assert chosen is not None
    assert chosen.ladder == others[0].ladder
    text_of(client, f"/bots/{bot.slug}/?ladder=none-such", status=404)
    text_of(client, f"/bots/{bot.slug}/?ladder=%00", status=404)


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
    assert "The result was voided." in client.get(f"/bots/{bot.slug}/feed.atom").content.decode()


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
        text = markup(client.get(f"/bots/{bot.slug}/{address}"))
        shown = numbers(text)
        assert 0 < len(shown) <= VERSIONS_PER_PAGE
        assert ('href="?#versions"' in text) == bool(address)
        seen += shown
        older = re.search(r'href="(\?versions=\d+)#versions">Older', text)
        if older is None:
            break
        address = older[1]
    assert seen == [number for number in range(29, 0, -1) if number == 1 or number % 3]


@pytest.mark.parametrize("asked", ["all", "-1", "999999999999999999", "²", "\0"])
def test_no_address_asks_for_more_than_a_part(bot: Bot, client: Client, asked: str) -> None:
    text = markup(client.get(f"/bots/{bot.slug}/", {"versions": asked}))
    assert numbers(text) == [29, 28, 26, 25, 23, 22, 20, 19, 17, 16, 14, 13]
    assert 'data-active="1"' in text


def test_a_cursor_below_the_first_version_shows_the_way_back(bot: Bot, client: Client) -> None:
    text = markup(client.get(f"/bots/{bot.slug}/", {"versions": "1"}))
    assert 'href="?#versions"' in text


def test_its_owner_sees_all_and_what_is_said_of_the_newest_on_every_part(bot: Bot, client: Client) -> None:
    assert bot.owner is not None
    client.force_login(bot.owner)
    for address, first in (("", 30), ("?versions=9", 8)):
        text = markup(client.get(f"/bots/{bot.slug}/{address}"))
        assert numbers(text)[0] == first
        assert parsed(text).one(id="check")["data-state"] == "received"
        assert 'data-active="1"' in text
    assert [version.number for version in spoken_of(bot)] == [30, 1]


def test_games_are_counted_for_the_versions_that_are_shown(bot: Bot) -> None:
    assert play(match_of(bot, Ladder.objects.get(slug=DUEL)).pk) == "finished"
    gather()
    with CaptureQueriesContext(connection) as queries:
        part = versions_of(bot, everything=False, older_than="5", user=AnonymousUser())
    assert [(version.number, played) for version, played in part.rows] == [(4, 0), (2, 0), (1, 0)]
    assert [version.number for version in part.spoken_of] == [30, 1]
    assert len(queries) == 1
    assert not [query["sql"] for query in queries if "validation_report" in query["sql"]]


@pytest.fixture
def open_source(db: None) -> Bot:
    """A bot that plays and whose source is public."""
    open_source = uploaded(person("ada"), "Open")
    BotVersion.objects.filter(bot=open_source).update(state="ready", active=True)
    Bot.objects.filter(pk=open_source.pk).update(public_source=True)
    open_source.refresh_from_db()
    return open_source


@pytest.fixture(params=["source/", "download"])
def address(open_source: Bot, request: pytest.FixtureRequest) -> str:
    return f"/bots/{open_source.slug}/versions/1/{request.param}"


def test_code_that_a_visitor_has_is_neither_read_nor_sent_again(open_source: Bot, address: str, client: Client) -> None:
    first = client.get(address)
    assert first.status_code == 200
    assert "no-store" not in first["Cache-Control"]
    uploads().delete(open_source.versions.get().archive)
    again = client.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert client.get(address).status_code == 404


def test_what_a_visitor_has_is_not_the_page_of_somebody_else_or_of_a_private_source(
    open_source: Bot, address: str, client: Client
) -> None:
    assert open_source.owner is not None
    known = {"If-None-Match": client.get(address)["ETag"]}
    owner = Client()
    owner.force_login(open_source.owner)
    if address.endswith("/"):
        assert owner.get(address, headers=known).status_code == 200
    Bot.objects.update(public_source=False)
    assert client.get(address, headers=known).status_code == 403


def test_the_page_in_another_language_is_another_page(
    open_source: Bot, client: Client, settings: Any, pseudo_language: str
) -> None:
    page = f"/bots/{open_source.slug}/versions/1/source/"
    known = {"If-None-Match": client.get(page)["ETag"]}
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = pseudo_language
    assert client.get(page, headers=known).status_code == 200


def test_an_address_reads_so_much_code_a_minute(open_source: Bot, address: str, client: Client, settings: Any) -> None:
    settings.REQUESTS_PER_MINUTE = {**settings.REQUESTS_PER_MINUTE, "source": 2}
    answers = [client.get(address, headers={"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(6)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert len(refused) >= 2  # a minute of the clock may end in between
    assert 1 <= int(refused[0]["Retry-After"]) <= 60
    assert "ETag" not in refused[0]
    assert f"Try again in {refused[0]['Retry-After']}&nbsp;s." in refused[0].content.decode()
    assert client.get(address, headers={"If-None-Match": answers[0]["ETag"]}).status_code == 304
    assert client.get(address, REMOTE_ADDR="203.0.113.7").status_code == 200


def test_the_head_of_a_bot_page_has_its_ladder_and_what_to_do(site: Site, client: Client) -> None:
    head = parsed(html(client, f"/bots/{site.bot.slug}/")).one(id="bot")
    assert f"/play/challenge/{site.bot.slug}/" in head.links
    ranked = [link for link in head.links if link.startswith("/ladders/") and "/test/" not in link]
    assert f"{ranked[0]}test/?bot={site.bot.slug}" in head.links
    Bot.objects.filter(pk=site.bot.pk).update(retired=site.bot.created)
    assert not parsed(html(client, f"/bots/{site.bot.slug}/")).one(id="bot").all("a", class_="button")
