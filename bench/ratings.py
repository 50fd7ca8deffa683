"""Measure the estimates of a large season on one core: the fit, and the fit with the bootstrap.

``python -m bench.ratings [--versions 10000] [--seats 4] [--results 1000000]``: seat results in blocks, with ties in 10%
of the games and opponents of mostly similar strength.
"""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from collections.abc import Callable
from time import process_time
from typing import TypeVar

import numpy as np

from bench.rates import pin_to_one_core
from bots.tournaments.seatings import seatings
from ladder.ratings.bootstrap import REPLICATES, estimate
from ladder.ratings.plackett_luce import POINTS, GameResults, Likelihood, fit

FIT_S, ALL_S = 10, 60
NEAR = 300
"""The scale of the Cauchy distribution of places between opponents."""

Got = TypeVar("Got")


def season(versions: int, seats: int, results: int) -> GameResults:
    """Games of versions with known strengths, in blocks."""
    random = np.random.default_rng(1)
    strengths = np.sort(random.normal(0, 200 / POINTS, versions))
    orders = np.array(seatings(seats))
    tables = np.resize(np.arange(versions), (results // seats // len(orders), 1))
    while tables.shape[1] < seats:
        distance = np.rint(NEAR * random.standard_cauchy((len(tables), 1))).astype(np.int64)
        tables = np.hstack([tables, (tables[:, :1] + distance) % versions])
    tables = tables[[len(set(table)) == seats for table in tables.tolist()]]
    sitting = tables[:, orders].reshape(-1, seats)
    ranks = 1 + np.argsort(np.argsort(-(strengths[sitting] + random.gumbel(size=sitting.shape)), axis=1), axis=1)
    tied = random.random(len(ranks)) < 0.1
    ranks[tied] = np.maximum(ranks[tied], 2)
    return GameResults(versions, sitting, ranks, np.repeat(np.arange(len(tables)), len(orders)))


def timed(what: str, goal_s: float, act: Callable[[], Got]) -> Got:
    """Do it, and print the processor time that it took."""
    began = process_time()
    got = act()
    print(f"{what:40} {process_time() - began:6.2f} s   (goal: {goal_s} s)", flush=True)
    return got


def main() -> None:
    """Parse the command line, measure, print."""
    parser = argparse.ArgumentParser(description="The time of estimates, on one core.")
    parser.add_argument("--versions", type=int, default=10_000)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--results", type=int, default=1_000_000, help="seat results")
    options = parser.parse_args()
    pin_to_one_core()
    games = season(options.versions, options.seats, options.results)
    print(f"{games.seats.size} seat results in {games.block_count} blocks over {games.versions} versions")
    timed("the fit alone", FIT_S, lambda: fit(Likelihood(games)))
    timed(f"with {REPLICATES} replicates, as they are kept", ALL_S, lambda: list(estimate(games, 1).rows()))


if __name__ == "__main__":
    main()
