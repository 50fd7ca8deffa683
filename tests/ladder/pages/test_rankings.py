"""A ladder's table in the order and with the filters that its address asks for."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from esr_platform.accounts.models import User
from ladder.models import Entry, Ladder
from ladder.pages.ladder import COLUMNS, MOST_LANES, apart, ladder_page
from ladder.pages.templatetags.rankings import leading
from tests.build import active_version, person, uploaded
from tests.ladder.pages.site import crowd
from tests.ladder.pages.test_estimates import keep, place
from tests.ladder.pages.test_every_page import html

ORDERS = [f"{sign}{column.key}" for column in COLUMNS for sign in ("", "-")]


@pytest.fixture
def table(ladder: Ladder) -> list[Entry]:
    """The house's bots from the best to the worst, with estimates in the opposite order."""
    entries = list(Entry.objects.filter(ladder=ladder).select_related("bot").order_by("pk"))
    place(entries)
    for number, entry in enumerate(entries):
        Entry.objects.filter(pk=entry.pk).update(wins=60 * number, last_change=number, games=40 + number)
        keep(ladder, active_version(entry.bot), 1400 + 10 * number, 100, (1, len(entries)))
    return entries


def bots_of(text: str) -> list[str]:
    """The bots of the table, from the top."""
    return re.findall(r'<td class="who"><a class="name" href="/bots/([a-z0-9-]+)/"', text)


def ranks_of(text: str) -> list[int]:
    return [int(rank) for rank in re.findall(r'<td class="num place">(\d+)</td>', text)]


def test_every_column_can_give_the_order_and_its_head_says_so(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    best_first = [entry.bot.slug for entry in table]
    wanted = {"rating": best_first, "bot": [entry.bot.slug for entry in sorted(table, key=lambda one: one.bot.name)]}
    for order in ORDERS:
        text = html(client, f"/ladders/{ladder.slug}/?sort={order}")
        key, turned = order.removeprefix("-"), order.startswith("-")
        expected = wanted.get(key, best_first[::-1])
        assert bots_of(text) == (expected[::-1] if turned else expected), order
        said = "ascending" if (key == "bot") != turned else "descending"
        assert re.search(rf'class="[a-z ]*{key}" aria-sort="{said}"', text), order
        assert text.count("aria-sort") == 1


def test_ranks_stay_those_of_the_whole_table(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    upside_down = html(client, f"/ladders/{ladder.slug}/?sort=-rating")
    assert ranks_of(upside_down) == list(range(len(table), 0, -1))
    found = html(client, f"/ladders/{ladder.slug}/?q={table[3].bot.name}")
    assert ranks_of(found) == [4]


def test_what_has_no_estimate_stands_last_in_either_order(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    crowd(ladder, 1)
    for order in ("strength", "-strength"):
        assert bots_of(html(client, f"/ladders/{ladder.slug}/?sort={order}"))[-1] == "crowd-0"


def test_a_table_can_be_searched_and_filtered(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    uploaded(person("ida"), "magpie two", claims={ladder.game: [ladder.seats]})
    Entry.objects.filter(pk=table[0].pk).update(active=False)

    def shown(query: str) -> int:
        return len(bots_of(html(client, f"/ladders/{ladder.slug}/?{query}")))

    everybody = len(table) + 1
    assert shown("") == everybody
    assert shown("q=MAGPIE+TWO") == shown("q=ida") == shown("of=people") == shown("games=provisional") == 1
    assert shown("of=house") == shown("games=settled") == len(table)
    assert shown("state=resting") == 1
    assert shown("state=playing") == everybody - 1
    assert shown("language=python") == everybody
    assert shown("language=executable") == 0
    for nonsense in ("of=x", "sort=x", "state=%00", "q=%00", "games=many", "page=x"):
        assert shown(nonsense) == everybody


def test_my_bots_are_a_filter_for_who_has_signed_in_and_stand_out(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    ida = person("ida")
    uploaded(ida, "magpie two", claims={ladder.game: [ladder.seats]})
    assert 'value="mine"' not in html(client, f"/ladders/{ladder.slug}/")
    client.force_login(User.objects.get(pk=ida.pk))
    text = html(client, f"/ladders/{ladder.slug}/?of=mine")
    assert len(bots_of(text)) == 1
    assert '<tr class="own' in text


def test_a_filtered_table_without_rows_says_how_to_see_everything(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    text = html(client, f"/ladders/{ladder.slug}/?q=<nobody>")
    assert "Nothing matches “&lt;nobody&gt;” and the filters." in text
    assert '<a href="?">Show everything</a>' in text


def test_links_keep_what_is_asked_for(client: Client, ladder: Ladder, table: list[Entry]) -> None:
    crowd(ladder, 60)
    text = html(client, f"/ladders/{ladder.slug}/?of=house&sort=games&page=2")
    assert 'href="?of=house&amp;sort=games&amp;page=1"' in text
    assert 'href="?of=house&amp;sort=-games"' in text
    assert 'href="?of=house"' in text
    assert '<option value="house" selected>' in text
    assert '<input type="hidden" name="sort" value="games">' in text


def test_the_leader_is_named_with_who_cannot_be_told_apart(ladder: Ladder, table: list[Entry]) -> None:
    page = ladder_page(ladder, {}.get, AnonymousUser())
    names = [entry.bot.name for entry in table]
    assert page.leaders == names[:1]
    assert page.level == names[1:]
    said = f"{names[0]} leads, but cannot be told apart from the next {len(names) - 1}."
    assert leading(page) == said
    assert leading(ladder_page(ladder, {"sort": "-rating"}.get, AnonymousUser())) == ""


def test_a_table_that_is_sorted_and_searched_needs_few_queries(
    client: Client, ladder: Ladder, table: list[Entry]
) -> None:
    crowd(ladder, 120)
    for query in ("", *(f"sort={order}&q=o&of=house&state=playing&page=2" for order in ORDERS)):
        with CaptureQueriesContext(connection) as queries:
            html(client, f"/ladders/{ladder.slug}/?{query}")
        assert len(queries) <= 12, [query["sql"] for query in queries]


def test_lines_join_longest_runs_and_overlap_in_lanes(ladder: Ladder, table: list[Entry]) -> None:
    def level(points: list[int]) -> list[tuple[int, int]]:
        rows = [entry.bot.versions.get().estimates.get() for entry in table[: len(points)]]
        for row, its in zip(rows, points, strict=True):
            row.rating = 1000 * its
        return list(apart(rows).runs)

    assert level([1500, 1500, 1500]) == [(0, 2)]
    assert level([1700, 1600, 1500]) == [(0, 1), (1, 2)]
    assert level([1900, 1500]) == []
    assert list(apart([None, None]).runs) == []
    many = apart([entry.bot.versions.get().estimates.get() for entry in table])
    assert len(many.lanes) <= MOST_LANES
    assert many.reach(0) == (0, len(table) - 1)
