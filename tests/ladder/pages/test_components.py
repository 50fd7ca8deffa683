from __future__ import annotations

import re
from dataclasses import dataclass, make_dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from games.registry import GAMES
from games.rules import FORFEIT_REASONS
from ladder.models import Match
from ladder.pages import home
from ladder.pages.components import words
from ladder.pages.components.chart import axis
from ladder.pages.components.markup import coded, drawn, prose
from ladder.pages.components.responses import cache_key
from tests.ladder.pages.site import Site
from tests.page import page
from tests.pseudo_locale import pseudo

GAME = GAMES["edel-stein-reich"]


def test_a_token_becomes_a_gem_that_can_be_read_out() -> None:
    html = drawn("two {R} and a {B}", GAME)
    assert 'aria-label="red"' in html
    assert 'drawings/gem.svg#R"' in html
    assert 'aria-label="blue"' in html
    assert "{" not in html


def test_a_gem_beside_its_name_is_not_read_out_twice() -> None:
    html = drawn("{G} green", GAME)
    assert 'aria-hidden="true"' in html
    assert "aria-label" not in html


def test_a_number_stays_on_the_line_of_its_gem() -> None:
    assert drawn("4\u00a0{R}", GAME).startswith('<span class="count">4\u00a0<svg')


def test_what_is_no_token_of_the_game_stays_text() -> None:
    assert drawn("{X} {empty}", GAME) == "{X} {empty}"


def test_every_token_of_every_game_has_a_symbol_and_its_sheet_a_style() -> None:
    for game in GAMES.values():
        path = finders.find(f"esr/drawings/{game.presentation.drawing}.svg")
        assert isinstance(path, str), game.slug
        assert set(re.findall(r'<symbol id="(.*?)"', Path(path).read_text())) >= set(game.presentation.drawn), game.slug
        assert finders.find(f"esr/drawings/{game.presentation.drawing}.css"), game.slug


def test_text_around_gems_is_escaped() -> None:
    assert drawn('<b title="{R}">', GAME).startswith("&lt;b title=&quot;<svg")


def test_html_in_markdown_is_text() -> None:
    html = prose("<script>alert(1)</script>\n\n<b>bold</b> [x](javascript:alert(1))", GAME).html
    assert "<script" not in html
    assert "<b>" not in html
    assert "href" not in html


def test_headings_have_anchors_of_their_own_and_the_title_is_left_out() -> None:
    text = prose("# Title\n\n## The {R} gem\n\n### An example\n\n### An example\n", GAME)
    assert [(heading.level, heading.text, heading.anchor) for heading in text.headings] == [
        (2, "The red gem", "the-red-gem"),
        (3, "An example", "an-example"),
        (3, "An example", "an-example-1"),
    ]
    assert "Title" not in text.html
    assert '<h2 id="the-red-gem">' in text.html


@pytest.mark.django_db
def test_every_game_has_a_rules_page_with_all_its_tokens_drawn(client: Client) -> None:
    for slug, game in GAMES.items():
        html = client.get(f"/rules/{slug}/").content.decode()
        assert game.presentation.guide.strip()
        assert not any(f"{{{token}}}" in html for token in game.presentation.drawn)
        for heading in prose(game.presentation.guide, game).headings:
            assert f'href="#{heading.anchor}"' in html
            assert f'id="{heading.anchor}"' in html


def test_the_first_paragraph_can_stand_alone() -> None:
    text = prose("# Title\n\nYou sell {R}.\n\nMore.\n", GAME)
    assert "You sell" in text.lead
    assert "More" not in text.lead
    assert prose("## No paragraph first\n\nx\n", GAME).lead == ""


def test_what_stands_between_backticks_is_code_and_everything_is_escaped() -> None:
    assert coded("Try `a <b>` & `c`.") == "Try <code>a &lt;b&gt;</code> &amp; <code>c</code>."
    assert coded("one ` alone") == "one ` alone"


def test_an_empty_corner_of_a_table_is_no_heading() -> None:
    html = prose("| | red |\n|---|---|\n| magpie | 3 |\n", GAME).html
    assert "<td></td>" in html
    assert html.count("<th") == html.count("<th>red") + html.count("<thead")


def test_changes_are_signed_with_a_true_minus_and_zero_has_none() -> None:
    assert [words.signed(change) for change in (12_400, -4_000, 0, 400, -400)] == ["+12", "−4", "0", "0", "0"]
    assert words.signed(-14_950, 1) == "−14.9"
    assert words.signed(0, 3) == "0.000"


def test_large_numbers_are_grouped() -> None:
    assert words.grouped(48120) == "48,120"
    assert words.grouped(7) == "7"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (89, "89 s"), (120, "2 min"), (7200, "2 h"), (200_000, "2 days"), (-3, "0 s")]
)
def test_a_span_has_one_fitting_unit(seconds: float, text: str) -> None:
    assert words.span(seconds).replace("\u00a0", " ") == text


