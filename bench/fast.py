"""Contenders of the accelerator (``games.fast``): ``python -m bench.fast`` is a worker."""

from __future__ import annotations

from random import Random

import numpy as np

from bench.rates import Contender
from bench.workers import serve
from games.fast.batch import Batch, SingleGame
from games.fast.library import FAMILIES
from games.registry import GAMES

AT_ONCE = 1024
"""Games per batch."""

BATCH, CALLS, COPY = "accelerator, batch", "accelerator, one call per action", "accelerator, copy of 1,024 games"
STEPS = "accelerator, steps of 1,024 games"
"""What is measured of each format."""

FORMATS = [(slug, seats) for slug in FAMILIES for seats in GAMES[slug].seat_counts]


def dealt(slug: str, seats: int, count: int, random: np.random.Generator) -> Batch:
    return Batch(slug, seats, random.integers(0, 256, (count, 32), dtype=np.uint8))


def batch_play(slug: str, seats: int, random: np.random.Generator) -> Contender:
    """Deal a batch of games and play them to their ends in C."""

    def play() -> int:
        batch = dealt(slug, seats, AT_ONCE, random)
        return int(batch.playouts(random.integers(0, 2**64, AT_ONCE, dtype=np.uint64)).sum())

    return play


def called_play(slug: str, seats: int, random: np.random.Generator) -> Contender:
    """Play a whole game, every action drawn in Python. Games are dealt in batches.

    A decision begins where no action of the move has been chosen yet.
    """
    draw = Random(1).random
    games: list[tuple[int, SingleGame, memoryview]] = []

    def play() -> int:
        if not games:
            batch = dealt(slug, seats, AT_ONCE, random)
            chosen = memoryview(batch.fields["chosen_count"])
            games.extend((number, batch.single(number), chosen) for number in range(AT_ONCE))
        number, game, chosen = games.pop()
        act, options, count, decisions = game.act, game.options, game.refresh(), 0
        while count:
            decisions += not chosen[number]
            count = act(options[int(draw() * count)])
        return decisions

    return play


def stepped(slug: str, seats: int, random: np.random.Generator) -> Contender:
    """Step a batch once, with masks and observations as learners need them, and replace finished games.

    NumPy draws the actions: the legal ones have random numbers, and the greatest is taken.
    """
    batch = dealt(slug, seats, AT_ONCE, random)
    noise = random.random((AT_ONCE, batch.actions), dtype=np.float32)

    def step() -> int:
        shift = int(random.integers(batch.actions))
        batch.observations()
        batch.step(np.where(batch.masks(), np.roll(noise, shift), 0).argmax(axis=1))
        finished = np.flatnonzero(batch.done)
        batch.deal(finished, random.integers(0, 256, (len(finished), 32), dtype=np.uint8))
        return AT_ONCE

    return step


def copied(slug: str, seats: int, random: np.random.Generator) -> Contender:
    """Copy a batch. Its parts are the copied games."""
    batch = dealt(slug, seats, AT_ONCE, random)

    def copy() -> int:
        return len(batch.copy())

    return copy


def contenders() -> dict[str, Contender]:
    random = np.random.default_rng(1)
    return {
        f"{slug} {seats}, {name}": make(slug, seats, random)
        for name, make in ((BATCH, batch_play), (CALLS, called_play), (STEPS, stepped), (COPY, copied))
        for slug, seats in FORMATS
    }


if __name__ == "__main__":
    serve(contenders())
