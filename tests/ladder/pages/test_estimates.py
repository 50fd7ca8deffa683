"""What pages say of estimates, with rows as a run would have written them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bots.models import BotVersion
from ladder.models import Entry, Estimate, Ladder, Season
from ladder.ratings.draws import packed
from tests.build import active_version, new_version
from tests.ladder.pages.test_every_page import html


def keep(ladder: Ladder, version: BotVersion, points: int, margin: int, ranks: tuple[int, int] | None) -> Estimate:
    random = Random(points)
    best, worst = ranks or (None, None)
    return Estimate.objects.create(
        season=Season.objects.get(ladder=ladder),
        version=version,
        rating=1000 * points,
        low=1000 * (points - margin),
        high=1000 * (points + margin),
        rank_low=best,
        rank_high=worst,
        blocks=10,
        games=40,
        kept_draws=packed(round(1000 * random.gauss(points, margin / 1.96)) for _ in range(400)),
        computed=timezone.now(),
    )


def place(entries: Iterable[Entry]) -> None:
    """Give the entries ratings that fall from 1600 in steps of 10."""
    for place, entry in enumerate(entries):
        Entry.objects.filter(pk=entry.pk).update(rating=1_600_000 - 10_000 * place, games=50)


@pytest.fixture
def table(ladder: Ladder) -> list[Entry]:
    entries = list(Entry.objects.filter(ladder=ladder).select_related("bot").order_by("pk"))
    place(entries)
    for entry, points, ranks in zip(entries, (1700, 1560, 1550, 1300), ((1, 1), (2, 3), (2, 3), (4, 4)), strict=False):
        keep(ladder, active_version(entry.bot), points, 40, ranks)
    return entries


def test_a_table_shows_estimates_with_their_intervals_and_possible_ranks(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    text = html(client, f"/ladders/{ladder.slug}/")
    assert '1700 <span class="soft">± 40' in text
    assert "2–3</td>" in text
    assert "none yet" in text


def test_a_table_joins_ranks_that_cannot_be_told_apart_and_says_so_in_words(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    text = html(client, f"/ladders/{ladder.slug}/")
    assert text.count("not told apart within #2 to #3") == 2
    assert text.count("not told apart within") == 2
    assert text.count('<i class="lane-1 start">') == text.count('<i class="lane-1 end">') == 1
    assert "lane-1" not in html(client, f"/ladders/{ladder.slug}/?sort=bot")


def test_a_table_names_the_version_that_was_estimated_where_another_one_plays(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    bot = table[0].bot
    assert ", v1" not in html(client, f"/ladders/{ladder.slug}/")
    BotVersion.objects.filter(bot=bot).update(active=False)
    BotVersion.objects.filter(pk=new_version(bot).pk).update(active=True)
    assert "± 40, v1</span>" in html(client, f"/ladders/{ladder.slug}/")


def test_a_table_asks_once_for_all_estimates(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    with CaptureQueriesContext(connection) as queries:
        html(client, f"/ladders/{ladder.slug}/")
    assert len([query for query in queries if "ladder_estimate" in query["sql"]]) == 1


def test_a_bot_shows_what_its_versions_were_worth(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    bot = table[1].bot
    older = new_version(bot)
    keep(ladder, older, 1400, 100, None)
    text = html(client, f"/bots/{bot.slug}/")
    assert "Strength over versions" in text
    for value, margin in (("1560", "40"), ("1400", "100")):
        assert f'{value} <span class="meta">± {margin}</span>' in text
    assert re.search(r"v2 is (weaker than|not told apart from) v1\.", text)


def test_a_new_season_shows_no_estimates_of_the_last_one(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    Season.objects.filter(ladder=ladder).update(closing=timezone.now(), closed=timezone.now())
    Season.objects.create(ladder=ladder, number=2)
    assert "± 40" not in html(client, f"/ladders/{ladder.slug}/")
