from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from games.registry import GAMES
from ladder.pages.components.markup import coded, drawn, prose

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
        path = finders.find(f"esr/drawings/{game.drawing}.svg")
        assert isinstance(path, str), game.slug
        assert set(re.findall(r'<symbol id="(.*?)"', Path(path).read_text())) >= set(game.drawn), game.slug
        assert finders.find(f"esr/drawings/{game.drawing}.css"), game.slug


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
        (3, "An example", "an-example-3"),
    ]
    assert "Title" not in text.html
    assert '<h2 id="the-red-gem">' in text.html


@pytest.mark.django_db
def test_every_game_has_a_rules_page_with_all_its_tokens_drawn(client: Client) -> None:
    for slug, game in GAMES.items():
        html = client.get(f"/rules/{slug}/").content.decode()
        assert game.guide.strip()
        assert not any(f"{{{token}}}" in html for token in game.drawn)
        for heading in prose(game.guide, game).headings:
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
