"""How fast the games are: ``python -m bench.engine [--windows 9] [--window-s 0.5]``.

A decision is a point with at least two legal moves that a player answers; forced moves and chance are done along the
way and do not count. One decision is asking for it (the bounds, or the whole document a bot is sent), a uniformly drawn
move and applying it. The same count holds for the peers, OpenSpiel (C++) and RLCard (Python), in the same run.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import count, cycle
from random import Random

from bench.measuring import Contender, Rate, measure, pin_to_one_core
from bench.peers import goofspiel, leduc
from games.base import Game, State
from games.record import replay, to_json, verify
from games.registry import GAMES

RECORDS = 50


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


def finished(seats: int, number: int, moves: int = 10**6) -> State:
    """A random game after so many moves, or at its end."""
    state, random = GAMES["edel-stein-reich"].new(seats, number.to_bytes(32, "big")), Random(number)
    while state.pending and moves:
        state.play(state.pending[0], state.random_move(state.pending[0], random))
        moves -= 1
    return state


def repeated(function: Callable[[State], object], states: list[State]) -> Contender:
    """``function`` of one state after the other."""
    turn = cycle(states)

    def once() -> int:
        function(next(turn))
        return 1

    return once


def executed_again(check: Callable[[dict], object]) -> Contender:
    """Four-seat records, decoded beforehand, one after the other; a record's parts are its steps."""
    records = cycle([json.loads(to_json(finished(4, number).record)) for number in range(RECORDS)])

    def once() -> int:
        record = next(records)
        check(record)
        return len(record["steps"])

    return once


def contenders() -> dict[str, Contender]:
    """Everything that is measured, in the order in which it is shown."""
    random = Random(1)
    tables = [(game, seats) for game in GAMES.values() for seats in game.seat_counts]
    return {
        **{f"{game.slug} {seats}": random_play(game, seats, random) for game, seats in tables},
        **{f"{game.slug} {seats}, documents": asked_play(game, seats, random) for game, seats in tables},
        "OpenSpiel goofspiel 4": goofspiel(4, random),
        "OpenSpiel goofspiel 3": goofspiel(3, random),
        "RLCard leduc-holdem 2": leduc(random),
    }


def show_play(rates: dict[str, Rate]) -> None:
    spiel, card = rates["OpenSpiel goofspiel 4"].parts_s, rates["RLCard leduc-holdem 2"].parts_s
    print(
        f"{'random legal play':42}  {'games/s':>8}  {'decisions/s':>11}  {'÷ OpenSpiel':>11}  {'÷ RLCard':>8}  spread"
    )
    for name, rate in rates.items():
        print(
            f"{name:42}  {rate.things_s:8,.0f}  {rate.parts_s:11,.0f}  {rate.parts_s / spiel:11.2f}"
            f"  {rate.parts_s / card:8.1f}  {rate.spread:6.0%}"
        )


def show_rest(rates: dict[str, Rate]) -> None:
    print(f"\n{'State.copy(), four seats, middle of a game':42}  {1e6 / rates['copy'].things_s:8.2f} µs")
    for name, words in (("replay", "without"), ("verify", "with")):
        title = f"re-execution of records, {words} the seed"
        print(f"{title:42}  {rates[name].things_s:8,.0f} records/s  {rates[name].parts_s:11,.0f} steps/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, default=9, help="how many windows the medians are of")
    parser.add_argument("--window-s", type=float, default=0.5, help="seconds of processor time a window")
    options = parser.parse_args()
    print(f"core {pin_to_one_core()}, medians of {options.windows} windows of {options.window_s} s of processor time\n")
    show_play(measure(contenders(), options.windows, options.window_s))
    middles = [finished(4, number, moves=60) for number in range(RECORDS)]
    show_rest(
        measure(
            {
                "copy": repeated(lambda state: state.copy(), middles),
                "replay": executed_again(replay),
                "verify": executed_again(verify),
            },
            options.windows,
            options.window_s,
        )
    )


if __name__ == "__main__":
    main()
