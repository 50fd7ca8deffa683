"""Legal moves of every game: one list, one order, one judge (record.md "Decisions", views.md "Decision")."""

from __future__ import annotations

import json
import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import strict
from games.registry import GAMES
from games.rules import State
from tests.games.comparison import Played, play_one
from tests.games.play import TABLES, positions, seed_of
from tests.games.suites import SUITES
from tests.games.trials import is_legal_exactly_when_listed, near


@st.composite
def decision_points(draw: st.DrawFn) -> tuple[State, int]:
    """A position somewhere in a game of some temper, and a seat that is asked."""
    slug, seats = draw(st.sampled_from(TABLES))
    tempers, number = SUITES[slug].tempers, draw(st.integers(0, 10**9))
    temper, random = tempers[draw(st.sampled_from(sorted(tempers)))], Random(number)
    state = GAMES[slug].new(seats, seed_of(number))
    gone: set[int] = set()
    for _ in range(draw(st.integers(0, 60))):
        twin = state.copy()
        play_one(Played(twin), random.choice(twin.pending), temper, gone, random)
        if not twin.pending:
            break
        state = twin
    return state, draw(st.sampled_from(state.pending))


@settings(max_examples=250, deadline=None)
@given(decision_points())
def test_the_legal_moves_are_those_the_bounds_allow_in_their_order(point: tuple[State, int]) -> None:
    state, seat = point
    decision, legal = state.decision(seat), list(state.legal_moves(seat))
    assert strict.same(legal, SUITES[state.rules.slug].moves(decision))
    assert strict.same(decision["legal"], legal if len(legal) <= 64 else None)
    assert decision["default"] == state.default_move(seat) == legal[0]
    assert len(legal) > 1
    assert all(strict.same(state.check(seat, move), move) for move in legal)
    assert len({json.dumps(move) for move in legal}) == len(legal)


@settings(max_examples=600 if os.environ.get("HYPOTHESIS_PROFILE") == "new-examples" else 200, deadline=None)
@given(decision_points(), st.data())
def test_a_move_is_legal_exactly_when_it_is_listed_and_an_illegal_one_changes_nothing(
    point: tuple[State, int], data: st.DataObject
) -> None:
    state, seat = point
    suite = SUITES[state.rules.slug]
    move = data.draw(st.sampled_from(list(state.legal_moves(seat))).flatmap(near) | suite.garbage)
    is_legal_exactly_when_listed(state, seat, move, unordered=suite.unordered)


@settings(max_examples=100, deadline=None)
@given(decision_points(), st.integers(0, 10**9))
def test_a_random_move_is_a_legal_move(point: tuple[State, int], number: int) -> None:
    state, seat = point
    legal = [json.dumps(move) for move in state.legal_moves(seat)]
    random = Random(number)
    assert all(json.dumps(state.random_move(seat, random)) in legal for _ in range(20))


@pytest.mark.parametrize(("slug", "seats"), TABLES)
def test_all_points_of_a_whole_game_list_what_their_bounds_allow(slug: str, seats: int) -> None:
    kinds = set()
    for number in range(3):
        for state in positions(slug, seats, number):
            for seat in state.pending[:1]:
                decision = state.decision(seat)
                kinds.add(decision["kind"])
                assert strict.same(list(state.legal_moves(seat)), SUITES[slug].moves(decision))
    assert len(kinds) >= min(6, len(GAMES[slug].schema("decision")["oneOf"]))
