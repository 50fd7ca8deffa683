"""What is legal: one list, one order, one judge, and a fair draw (record.md "Decisions", views.md "Decision")."""

from __future__ import annotations

import json
from math import sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.registry import GAMES
from games.rules import State
from tests.games.edel_stein_reich import rebuilding
from tests.games.edel_stein_reich.tables import TABLES, answer, choose, duel, offer, table
from tests.games.playing import played, positions, seed_of
from tests.games.trying import is_legal_exactly_when_listed, near


@st.composite
def decision_points(draw: st.DrawFn) -> tuple[State, int]:
    """A position somewhere in a random game, and a seat that is asked."""
    slug, seats = draw(st.sampled_from(TABLES))
    state = played(slug, seats, draw(st.integers(0, 10**9)), moves=draw(st.integers(0, 60)), defaults=0.1)
    return state, draw(st.sampled_from(state.pending))


@settings(max_examples=150, deadline=None)
@given(decision_points())
def test_the_legal_moves_are_those_the_bounds_allow_in_their_order(point: tuple[State, int]) -> None:
    state, seat = point
    decision, legal = state.decision(seat), list(state.legal_moves(seat))
    assert strict.same(legal, rebuilding.moves(decision))
    assert strict.same(decision["legal"], legal if len(legal) <= 64 else None)
    assert decision["default"] == state.default_move(seat) == legal[0]
    assert len(legal) > 1


@settings(max_examples=100, deadline=None)
@given(decision_points())
def test_every_listed_move_is_accepted_and_canonical_and_stands_once(point: tuple[State, int]) -> None:
    state, seat = point
    legal = list(state.legal_moves(seat))
    assert all(strict.same(state.check(seat, move), move) for move in legal)
    assert len({json.dumps(move) for move in legal}) == len(legal)


WORDS = ["money", "gems", "decline", "accept", "apply", "blind", "R", "", "free_choice", "pass"]
COLOUR = st.sampled_from([*"RYGB", "X", "RR", 0, None])
GARBAGE = st.one_of(
    st.sampled_from(WORDS),
    st.fixed_dictionaries({"offer": st.lists(st.integers(-1, 6), min_size=3, max_size=5)}),
    st.fixed_dictionaries({"gift": COLOUR}),
    st.fixed_dictionaries({"colour": COLOUR}),
    st.fixed_dictionaries({"give": COLOUR, "seat": st.integers(-1, 5), "take": COLOUR}),
    st.fixed_dictionaries({"take": st.dictionaries(st.sampled_from([*"01234", 1]), COLOUR, max_size=5)}),
    st.fixed_dictionaries({"take": st.lists(COLOUR, max_size=3)}, optional={"give": COLOUR}),
    st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists, max_leaves=5),
)


@settings(max_examples=400, deadline=None)
@given(decision_points(), st.data())
def test_a_move_is_legal_exactly_when_it_is_listed_and_an_illegal_one_changes_nothing(
    point: tuple[State, int], data: st.DataObject
) -> None:
    state, seat = point
    legal = list(state.legal_moves(seat))
    move = data.draw(st.sampled_from(legal).flatmap(near) | GARBAGE)
    is_legal_exactly_when_listed(state, seat, move, unordered="take")


@settings(max_examples=100, deadline=None)
@given(decision_points(), st.integers(0, 10**9))
def test_a_random_move_is_a_legal_move(point: tuple[State, int], number: int) -> None:
    state, seat = point
    legal = [json.dumps(move) for move in state.legal_moves(seat)]
    random = Random(number)
    assert all(json.dumps(state.random_move(seat, random)) in legal for _ in range(20))


def opening() -> State:
    """An opener with three gems of each colour."""
    state = table(3)
    choose(state, "money", "money", "gems")
    return state


def answering(standing: str) -> State:
    """Somebody answers ``standing`` out of two gems of each colour."""
    state = table(3, {0: "RR" + standing, 1: "RRYYGGBB"}, age_order=[0, 1, 2])
    choose(state, "money", "money", "gems")
    answer(state, offer(standing))
    return state


def deciding(card: str) -> State:
    state = duel({0: "RRYGB", 1: "YYGB"}, display=card)
    answer(state, "event", "money", "gems", "face_up")
    return state


def alone_on_free_choice() -> State:
    state = table(5, {0: "RRYG"})
    choose(state, "free_choice", "money", "money", "money", "gems")
    return state


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(GAMES["edel-stein-reich"].new(5, seed_of(1)), id="action"),
        pytest.param(opening(), id="opening"),
        pytest.param(answering("B"), id="low standing offer"),
        pytest.param(answering("GB"), id="middling standing offer"),
        pytest.param(answering("GGBBB"), id="high standing offer"),
        pytest.param(answering("YYGGBB"), id="hardly to be topped"),
        pytest.param(deciding("swap"), id="swap"),
        pytest.param(deciding("rob"), id="rob"),
        pytest.param(deciding("three"), id="three"),
        pytest.param(alone_on_free_choice(), id="free choice"),
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
    kinds = set()
    for number in range(3):
        for state in positions(slug, seats, number):
            for seat in state.pending[:1]:
                decision = state.decision(seat)
                kinds.add(decision["kind"])
                assert strict.same(list(state.legal_moves(seat)), rebuilding.moves(decision))
    assert len(kinds) >= 6
