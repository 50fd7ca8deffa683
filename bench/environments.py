"""Measure the learning environments: ``python -m bench.environments [--windows 9] [--window-s 0.5]``.

A step consists of ``last()`` with observation and mask, a random draw, and ``step()``. The loop is the same for our
environments and for the classic games of PettingZoo, all with their usual wrappers, in one run on one core.

``raw`` are our environments without wrappers. ``vector`` plays 1,024 games at once; the learner plays every seat. Both
observe and draw in the same way.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import numpy as np
from pettingzoo.classic import chess_v6, connect_four_v3, leduc_holdem_v4, texas_holdem_no_limit_v6, tictactoe_v3

from bench.rates import Contender, Rate, measure, pin_to_one_core
from bots.environments import GameVectorEnv, env, raw_env, uniform
from games.registry import GAMES

PEERS: dict[str, Callable[[], Any]] = {
    "PettingZoo tictactoe": tictactoe_v3.env,
    "PettingZoo connect_four": connect_four_v3.env,
    "PettingZoo leduc_holdem": leduc_holdem_v4.env,
    "PettingZoo texas_holdem_no_limit": texas_holdem_no_limit_v6.env,
    "PettingZoo chess": chess_v6.env,
}


def random_play(table: Any, random: Random) -> Contender:
    """A whole game, every action drawn from the mask; its parts are its steps."""
    seeds = count()

    def play() -> int:
        table.reset(seed=next(seeds))
        steps = 0
        for _ in table.agent_iter():
            seen, _, terminated, truncated, info = table.last()
            if terminated or truncated:
                table.step(None)
                continue
            mask = seen["action_mask"] if "action_mask" in seen else info["action_mask"]
            table.step(random.choice(np.flatnonzero(mask).tolist()))
            steps += 1
        return steps

    return play


def raw_play(table: Any, random: Random) -> Contender:
    """The same without wrappers."""
    seeds = count()

    def play() -> int:
        table.reset(seed=next(seeds))
        steps = 0
        while not table.terminations[agent := table.agent_selection]:
            table.step(random.choice(np.flatnonzero(table.observe(agent)["action_mask"]).tolist()))
            steps += 1
        return steps

    return play


def vector_play(games: GameVectorEnv, random: np.random.Generator) -> Contender:
    """A step of every game, each action drawn from its mask."""
    info = games.reset(seed=1)[1]

    def play() -> int:
        nonlocal info
        *_, info = games.step(uniform(None, info["action_mask"], random))
        return games.num_envs

    return play


def show(rates: dict[str, Rate]) -> None:
    print(f"{'Random play':34}  {'Games/s':>8}  {'Steps/s':>8}  {'µs/step':>9}  Spread")
    for name, rate in rates.items():
        print(f"{name:34}  {rate.things_s:8.1f}  {rate.parts_s:8,.0f}  {1e6 / rate.parts_s:9.0f}  {rate.spread:6.0%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--windows", type=int, default=9, help="number of windows per median (default: %(default)s)")
    parser.add_argument("--window-s", type=float, default=0.5, help="CPU seconds per window (default: %(default)s)")
    options = parser.parse_args()
    random = Random(1)
    formats = [(slug, seats) for slug, game in GAMES.items() for seats in game.seat_counts]
    tables: dict[str, Any] = {f"{slug} {seats}": env(slug, seats) for slug, seats in formats}
    tables |= {name: make() for name, make in PEERS.items()}
    print(f"core {pin_to_one_core()}, medians of {options.windows} windows of {options.window_s} s CPU time\n")
    contenders = {name: random_play(table, random) for name, table in tables.items()}
    for slug, seats in formats:
        contenders[f"raw {slug} {seats}"] = raw_play(raw_env(slug, seats), random)
        games = GameVectorEnv(slug, seats=seats, opponents=None)
        contenders[f"vector {slug} {seats}"] = vector_play(games, np.random.default_rng(1))
    show(measure(contenders, options.windows, options.window_s))


if __name__ == "__main__":
    main()
