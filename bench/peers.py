"""Contenders for the games of other libraries: random play, counted like ours.

Only decisions with a choice count, including the request for the legal moves. ``python -m bench.peers`` is a worker.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import numpy as np
import open_spiel.python.games  # noqa: F401 (registers the games written in Python)
import pyspiel
import rlcard
from pettingzoo.classic import connect_four_v3, leduc_holdem_v4, tictactoe_v3

from bench.rates import Contender
from bench.workers import serve

GOOFSPIEL = "OpenSpiel goofspiel"
CLONE = f"{GOOFSPIEL} 4, clone"
IN_PYTHON = (
    "python_tic_tac_toe",
    "python_kuhn_poker",
    "python_liars_poker",
    "python_iterated_prisoners_dilemma",
    "python_block_dominoes",
)
"""Games that OpenSpiel has written in Python."""

RLCARD = ("leduc-holdem", "limit-holdem", "blackjack", "uno")
PETTING_ZOO: dict[str, Callable[[], Any]] = {
    "tictactoe": tictactoe_v3.env,
    "connect_four": connect_four_v3.env,
    "leduc_holdem": leduc_holdem_v4.env,
}


def drawn(legal: list[int], random: Random) -> int:
    return legal[int(random.random() * len(legal))]


def by_chance(state: Any, random: Random) -> int:
    """A chance outcome, drawn as it is likely."""
    outcomes, left = state.chance_outcomes(), random.random()
    for action, likely in outcomes:
        left -= likely
        if left < 0:
            return action
    return outcomes[-1][0]


def spiel(name: str, random: Random, **parameters: int) -> Contender:
    """A game of OpenSpiel's, in C++ or Python, played from Python."""
    game = pyspiel.load_game(name, parameters)
    players = range(game.num_players())

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(by_chance(state, random))
                continue
            if not state.is_simultaneous_node():
                legal = state.legal_actions()
                decisions += len(legal) > 1
                state.apply_action(drawn(legal, random))
                continue
            moves = []
            for player in players:
                legal = state.legal_actions(player)
                decisions += len(legal) > 1
                moves.append(drawn(legal, random))
            state.apply_actions(moves)
        return decisions

    return play


def clone(random: Random) -> Contender:
    """One copy of a goofspiel of four in its middle."""
    state = pyspiel.load_game("goofspiel", {"players": 4}).new_initial_state()
    for _ in range(6):
        state.apply_actions([drawn(state.legal_actions(player), random) for player in range(4)])

    def once() -> int:
        state.clone()
        return 1

    return once


def rlcard_play(name: str, random: Random) -> Contender:
    """A game of RLCard's, written in Python."""
    table = rlcard.make(name)

    def play() -> int:
        state, _ = table.reset()
        decisions = 0
        while not table.is_over():
            legal = list(state["legal_actions"])
            decisions += len(legal) > 1
            state, _ = table.step(drawn(legal, random))
        return decisions

    return play


def petting_zoo_play(table: Any, random: Random) -> Contender:
    """A game of PettingZoo's with its usual wrappers."""
    seeds = count()

    def play() -> int:
        table.reset(seed=next(seeds))
        decisions = 0
        for _ in table.agent_iter():
            seen, _, terminated, truncated, _ = table.last()
            if terminated or truncated:
                table.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"]).tolist()
            decisions += len(legal) > 1
            table.step(drawn(legal, random))
        return decisions

    return play


def contenders() -> dict[str, Contender]:
    """Every peer, the library's name first."""
    random = Random(1)
    return {
        **{f"{GOOFSPIEL} {players}": spiel("goofspiel", random, players=players) for players in (4, 3)},
        CLONE: clone(random),
        **{f"OpenSpiel {name}": spiel(name, random) for name in IN_PYTHON},
        **{f"RLCard {name}": rlcard_play(name, random) for name in RLCARD},
        **{f"PettingZoo {name}": petting_zoo_play(make(), random) for name, make in PETTING_ZOO.items()},
    }


if __name__ == "__main__":
    serve(contenders())
