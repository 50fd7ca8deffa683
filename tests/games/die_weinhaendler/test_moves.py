"""Bids and bottles: their order, long lists, and a fair draw. What all games share is in ``test_moves.py`` above."""

from __future__ import annotations

import json
from math import sqrt
from random import Random

import pytest

from games import strict
from games.rules import State
from tests.games.die_weinhaendler import rebuild
from tests.games.die_weinhaendler.tables import FULL_CELLAR, add, answer, table


def test_the_order_in_which_cards_are_named_does_not_matter_and_the_highest_is_written_first() -> None:
    state = table("empty B16 Y5 S24", "R6 R13", "G7 G14", "S10 S17")
    assert state.check(0, add("empty", "B16", "Y5")) == add("B16", "Y5", "empty")
    answer(state, add("Y5", "S24"))
    assert state.record["steps"][-1]["move"] == add("S24", "Y5")


def worth(state: State, tenths: int) -> list[list[str]]:
    """The bids of this total, in the order in which they are listed."""
    bids = [move["cards"] for move in state.legal_moves(state.pending[0]) if isinstance(move, dict)]
    return [cards for cards in bids if sum(map(rebuild.tenths, cards)) == tenths]


def test_bids_of_one_total_stand_by_their_number_of_cards_and_then_by_their_values() -> None:
    state = table("S24 P18 S17 P11 Y12 Y5", "R6 R13", "G7 G14", "O8 O15", "B9 B16")
    assert worth(state, 290) == [["S17", "Y12"], ["P18", "P11"], ["S24", "Y5"]]
    assert worth(state, 460) == [["P18", "S17", "P11"], ["S24", "S17", "Y5"], ["P18", "Y12", "P11", "Y5"]]


def crowded() -> State:
    """A hand of eleven different cards and five cells for all of them, another for the full ones."""
    cellar = {(0, 0): "O22", (0, 1): "empty", (0, 2): "B9", (0, 3): "S10"}
    own = "Y5 R6 G7 O8 P11 Y12 R13 G14 O15 B16 S17 empty"
    return table(own, "", "", "", "", display="", stage="lay", cellars={0: [cellar]})


def test_more_than_64_ways_to_lay_are_not_listed_but_are_found_and_judged() -> None:
    state = crowded()
    decision, legal = state.decision(0), list(state.legal_moves(0))
    assert decision["legal"] is None
    assert len(legal) == 11 * 6 + 5
    assert strict.same(legal, rebuild.moves(decision))
    assert decision["default"] == legal[0] == state.default_move(0) == {"card": "empty", "cell": [0, -1]}
    assert decision["must_lay"] == 6
    assert all(strict.same(state.check(0, move), move) for move in legal)


def bidding() -> State:
    return table("S24 B16 B16 Y5 empty empty", "R6 R13", "G7 G14", "S10 S17")


def answering() -> State:
    """A bid for which many totals are taken."""
    state = table("S24 B16 Y5 empty", "R6 R13", "G7 G14", "S10 S17", start=1)
    answer(state, add("R6"), add("G7"), add("S10"), add("B16"), add("R13"), add("G14"), add("S17"))
    return state


def covering() -> State:
    cellar = {**FULL_CELLAR, (1, 1): "empty", (2, 2): "empty"}
    return table("Y5 Y5 S24 empty", "", "", "", "", display="", stage="lay", cellars={0: [cellar]})


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(bidding(), id="bid"),
        pytest.param(answering(), id="another bid"),
        pytest.param(crowded(), id="many to lay"),
        pytest.param(covering(), id="empty bottles to cover"),
        pytest.param(table("Y5 S24 empty", "", "", "", "", display="", stage="lay"), id="a first bottle"),
    ],
)
def test_every_legal_move_is_drawn_equally_often(state: State) -> None:
    seat = state.pending[0]
    counts = dict.fromkeys(map(json.dumps, state.legal_moves(seat)), 0)
    random = Random(10)
    expected = 100
    for _ in range(expected * len(counts)):
        counts[json.dumps(state.random_move(seat, random))] += 1
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    freedom = len(counts) - 1
    assert chi_square < freedom + 4 * sqrt(2 * freedom)
