"""Measure the temperatures of the levels: ``python -m bots.environments.training.levels``.

The highest level has a fixed temperature. Going down, each level gets the temperature with which the level above wins a
certain share of their games. The result replaces ``bots/house/level/temperatures.py``, and a table shows every level
against the one below for every number of seats.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from runpy import run_path
from typing import Final

import numpy as np

from bots.environments.training.evaluation import BatchNetwork
from bots.environments.vector import Actions, BatchPolicy, GameVectorEnv, Masks, Numbers
from bots.house.catalogue import HERE, HOUSE, LEVELS
from bots.intervals import Mean, bounded
from games.registry import GAMES

HIGHEST: Final = 0.5
"""The temperature of the highest level."""

WINS: Final = {2: 0.65, 3: 1.45 / 3}
"""Share of the win of a level against copies of the one below, by number of seats."""

GAMES_AT_ONCE: Final = 512
ROUNDS: Final = 2
"""Times that ``GAMES_AT_ONCE`` games are played for one share."""

BISECTIONS: Final = 6
RANGE: Final = (HIGHEST, 100.0)
"""Bounds of temperatures."""

FILE: Final = HERE / "level" / "temperatures.py"


def known_temperatures() -> dict[str, tuple[float, ...]]:
    """Return the temperatures of the levels by game, the lowest level first."""
    known: dict[str, tuple[float, ...]] = run_path(str(FILE))["TEMPERATURES"]
    return known


def policy(network: BatchNetwork, seats: int, temperature: float) -> BatchPolicy:
    """Return the policy of a level."""

    def choose(observations: Numbers, masks: Masks, random: np.random.Generator) -> Actions:
        logits = network.logits(seats, observations)[:, : masks.shape[1]]
        noise = temperature * random.gumbel(size=logits.shape)
        actions: Actions = np.where(masks, logits + noise, -np.inf).argmax(axis=1)
        return actions

    return choose


def share(network: BatchNetwork, seats: int, own: float, others: float) -> Mean:
    """Return the mean share of the win of a player with temperature ``own`` against others."""
    shares: list[float] = []
    choose, random = policy(network, seats, own), np.random.default_rng(1)
    env = GameVectorEnv(network.game, GAMES_AT_ONCE, seats, opponents=policy(network, seats, others))
    for seed in range(ROUNDS):
        observations, info = env.reset(seed=seed)
        playing = np.ones(GAMES_AT_ONCE, np.bool_)
        while playing.any():
            seat = info["seat"]
            observations, _, ended, _, info = env.step(choose(observations, info["action_mask"], random))
            over = np.flatnonzero(playing & ended)
            shares += info["wins"][over, seat[over]].tolist() if len(over) else []
            playing[over] = False
    return bounded(shares)


def measured_temperatures(network: BatchNetwork) -> tuple[float, ...]:
    """Return the temperatures of the levels of a game, the lowest level first."""
    seats = min(GAMES[network.game].seat_counts)
    found = [HIGHEST]
    for _ in range(len(LEVELS) - 1):
        low, high = found[0], RANGE[1]
        for _ in range(BISECTIONS):
            middle = (low * high) ** 0.5
            if share(network, seats, found[0], middle).value < WINS[seats]:
                low = middle
            else:
                high = middle
        found.insert(0, float(f"{(low * high) ** 0.5:.3g}"))
    return tuple(found)


def show(network: BatchNetwork, values: Sequence[float]) -> None:
    """Print how each level plays against the one below."""
    for seats in GAMES[network.game].seat_counts:
        for level in range(2, len(values) + 1):
            wins = share(network, seats, values[level - 1], values[level - 2])
            print(
                f"{network.game} {seats} seats: level {level} wins {wins.value:.1%} ({wins.low:.1%}-{wins.high:.1%})"
                f" against level {level - 1}, {wins.value * seats:.2f} times its share",
                flush=True,
            )


def main() -> None:
    """Measure, write and show."""
    parser = argparse.ArgumentParser(prog="python -m bots.environments.training.levels", description=__doc__)
    parser.add_argument("--only-show", action="store_true", help="measure the levels as they are")
    only_show = parser.parse_args().only_show
    text, values = FILE.read_text(encoding="utf-8"), known_temperatures()
    start = text.index("TEMPERATURES = ")
    for game in HOUSE[LEVELS[1]].games:
        network = BatchNetwork.load(HERE / "level" / f"{game}.safetensors", game)
        if not only_show:
            values[game] = measured_temperatures(network)
            lines = (f'    "{game}": ({", ".join(map(str, numbers))}),\n' for game, numbers in values.items())
            FILE.write_text(text[:start] + "TEMPERATURES = {\n" + "".join(lines) + "}\n", encoding="utf-8")
        show(network, values[game])


if __name__ == "__main__":
    main()
