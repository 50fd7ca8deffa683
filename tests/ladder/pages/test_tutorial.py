from __future__ import annotations

import json
import re
from random import Random

import pytest
from django.test import Client

from games.registry import GAMES
from games.rules import IllegalMove
from games.tutorial import Sentence, Tutorial
from ladder.pages.components.markup import KINDS, prose
from ladder.pages.tutorial import Lost, Walk, number_of, numbers, walk, written

ADDRESS = "/rules/edel-stein-reich/tutorial/"
OFFERED = "0-0"
"""Money, then Money against one other: magpie opens with a blue."""


def tutorial() -> Tutorial:
    lessons = GAMES["edel-stein-reich"].presentation.tutorial
    assert lessons is not None
    return lessons


def on(moves: tuple[int, ...], *more: int) -> Walk:
    return walk(tutorial(), (*moves, *more))


def advised_way() -> list[Walk]:
    """Every moment of the way that follows the advice."""
    way = [on(())]
    while not tutorial().is_over(way[-1].state):
        here = way[-1]
        advised = tutorial().lesson(here.state, here.met).advised
        way.append(on(here.moves, number_of(tutorial(), here.state, advised)))
    return way


def test_whoever_follows_the_advice_comes_to_the_end_and_is_in_front(client: Client) -> None:
    way = advised_way()
    assert 8 <= len(way) - 1 <= 20
    money = [player["money"] for player in way[-1].state.view(None)["players"]]
    assert money.index(max(money)) == tutorial().seat
    page = client.get(ADDRESS, {"moves": written(way[-1].moves)}).content.decode()
    assert "You are in the lead" in page
    assert 'href="/bots/new/"' in page
    assert "data-board-place" not in page


def test_the_way_goes_through_actions_cards_and_barters() -> None:
    assert {"action", "event_card", "answer_offer"} <= set(advised_way()[-1].met)


