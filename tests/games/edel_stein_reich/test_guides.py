"""The rules pages of Edel, Stein & Reich: what they say in numbers is what the engine does."""

from __future__ import annotations

import re

import pytest

from games.chance import SeededChance
from games.edel_stein_reich.cards import COLOURS, EVENT_CARDS, GEM_CARDS, MAJORITY_VALUES, TABLES, vector
from games.edel_stein_reich.offers import key
from games.edel_stein_reich.rulings import LOW_SUPPLY, OFFER_LIMIT
from games.edel_stein_reich.scoring import score_phase
from games.edel_stein_reich.state import EdelSteinReichState
from games.edel_stein_reich.story.words import COLOUR_NAMES, event_card
from games.registry import GAMES
from tests.games.edel_stein_reich.tables import four
from tests.games.readers import drawings, section, table_after, tables

GUIDES = {slug: GAMES[slug].presentation.guide for slug in ("edel-stein-reich", "edel-stein-reich-duel")}


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_a_guide_gives_the_values_of_the_colours(guide: str) -> None:
    rows = table_after(guide, "## The four gems")[1:]
    names = [f"{{{colour}}} {COLOUR_NAMES[colour]}" for colour in COLOURS]
    assert rows == [[name, str(value)] for name, value in zip(names, MAJORITY_VALUES, strict=True)]


def test_the_guide_lays_the_table_out_as_the_decks_do() -> None:
    rows = table_after(GUIDES["edel-stein-reich"], "## A phase")[1:]
    assert [row[:3] for row in rows] == [
        [str(seats), str(TABLES[seats].rounds), str(TABLES[seats].aside or "none")] for seats in (3, 4, 5)
    ]
    assert [len(row[3].split(", ")) for row in rows] == [len(TABLES[seats].actions) for seats in (3, 4, 5)]


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_a_guide_counts_every_event_card(guide: str) -> None:
    cards = section(guide, "The event cards")
    counted = 0
    for table in tables(cards)[:2]:
        for _name, copies, _effect in table[1:]:
            kinds = len(COLOURS) if copies.endswith("each") else 1
            counted += kinds * int(copies.split()[0])
    assert counted == len(EVENT_CARDS)
    for code in EVENT_CARDS:
        name = event_card(code).strip('"')
        assert name in guide or code.startswith("per:"), name


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_the_offers_of_the_worked_barter_rise(guide: str) -> None:
    rows = next(table for table in tables(section(guide, "The barter")) if table[0][1] == "offer")[1:-1]
    keys = [key(four(offer.count(f"{{{colour}}}") for colour in COLOURS)) for _, offer, _ in rows]
    assert keys == sorted(set(keys))
    assert len(keys) >= 4


CODES = {
    "8 for red alone": "sole:R",
    "5 for blue alone": "sole:B",
    "4 for each color alone": "sole_any",
    "1 for each yellow": "per:Y",
    "1 for each blue": "per:B",
    "1 certificate": "cert",
    "2 certificates": "cert cert",
}


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_the_worked_scoring_is_what_the_engine_pays(guide: str) -> None:
    scoring = section(guide, "The scoring")
    holdings, paid = tables(scoring)[:2]
    seats = len(holdings[0]) - 1
    table = EdelSteinReichState(GAMES["edel-stein-reich"].rules, seats, SeededChance(bytes(32)), journal=True)
    for seat in range(seats):
        table.gems[seat] = four(int(row[seat + 1]) for row in holdings[1:5])
        table.cards[seat] = tuple(" ".join(CODES[name] for name in holdings[5][seat + 1].split(", ")).split())
    score_phase(table, 1)
    rows = table.entries(None)[-1]["event"]["rows"]
    for row, cells in zip(rows, paid[1:6], strict=True):
        pay = [row["share"][s] + row["sole_bonus"][s] + row["per_gem"][s] for s in range(seats)]
        assert pay == [sum(int(part) for part in cell.split(" + ")) for cell in cells[1 : seats + 1]]
        counts = [int(count) for count in re.findall(r"returns? (\d)", cells[-1])]
        assert all(count in counts for count in row["returned"] if count)
    assert [str(money) for money in table.money] == paid[6][1 : seats + 1]


def test_the_guides_name_the_limits_of_the_house() -> None:
    assert LOW_SUPPLY == 5
    for guide in GUIDES.values():
        assert f"{OFFER_LIMIT} offers" in guide
        assert "five gems or fewer" in guide


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_the_drawn_steps_rise_and_the_drawn_gem_cards_are_in_the_deck(guide: str) -> None:
    (steps,) = drawings(guide, "steps")
    keys = [key(vector("".join(re.findall(r"\{(\w)\}", tokens)))) for tokens, _why in steps]
    assert keys == sorted(set(keys))
    (cards,) = drawings(guide, "cards")
    assert {money + "".join(re.findall(r"\{(\w)\}", tokens)) for money, tokens in cards} <= set(GEM_CARDS)


@pytest.mark.parametrize("guide", GUIDES.values(), ids=GUIDES)
def test_the_drawn_piles_pay_what_the_engine_pays(guide: str) -> None:
    drawn = drawings(guide, "piles")
    table = EdelSteinReichState(GAMES["edel-stein-reich"].rules, len(drawn[0]), SeededChance(bytes(32)), journal=True)
    for seat in range(table.seats):
        table.gems[seat] = four([*(sum(map(int, re.findall(r"(\d+) \{", rows[seat][1]))) for rows in drawn), 0])
    score_phase(table, 1)
    for paid, rows in zip(table.entries(None)[-1]["event"]["rows"], drawn, strict=False):
        assert [int([*row, "0"][2]) for row in rows] == paid["share"]
        assert [sum(map(int, re.findall(r"(\d+) \{ghost", row[1]))) for row in rows] == paid["returned"]
