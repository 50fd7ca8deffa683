"""What the judge must find in a record of Edel, Stein & Reich, and what its documents must hold."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from tests import judge
from tests.judge import shuffling
from tests.judge.edel_stein_reich import cards
from tests.judge.edel_stein_reich.barter import rank
from tests.judge.samples import Record, first_with, of_game

RECORDS = of_game("edel-stein-reich")
DUELS = of_game("edel-stein-reich-duel")


def test_the_published_vector_of_the_zero_seed_is_met() -> None:
    def stream(name: str, occurrence: int) -> Iterator[int]:
        return shuffling.words(bytes(32), name, occurrence)

    assert shuffling.below(stream("starter", 0), 2) == 0
    assert shuffling.shuffled(stream("age_order", 0), list(range(5))) == [0, 4, 2, 3, 1]
    events = shuffling.shuffled(stream("event_deck", 0), cards.EVENT_CARDS)
    assert events[:5] == ["three", "sole_any", "adjust:RB", "per:G", "sole:G"]
    gems = shuffling.shuffled(stream("gem_deck", 1), cards.GEM_CARDS)
    assert gems[:5] == ["5RRY", "6YYB", "7GB", "6GGB", "4RYGB"]


def test_the_gem_deck_carries_22_gems_of_each_colour() -> None:
    vectors = [cards.gems_on(card) for card in cards.GEM_CARDS]
    assert [sum(column) for column in zip(*vectors, strict=True)] == [22, 22, 22, 22]


def test_the_offers_of_the_rule_sheet_rise() -> None:
    offers = [(1, 0, 0, 0), (0, 0, 0, 2), (0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 3, 0), (1, 0, 0, 2)]
    assert sorted(offers, key=rank) == offers


def altered_move(record: Record, ply: int, move: Any) -> list[str]:
    changed = copy.deepcopy(record)
    changed["steps"][ply]["move"] = move
    return judge.check(changed)


def offers_of(record: Record) -> Iterator[tuple[int, list[int]]]:
    """The plies at which an offer was made, and the offers."""
    for ply, step in enumerate(record["steps"]):
        if "decision" in step and isinstance(step["move"], dict) and "offer" in step["move"]:
            yield ply, step["move"]["offer"]


def haggling() -> Record:
    """The first record in which an offer was topped."""
    return first_with(lambda step: step.get("decision") == "answer_offer" and step["move"] != "accept")


@pytest.mark.parametrize("number", [True, 1.0])
def test_an_offer_with_true_or_a_float_for_one_is_found(number: Any) -> None:
    record, tried = haggling(), 0
    for ply, offer in offers_of(record):
        if 1 in offer:
            tried += 1
            index = offer.index(1)
            reported = altered_move(record, ply, {"offer": [*offer[:index], number, *offer[index + 1 :]]})
            assert reported[0].startswith(f"step {ply}:")
    assert tried


def test_an_offer_that_is_not_higher_is_found() -> None:
    record = haggling()
    raised = [ply for ply, _ in offers_of(record) if record["steps"][ply]["decision"] == "answer_offer"]
    assert raised
    for ply in raised:
        reported = altered_move(record, ply, record["steps"][ply - 1]["move"])
        assert "answer_offer" in reported[0]
        assert "not legal" in reported[0]


@pytest.mark.parametrize("record", [RECORDS[0], RECORDS[-1], DUELS[0]])
def test_the_gems_of_every_view_add_up_to_22_of_each_colour(record: Record) -> None:
    for point in judge.decisions(record):
        view = point.view(None)
        piles = [view["supply"], *(player["gems"] for player in view["players"])]
        assert [sum(column) for column in zip(*piles, strict=True)] == [22, 22, 22, 22]


def test_the_hidden_action_of_two_players_stands_right_after_it_came_to_light() -> None:
    for before, entry in pairwise(judge.logs(DUELS[0], None)):
        if entry.get("step", {}).get("decision") == "action":
            assert before["event"]["type"] in ("caught", "missed")