def test_what_is_long_ago_is_told_by_its_day() -> None:
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert words.ago(now - timedelta(minutes=3), now) == "3\u00a0min ago"
    assert words.ago(now - timedelta(days=30), now) == "22 Oct 2026"


def test_every_reason_and_every_status_has_its_words() -> None:
    assert set(words.FORFEITS) == set(FORFEIT_REASONS)
    assert set(words.STATUSES) == set(Match.Status.values)


def test_sentences_begin_and_end_as_sentences() -> None:
    assert words.sentence("it ended") == "It ended."
    assert words.sentence("Why?") == "Why?"
    assert words.sentence("") == ""


def test_seat_counts_are_enumerated() -> None:
    assert words.seat_counts((3, 4, 5)) == "3, 4 or 5 players"
    assert words.seat_counts((2,)) == "2 players"


@given(st.lists(st.integers(-2_000_000, 5_000_000), max_size=30))
def test_the_axis_holds_every_rating_with_few_ticks(ratings: list[int]) -> None:
    scale = axis(ratings)
    assert all(0 <= scale.position(rating) <= 100 for rating in ratings)
    assert 2 <= len(scale.ticks) <= 7


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.236, "0.24 s"), (0.0, "0 s"), (3.14, "3.1 s"), (9.9, "9.9 s"), (12.4, "12 s"), (200, "3 min")],
)
def test_a_short_game_took_a_part_of_a_second(seconds: float, text: str) -> None:
    assert words.time_taken(seconds).replace("\u00a0", " ") == text


def test_sizes_have_their_one_fitting_unit() -> None:
    sizes = [words.size(count) for count in (0, 1, 840, 1024, 1536, 84 * 1024, 8 << 20, 3 << 19)]
    assert sizes == [
        f"{number}\u00a0{unit}"
        for number, unit in (
            ("0", "bytes"), ("1", "byte"), ("840", "bytes"), ("1", "KiB"), ("1.5", "KiB"), ("84", "KiB"), ("8", "MiB"),
            ("1.5", "MiB"),
        )
    ]  # fmt: skip


def test_short_times_have_their_one_fitting_unit() -> None:
    times = [words.thinking(us) for us in (0, 840, 4_500, 76_400, 1_230_000)]
    assert times == ["0\u00a0µs", "840\u00a0µs", "4.5\u00a0ms", "76\u00a0ms", "1.2\u00a0s"]


@given(st.text())
def test_nothing_invisible_is_left_in_text_of_strangers(text: str) -> None:
    assert all(char.isprintable() or char in "\n\t" for char in words.visible(text))


def test_what_can_be_seen_stays_as_it_is() -> None:
    assert words.visible("a\tb\nç <b>") == "a\tb\nç <b>"
    assert words.visible("\x1b[31m\u202e\0") == "\\x1b[31m\\u202e\\x00"


KEPT = [
    (home._KEY, "watching", home.Highlight),
    (home._LIVE_KEY, "best-table", home.Best),
    (home._CLIMBERS_KEY, "climbing", home._Gain),
]


def test_a_key_changes_with_the_fields_of_what_is_kept() -> None:
    shapes = [[("a", int)], [("a", str)], [("b", int)], [("a", int), ("b", int)], [("b", int), ("a", int)]]
    keys = {cache_key("page", make_dataclass("Kept", shape)) for shape in shapes}
    assert len(keys) == len(shapes)
    assert cache_key("page", make_dataclass("Renamed", shapes[0])) in keys


@pytest.mark.parametrize(("key", "name", "kind"), KEPT)
def test_pages_do_not_find_what_a_release_with_other_fields_has_kept(key: str, name: str, kind: type[Any]) -> None:
    @dataclass(frozen=True)
    class Older(kind):  # type: ignore[misc]
        gone: int = 0

    assert key == cache_key(name, kind) != cache_key(name, Older)


def test_every_page_speaks_the_chosen_language(client: Client, site: Site, pseudo_language: str) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = pseudo_language
    for address in site.addresses:
        response = client.get(address)
        if not response.headers["Content-Type"].startswith("text/html") or response.status_code != 200:
            continue
        assert f'<html lang="{pseudo_language}"' in response.content.decode(), address


def test_a_match_is_shown_with_the_terms_of_its_game(client: Client, site: Site, pseudo_language: str) -> None:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = pseudo_language
    page = client.get(f"/matches/{site.finished.pk}/").content.decode()
    columns = GAMES[site.finished.ladder.game].presentation.score_columns
    assert columns
    for column in columns:
        assert f">{pseudo(column.heading)}<" in page
    assert f'aria-label="{pseudo("red")}"' in page


@pytest.mark.usefixtures("house")
def test_the_rules_have_a_picture_and_a_game_to_play_for_every_game(client: Client) -> None:
    for slug in GAMES:
        section = page(client, "/rules/").one("section", id=slug)
        assert section.one(class_="game-picture").all("svg")
        assert section.one("button", name="game")["value"] == slug
        rules = page(client, f"/rules/{slug}/").one("main")
        assert rules.one("button", name="game")["value"] == slug
        assert len([link for link in rules.links if link.startswith("/ladders/")]) == 1
