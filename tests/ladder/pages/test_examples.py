from __future__ import annotations

import re

import pytest

from games.registry import GAMES
from ladder.pages.components.markup import KINDS, prose

WINE, GEMS = GAMES["die-weinhaendler"], GAMES["edel-stein-reich"]


def html(text: str, slug: str = "edel-stein-reich") -> str:
    return str(prose(text, GAMES[slug]).html)


def test_a_chain_has_who_what_and_how_much_of_every_link() -> None:
    drawn = html("```chain The <caption>\nThe display  {S24}\nabacus  {R20} {empty}  20.20\n```\n", WINE.slug)
    assert '<figure class="drawn drawn-chain">' in drawn
    assert drawn.count("<li>") == 2
    assert "bottle.svg#empty" in drawn
    assert '<b class="value">20.20</b>' in drawn
    assert "<figcaption>The &lt;caption&gt;</figcaption>" in drawn


def test_a_pile_draws_every_gem_and_marks_who_has_most_alone() -> None:
    drawn = html("```piles\nmagpie  2 {R}, 3 {ghost-R}  +14\nkontor  4 {R}\n```\n")
    assert drawn.count("gem.svg#R") == 6
    assert drawn.count("gem.svg#ghost-R") == 3
    assert '<b class="most">5</b>' in drawn
    assert '<b class="">4</b>' in drawn
    assert "aria-label" not in drawn


def test_a_tie_is_marked_as_one() -> None:
    drawn = html("```piles\nmagpie  2 {R}\nkontor  2 {R}\ntulip  0 {R}\n```\n")
    assert drawn.count('<b class="tied">2</b>') == 2
    assert drawn.count("gem.svg#R") == 4


def test_a_pyramid_has_a_niche_a_place_and_lights_what_is_meant() -> None:
    drawn = html("```pyramid\nsmall:\n.\n{R13}*  {R6}\n\nother:\n{B9}\n```\n", WINE.slug)
    assert drawn.count('<div class="pyramid">') == 2
    assert re.findall(r'class="(niche.*?)"', drawn) == ["niche", "niche lit", "niche held", "niche held"]
    assert "<i>small</i>" in drawn


def test_code_of_no_kind_stays_code() -> None:
    drawn = html("```python\nprint('{R}')\n```\n")
    assert "<figure" not in drawn
    assert "<pre>" in drawn


def test_the_words_of_a_picture_stay_with_it_and_are_not_read_out_twice() -> None:
    drawn = html("Take {event-swap} swap a gem, or not.")
    assert '<span class="count"><svg class="gem event"' in drawn
    assert "</svg> swap a gem</span>" in drawn
    assert "aria-label" not in drawn


@pytest.mark.parametrize("slug", GAMES)
def test_every_guide_has_drawn_examples_and_none_of_their_signs_is_left(slug: str) -> None:
    drawn = html(GAMES[slug].guide, slug)
    found = re.findall(r"<figure.*?</figure>", drawn, flags=re.DOTALL)
    assert len(found) >= 4
    assert not any("{" in figure or "```" in figure or ">*" in figure for figure in found)
    assert {kind for kind in KINDS if f"drawn-{kind}" in drawn}
