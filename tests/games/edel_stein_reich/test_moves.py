"""A fair draw of every kind of move. What all games share is in ``test_moves.py`` above."""

from __future__ import annotations

import json
from math import sqrt
from random import Random

import pytest

from games.registry import GAMES
from games.rules import State
from tests.games.edel_stein_reich.tables import answer, choose, duel, offer, table
from tests.games.play import seed_of


def opening() -> State:
    """An opener with three gems of each color."""
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
