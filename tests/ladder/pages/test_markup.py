from __future__ import annotations

import pytest
from django.test import Client

from games.registry import GAMES
from ladder.pages.markup import prose, with_gems


def test_a_token_becomes_a_gem_that_can_be_read_out() -> None:
    html = with_gems("two {R} and a {B}")
    assert 'aria-label="red"' in html
    assert 'sprite.svg#gem-R"' in html
    assert 'aria-label="blue"' in html
    assert "{" not in html


def test_a_gem_beside_its_name_is_not_read_out_twice() -> None:
    html = with_gems("{G} green")
    assert 'aria-hidden="true"' in html
    assert "aria-label" not in html


def test_a_number_stays_on_the_line_of_its_gem() -> None:
    assert with_gems("4\u00a0{R}").startswith('<span class="count">4\u00a0<svg')


def test_text_around_gems_is_escaped() -> None:
    assert with_gems('<b title="{R}">').startswith("&lt;b title=&quot;<svg")


def test_html_in_markdown_is_text() -> None:
    html = prose("<script>alert(1)</script>\n\n<b>bold</b> [x](javascript:alert(1))").html
    assert "<script" not in html
    assert "<b>" not in html
    assert "href" not in html


def test_headings_have_anchors_of_their_own_and_the_title_is_left_out() -> None:
    text = prose("# Title\n\n## The {R} gem\n\n### An example\n\n### An example\n")
    assert [(heading.level, heading.text, heading.anchor) for heading in text.headings] == [
        (2, "The red gem", "the-red-gem"),
        (3, "An example", "an-example"),
        (3, "An example", "an-example-3"),
    ]
    assert "Title" not in text.html
    assert '<h2 id="the-red-gem">' in text.html


@pytest.mark.django_db
def test_every_game_has_a_rules_page_with_all_its_gems_drawn(client: Client) -> None:
    for slug, game in GAMES.items():
        html = client.get(f"/rules/{slug}/").content.decode()
        assert game.guide.strip()
        assert not any(token in html for token in ("{R}", "{Y}", "{G}", "{B}"))
        for heading in prose(game.guide).headings:
            assert f'href="#{heading.anchor}"' in html
            assert f'id="{heading.anchor}"' in html


def test_the_first_paragraph_can_stand_alone() -> None:
    text = prose("# Title\n\nYou sell {R}.\n\nMore.\n")
    assert "You sell" in text.lead
    assert "More" not in text.lead
    assert prose("## No paragraph first\n\nx\n").lead == ""
