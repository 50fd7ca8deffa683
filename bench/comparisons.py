"""Measure how many games a version comparison takes and how often it errs, with the spread of real blocks.

``python -m bench.comparisons [--blocks 60] [--runs 1000]``: house bots play the blocks of a comparison in this process.
The two bots of a pair play the same deals against the same opponents. The bench then simulates comparisons. It draws
from the differences of these blocks and their mirror images, weighted by ``exp(tilt · difference)``. The tilt sets
their mean to the difference between the two versions. The test is the site's own (``ladder/ratings/sprt.py``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from math import exp, sqrt
from random import Random
from statistics import fmean
from time import perf_counter

from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from bots.tournaments.seatings import seatings
from ladder.ratings.scores import beaten
from ladder.ratings.sprt import Hypotheses, TestVerdict, walk

TABLES = (
    ("edel-stein-reich-duel", ("haggler", "gambler"), ("greedy",)),
    ("edel-stein-reich", ("haggler", "stickler"), ("greedy", "miser", "gambler")),
    ("die-weinhaendler", ("vintner", "gleaner"), ("cellarman", "squire", "random")),
)
"""Games, the two bots that are compared there, and their opponents."""

MARGINS = (0.02, 0.05, 0.1)
DIFFERENCES = (-0.3, -0.17, -0.1, -0.05, 0.0, 0.025, 0.05, 0.1, 0.17, 0.3)
MOST_BLOCKS = 300
"""As ``settings.MAX_COMPARISON_BLOCKS``: the site stops there without a decision."""

_STEEPEST, _FLAT = 200.0, 1e-6

Draw = Callable[[Random], float]


@dataclass(frozen=True)
class World:
    """A spread of differences: ``draw(mean)`` draws one of that mean, up to ``most``.

    ``games`` is the size of both sides of a block.
    """

    name: str
    games: int
    draw: Callable[[float], Draw]
    most: float = 1.0


@dataclass(frozen=True)
class Runs:
    """What simulated comparisons have come to: shares of the verdicts, and the mean number of blocks."""

    better: float
    not_better: float
    blocks: float


def real_differences(game: str, pair: Sequence[str], opponents: Sequence[str], blocks: int) -> list[float]:
    """By block, how much more the first of ``pair`` scored than the second on the same deal."""
    makers = {name: load(HOUSE[name]) for name in (*pair, *opponents)}

    def score(name: str, seed: bytes) -> float:
        table, scores = (name, *opponents), []
        for order in seatings(len(table)):
            bots = [(HOUSE[table[place]], makers[table[place]]) for place in order]
            ranks = play_inside(game, bots, seed)["ranks"]
            scores.append(beaten(ranks[order.index(0)], ranks))
        return fmean(scores)

    seeds = [sha256(f"comparison/{number}".encode()).digest() for number in range(blocks)]
    return [score(pair[0], seed) - score(pair[1], seed) for seed in seeds]


def of_blocks(name: str, games: int, differences: Sequence[float]) -> World:
    """The spread of real blocks."""
    both = sorted([*differences, *(-difference for difference in differences)])

    def weights(tilt: float) -> list[float]:
        return [exp(tilt * value) for value in both]

    def draw(mean: float) -> Draw:
        low, high = -_STEEPEST, _STEEPEST
        while high - low > _FLAT:
            middle = (low + high) / 2
            low, high = (middle, high) if _mean(both, weights(middle)) < mean else (low, middle)
        sums = list(accumulate(weights(low)))
        return lambda random: random.choices(both, cum_weights=sums)[0]

    return World(name, games, draw)


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return fmean(values, weights)


def seldom(rate: float) -> World:
    """Versions that do the same but in one block of ``1/rate``."""

    def draw(mean: float) -> Draw:
        return lambda random: mean / rate if random.random() < rate else 0.0

    return World(f"differ in 1 of {round(1 / rate)} blocks", 8, draw, most=rate)


def lopsided(rate: float) -> World:
    """One version wins everything in one block of ``1/rate`` and is slightly behind in all others."""

    def draw(mean: float) -> Draw:
        return lambda random: 1.0 if random.random() < rate else (mean - rate) / (1 - rate)

    return World(f"all or little, 1 of {round(1 / rate)}", 8, draw)


def runs(world: World, mean: float, margin: float, number: int) -> Runs:
    """Simulate ``number`` comparisons of versions that differ by ``mean``."""
    random, draw = Random(f"{world.name}/{mean}/{margin}"), world.draw(mean)

    def endless() -> Iterator[float]:
        for _ in range(MOST_BLOCKS):
            yield draw(random)

    walks = [walk(endless(), Hypotheses(margin)) for _ in range(number)]
    return Runs(
        better=sum(ended.verdict is TestVerdict.BETTER for ended in walks) / number,
        not_better=sum(ended.verdict is TestVerdict.NOT_BETTER for ended in walks) / number,
        blocks=fmean(len(ended.ratios) for ended in walks),
    )


def show_games(world: World, number: int) -> None:
    """Print games until the end of a comparison, a line a margin, a column a difference."""
    print(f"\n{world.name}: mean games per comparison ({world.games} games per block, up to {MOST_BLOCKS} blocks)")
    print("Margin    Difference " + "".join(f"{100 * difference:+7.1f}" for difference in DIFFERENCES))
    for margin in MARGINS:
        blocks = [world.games * runs(world, difference, margin, number).blocks for difference in DIFFERENCES]
        print(f"{100 * margin:6.0f}               " + "".join(f"{number:7.0f}" for number in blocks), flush=True)


def show_errors(worlds: Sequence[World], number: int) -> None:
    """Print how often equal versions are called better and better ones are not, a line a world and margin."""
    print(f"\nErrors in {number} runs (limit: 5.0%; undecided after {MOST_BLOCKS} blocks is not an error)")
    print(f"{'Differences from':34}{'Margin':>7}{'False better':>14}{'Missed':>8}{'Undecided':>11}")
    for world in worlds:
        for margin in MARGINS[1:]:
            if margin > world.most:
                continue
            equal, better = runs(world, 0.0, margin, number), runs(world, margin, margin, number)
            undecided = 1 - (equal.better + equal.not_better + better.better + better.not_better) / 2
            print(
                f"{world.name:34}{100 * margin:7.0f}{equal.better:14.1%}{better.not_better:8.1%}{undecided:11.1%}",
                flush=True,
            )


def main() -> None:
    """Parse the command line, play, simulate, print."""
    parser = argparse.ArgumentParser(description="Measure the length and the error rate of version comparisons.")
    parser.add_argument("--blocks", type=int, default=60, help="number of real blocks per game (default: 60)")
    parser.add_argument(
        "--runs", type=int, default=1000, help="number of simulated comparisons per figure (default: 1000)"
    )
    options = parser.parse_args()
    worlds = []
    for game, pair, opponents in TABLES:
        began, games = perf_counter(), 2 * len(seatings(1 + len(opponents)))
        differences = real_differences(game, pair, opponents, options.blocks)
        world = of_blocks(f"{game}, {1 + len(opponents)} seats", games, differences)
        worlds.append(world)
        spread = sqrt(fmean(difference**2 for difference in differences))
        print(f"{world.name}: {pair[0]} scores {100 * fmean(differences):+.1f} points against {pair[1]};", end=" ")
        print(
            f"standard deviation per block {spread:.2f} ({options.blocks} blocks, {perf_counter() - began:.0f} s)",
            flush=True,
        )
    for world in worlds:
        show_games(world, options.runs)
    show_errors([*worlds, seldom(0.1), seldom(0.05), lopsided(0.1)], options.runs)


if __name__ == "__main__":
    main()