@pytest.mark.django_db
def test_no_page_of_the_way_asks_the_database(client: Client, django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        for here in advised_way()[::3]:
            response = client.get(ADDRESS, {"moves": written(here.moves)})
            assert response.status_code == 200
            assert not response.cookies


def test_every_button_of_the_way_leads_on(client: Client) -> None:
    for here in advised_way()[:-1]:
        page = client.get(ADDRESS, {"moves": written(here.moves)}).content.decode()
        links = re.findall(r'<a class="button" href="([^"#]+)#now"', page)
        assert links
        for link in links:
            assert client.get(link).status_code == 200


@pytest.mark.parametrize("chance", range(6))
def test_any_way_ends_and_has_advice_that_is_legal(chance: int) -> None:
    random, here = Random(chance), on(())
    while not tutorial().is_over(here.state):
        lesson = tutorial().lesson(here.state, here.met)
        legal = here.state.numbered_moves(tutorial().seat)
        for move in (lesson.advised, *(option.move for option in lesson.options)):
            legal.index(move)
        assert sum(option.move == lesson.advised for option in lesson.options) <= 1
        for sentence in (lesson.title, lesson.advice, *lesson.introduction, *lesson.hints):
            assert filled(sentence)
        here = on(here.moves, random.randrange(min(len(legal), random.choice((2, 5, 40)))))
    assert len(here.moves) < tutorial().most_moves
    grid, sentences = tutorial().closing(here.state)
    assert all(len(row) == len(grid.heads) for row in grid.rows)
    assert all(map(filled, sentences))


def filled(sentence: Sentence) -> str:
    return sentence.text % sentence.values if sentence.values else sentence.text


def test_what_the_scoring_paid_is_what_the_money_rose_by() -> None:
    end = advised_way()[-1]
    grid, _ = tutorial().closing(end.state)
    sums = [cell.values["paid"] for cell in grid.rows[-1][1:]]
    moves = [entry["event"] for entry in tutorial().log(end.state)["entries"] if "event" in entry]
    earned = [
        sum(event["amount"] for event in moves if event["type"] == "money" and event["seat"] == seat)
        for seat in range(4)
    ]
    money = [player["money"] for player in end.state.view(None)["players"]]
    assert [have - paid for have, paid in zip(money, sums, strict=True)] == earned


def test_htmx_swaps_the_decision_after_an_offer_in_place_of_the_last_one(client: Client) -> None:
    sent = {"moves": "0-0", "R": 0, "Y": 0, "G": 1, "B": 0}
    plain, swapped = client.get(ADDRESS, sent), client.get(ADDRESS, sent, headers={"HX-Request": "true"})
    assert plain.status_code == 302
    assert json.loads(swapped["HX-Location"])["path"] == plain["Location"]


def test_an_offer_that_is_not_higher_is_refused_with_the_rules_own_sentence(client: Client) -> None:
    response = client.get(ADDRESS, {"moves": OFFERED, "R": "0", "Y": "0", "G": "0", "B": "1"})
    page = response.content.decode()
    state = on((0, 0)).state
    with pytest.raises(IllegalMove) as refused:
        state.check(tutorial().seat, {"offer": [0, 0, 0, 1]})
    assert refused.value.rule in page
    assert "The offers are equal." in page
    assert 'value="1" min="0"' in page
    assert 'aria-invalid="true"' in page


@pytest.mark.parametrize(
    ("amounts", "sentence"),
    [
        ("0000", "has fewer gems than"),
        ("0009", "You can offer only gems that you have"),
        ("9999", "You can offer only gems that you have"),
    ],
)
def test_a_refusal_says_what_is_wrong_with_this_very_offer(client: Client, amounts: str, sentence: str) -> None:
    asked = dict(zip("RYGB", amounts, strict=True))
    assert sentence in client.get(ADDRESS, {"moves": OFFERED, **asked}).content.decode()


def test_a_higher_offer_leads_on(client: Client) -> None:
    response = client.get(ADDRESS, {"moves": OFFERED, "R": "0", "Y": "0", "G": "1", "B": "0"})
    assert response.status_code == 302
    assert response["Location"].startswith(f"{ADDRESS}?moves={OFFERED}-1")
    assert "magpie offers" in client.get(response["Location"]).content.decode()


def test_one_step_back_is_the_page_before(client: Client) -> None:
    page = client.get(ADDRESS, {"moves": OFFERED}).content.decode()
    assert f'href="{ADDRESS}?moves=0#now" data-back>' in page
    assert f'href="{ADDRESS}">Start over' in page
    assert "data-back" not in client.get(ADDRESS).content.decode()


@pytest.mark.parametrize("moves", ["9", "0-x", "-", "0--0", "0-0-99999999", "²", "0-" * 400 + "0", "1" * 5000])
def test_moves_that_lead_nowhere_are_said_to(client: Client, moves: str) -> None:
    response = client.get(ADDRESS, {"moves": moves})
    assert response.status_code == 404


def test_moves_beyond_the_end_lead_nowhere() -> None:
    with pytest.raises(Lost):
        on(advised_way()[-1].moves, 0)


def test_as_many_moves_as_there_can_be_are_read_and_no_more() -> None:
    most = tutorial().most_moves
    assert len(numbers(written((0,) * most), tutorial())) == most
    with pytest.raises(Lost):
        numbers(written((0,) * (most + 1)), tutorial())


@pytest.mark.parametrize("slug", ["edel-stein-reich-duel", "die-weinhaendler", "chess"])
def test_a_game_without_a_tutorial_has_no_page_of_one(client: Client, slug: str) -> None:
    assert client.get(f"/rules/{slug}/tutorial/").status_code == 404


def test_the_scenes_show_the_newcomer_no_secret_of_the_others() -> None:
    for here in advised_way():
        for scene in here.scenes:
            others = [you for seat, you in enumerate(scene["yous"]) if seat != tutorial().seat]
            assert others == [None] * 3
            assert scene["view"]["seat"] == tutorial().seat


def test_the_tutorial_is_found_from_the_rules(client: Client, db: None) -> None:
    assert f'href="{ADDRESS}"' in client.get("/rules/edel-stein-reich/").content.decode()
    assert "/tutorial/" not in client.get("/rules/die-weinhaendler/").content.decode()


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
    assert "<pre" in drawn


def test_the_words_of_a_picture_stay_with_it_and_are_not_read_out_twice() -> None:
    drawn = html("Take {event-swap} swap a gem, or not.")
    assert '<span class="count"><svg class="gem event"' in drawn
    assert "</svg> swap a gem</span>" in drawn
    assert "aria-label" not in drawn


@pytest.mark.parametrize("slug", GAMES)
def test_every_guide_has_drawn_examples_and_none_of_their_signs_is_left(slug: str) -> None:
    drawn = html(GAMES[slug].presentation.guide, slug)
    figures = re.findall(r"<figure.*?</figure>", drawn, flags=re.DOTALL)
    assert len(figures) >= 4
    assert not any("{" in figure or "```" in figure or ">*" in figure for figure in figures)
    assert {kind for kind in KINDS if f"drawn-{kind}" in drawn}
