"""The rules pages of all games: they render, and all their tokens can be drawn and said."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from games.registry import GAMES
from games.words import in_words
from tests.games.readers import tables

GUIDES = {slug: game.presentation.guide for slug, game in GAMES.items()}


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_a_guide_is_markdown_whose_tables_render(guide: str) -> None:
    html = MarkdownIt("commonmark").enable("table").render(guide)
    assert html.count("<table>") == len(tables(guide)) >= 6
    assert "|" not in re.sub(r"<[^>]*>", "", html)
    assert "<h1>" not in html
    assert "<h2>" in html


@pytest.mark.parametrize("slug", GAMES)
def test_a_guide_draws_the_tokens_of_its_game_and_nothing_else(slug: str) -> None:
    assert set(re.findall(r"\{([^}]*)\}", GUIDES[slug])) == set(GAMES[slug].presentation.drawn)


@pytest.mark.parametrize("slug", GAMES)
def test_a_guide_has_words_for_every_drawing(slug: str) -> None:
    text = in_words(GUIDES[slug], GAMES[slug].presentation.drawn)
    assert "{" not in text
    assert all(words in text for words in GAMES[slug].presentation.drawn.values())
