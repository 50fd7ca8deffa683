"""Random play of other people's games, counted like ours: only where there is a choice, and with asking for it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pyspiel
import rlcard


def goofspiel(players: int, random: Random) -> Callable[[], int]:
    """OpenSpiel's goofspiel, written in C++ and played from Python; everybody bids at once."""
    game = pyspiel.load_game("goofspiel", {"players": players})

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(state.chance_outcomes()[int(random.random() * len(state.chance_outcomes()))][0])
                continue
            moves = []
            for player in range(players):
                legal = state.legal_actions(player)
                decisions += len(legal) > 1
                moves.append(legal[int(random.random() * len(legal))])
            state.apply_actions(moves)
        return decisions

    return play


def leduc(random: Random) -> Callable[[], int]:
    """RLCard's leduc hold'em, a small poker for two, written in Python."""
    table = rlcard.make("leduc-holdem")

    def play() -> int:
        state, _ = table.reset()
        decisions = 0
        while not table.is_over():
            legal = list(state["legal_actions"])
            decisions += len(legal) > 1
            state, _ = table.step(legal[int(random.random() * len(legal))])
        return decisions

    return play
