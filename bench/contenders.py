"""Contenders for our games, in Python: ``python -m bench.contenders`` is a worker.

``bench.record_contenders`` has those that the accelerator can take over.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count, cycle
from random import Random

from bench.rates import Contender
from bench.workers import serve
from games.game import Game
from games.record import replay, to_json
from games.registry import GAMES
from games.rules import State

RECORDS = 40
MIDDLE = 60
"""So many moves into a game, a copy is measured."""

TABLES = [(game, seats) for game in GAMES.values() for seats in game.seat_counts]
FOUR_SEATS = [game for game in GAMES.values() if 4 in game.seat_counts]


def random_play(game: Game, seats: int, random: Random) -> Contender:
    """A whole game, every move drawn from the bounds."""
    numbers = count()

    def play() -> int:
        state, decisions = game.new(seats, next(numbers).to_bytes(32, "big")), 0
        while pending := state.pending:
            for seat in pending:
                state.play(seat, state.random_move(seat, random))
                decisions += 1
        return decisions

    return play


def asked_play(game: Game, seats: int, random: Random) -> Contender:
    """The same, but everybody is first handed the decision document, its list of legal moves included."""
    numbers = count()

    def play() -> int:
        state, decisions = game.new(seats, next(numbers).to_bytes(32, "big")), 0
        while pending := state.pending:
            for seat in pending:
                legal = state.decision(seat)["legal"]
                move = legal[int(random.random() * len(legal))] if legal else state.random_move(seat, random)
                state.play(seat, move)
                decisions += 1
        return decisions

    return play


def played(game: Game, number: int, moves: int = 10**6) -> State:
    """A random game of four after so many moves, or at its end."""
    state, random = game.new(4, number.to_bytes(32, "big")), Random(number)
    while state.pending and moves:
        state.play(state.pending[0], state.random_move(state.pending[0], random))
        moves -= 1
    return state


def copied(game: Game) -> Contender:
    """One copy of a state in the middle of a game of four."""
    states = cycle([played(game, number, MIDDLE) for number in range(RECORDS)])

    def once() -> int:
        next(states).copy()
        return 1

    return once


def executed_again(game: Game, check: Callable[[dict], object]) -> Contender:
    """A four-seat record, decoded beforehand; its parts are its steps."""
    records = cycle([json.loads(to_json(played(game, number).record)) for number in range(RECORDS)])

    def once() -> int:
        record = next(records)
        check(record)
        return len(record["steps"])

    return once


def contenders() -> dict[str, Contender]:
    """Everything that is measured, in the order in which it is shown."""
    random = Random(1)
    return {
        **{f"{game.slug} {seats}": random_play(game, seats, random) for game, seats in TABLES},
        **{f"{game.slug} {seats}, documents": asked_play(game, seats, random) for game, seats in TABLES},
        **{f"{game.slug} 4, copy": copied(game) for game in FOUR_SEATS},
        **{f"{game.slug} 4, replay": executed_again(game, replay) for game in FOUR_SEATS},
    }


if __name__ == "__main__":
    serve(contenders())
