"""What is legal: one list, one order, one judge, and a fair draw (record.md "Decisions", views.md "Decision")."""

from __future__ import annotations

import json
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.rules import State
from tests.games.die_weinhaendler import rebuilding
from tests.games.die_weinhaendler.tables import FULL_CELLAR, TABLES, add, answer, table
from tests.games.die_weinhaendler.tempers import TEMPERS
from tests.games.playing import played, positions
from tests.games.trying import is_legal_exactly_when_listed, near

CARDS = st.sampled_from(["R6", "G14", "S24", "empty", "O8", "Y4", "R7", "EMPTY", 6, None])
GARBAGE = st.one_of(
    st.sampled_from(["pass", "done", "PASS", "", "lay", 0, None, True]),
    st.fixed_dictionaries({"cards": st.lists(CARDS, max_size=7)}),
    st.fixed_dictionaries({"card": CARDS, "cell": st.lists(st.integers(-10, 10), min_size=1, max_size=3)}),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists, max_leaves=5),
)


@st.composite
def decision_points(draw: st.DrawFn) -> tuple[State, int]:
    """A position somewhere in a game of some temper, and the seat that is asked."""
    slug, seats = draw(st.sampled_from(TABLES))
    temper, number = TEMPERS[draw(st.sampled_from(sorted(TEMPERS)))], draw(st.integers(0, 10**9))
    state, random = played(slug, seats, number, moves=draw(st.integers(0, 20))), Random(number)
    for _ in range(draw(st.integers(0, 40))):
        twin, asked = state.copy(), state.pending[0]
        twin.play(asked, temper.choose(state, asked, random))
        if not twin.pending:
            break
        state = twin
    return state, state.pending[0]


@settings(max_examples=150, deadline=None)
@given(decision_points())
def test_the_legal_moves_are_those_the_bounds_allow_in_their_order(point: tuple[State, int]) -> None:
    state, seat = point
    decision, legal = state.decision(seat), list(state.legal_moves(seat))
    assert strict.same(legal, rebuilding.moves(decision))
    assert strict.same(decision["legal"], legal if len(legal) <= 64 else None)
    assert decision["default"] == state.default_move(seat) == legal[0]
    assert len(legal) > 1
    assert all(strict.same(state.check(seat, move), move) for move in legal)
    assert len({json.dumps(move) for move in legal}) == len(legal)


@settings(max_examples=400, deadline=None)
@given(decision_points(), st.data())
def test_a_move_is_legal_exactly_when_it_is_listed_and_an_illegal_one_changes_nothing(
    point: tuple[State, int], data: st.DataObject
) -> None:
    state, seat = point
    legal = list(state.legal_moves(seat))
    move = data.draw(st.sampled_from(legal).flatmap(near) | GARBAGE)
    is_legal_exactly_when_listed(state, seat, move, unordered="cards")


def test_the_order_in_which_cards_are_named_does_not_matter_and_the_highest_is_written_first() -> None:
    state = table("empty B16 Y5 S24", "R6 R13", "G7 G14", "S10 S17")
    assert state.check(0, add("empty", "B16", "Y5")) == add("B16", "Y5", "empty")
    answer(state, add("Y5", "S24"))
    assert state.record["steps"][-1]["move"] == add("S24", "Y5")


def worth(state: State, tenths: int) -> list[list[str]]:
    """The bids of this total, in the order in which they are listed."""
    bids = [move["cards"] for move in state.legal_moves(state.pending[0]) if isinstance(move, dict)]
    return [cards for cards in bids if sum(map(rebuilding.tenths, cards)) == tenths]


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
    assert strict.same(legal, rebuilding.moves(decision))
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


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_all_points_of_a_whole_game_list_what_their_bounds_allow(slug: str, seats: int) -> None:
    for number in range(3):
        for state in positions(slug, seats, number):
            for seat in state.pending:
                assert strict.same(list(state.legal_moves(seat)), rebuilding.moves(state.decision(seat)))
