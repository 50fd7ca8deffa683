"""Games that the reference and the accelerator play together, compared after every action."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from games.fast.batch import NO_ACTION, Batch
from games.fast.library import FAMILIES
from games.registry import GAMES
from games.rules import Document
from tests.games.fast import gems, wine
from tests.games.fast.pairs import Pair

MODULES: Final[dict[str, Any]] = {"edel-stein-reich": gems, "edel-stein-reich-duel": gems, "die-weinhaendler": wine}
"""The styles and the comparison of states by game."""

FORMATS: Final = [(slug, seats) for slug in FAMILIES for seats in GAMES[slug].seat_counts]
"""Every format that the accelerator covers."""

Change = Callable[[Any], None]
"""Changes the rules of the accelerator, so that its games differ from those of the reference."""


def seeds_of(name: str, count: int) -> list[bytes]:
    return [sha256(f"{name}/{number}".encode()).digest() for number in range(count)]


def rows(seeds: Sequence[bytes]) -> npt.NDArray[np.uint8]:
    """The seeds as an array with one row per game."""
    return np.frombuffer(b"".join(seeds), dtype=np.uint8).reshape(-1, 32)


def fields_of(batch: Batch, numbers: Sequence[int]) -> Iterator[Document]:
    """The fields of the states of these games."""
    fields = batch.fields[numbers]
    assert fields.dtype.names is not None
    columns = {name: fields[name].tolist() for name in fields.dtype.names}
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(columns, values, strict=True))


def compare(batch: Batch, pairs: Sequence[Pair], numbers: Sequence[int]) -> str | None:
    """The first difference between states and legal actions in these games, or ``None``."""
    module, to_play, masks = MODULES[batch.game], batch.to_play.tolist(), batch.masks()
    for number, fields in zip(numbers, fields_of(batch, numbers), strict=True):
        pair, got = pairs[number], module.of_accelerator(fields, batch.seats)
        if (expected := module.of_reference(pair)) != got:
            names = [name for name in expected | got if expected.get(name) != got.get(name)]
            return f"game {number}: " + "; ".join(f"{name} {got.get(name)} not {expected.get(name)}" for name in names)
        asked = pair.state.pending[0] if pair.state.pending else -1
        if to_play[number] != asked:
            return f"game {number}: to play {to_play[number]}, not {asked}"
        if (legal := np.flatnonzero(masks[number]).tolist()) != pair.options:
            return f"game {number}: legal {legal}, not {pair.options}"
    return None


def compare_observations(batch: Batch, pairs: Sequence[Pair], numbers: Sequence[int]) -> str | None:
    """The first difference between what a random seat sees of these games, or ``None``."""
    observers = np.array([pair.random.randrange(batch.seats) for pair in pairs], dtype=np.int8)
    observations = batch.observations(observers)
    for number in numbers:
        seen = pairs[number].observation(int(observers[number]))
        if not np.array_equal(observations[number], seen):
            places = np.flatnonzero(observations[number] != seen).tolist()
            return f"game {number}: seat {observers[number]} sees other numbers at {places}"
    return None


def compare_outcomes(batch: Batch, pairs: Sequence[Pair]) -> str | None:
    """The first difference between the outcomes of finished games, or ``None``."""
    outcomes = batch.outcomes()
    for number, pair in enumerate(pairs):
        scores = [MODULES[batch.game].score(score) for score in pair.state.outcome["scores"]]
        got = (outcomes.ranks[number].tolist(), outcomes.scores[number].tolist())
        if got != (pair.state.outcome["ranks"], scores):
            return f"game {number}: outcome {got}, not {pair.state.outcome}"
    return None


def first_difference(
    slug: str,
    seats: int,
    name: str,
    count: int,
    styles: Sequence[str] = (),
    change: Change | None = None,
    observed: bool = True,
) -> str | None:
    """Play ``count`` games to their ends, compare them after every action, and return the first difference.

    The games are dealt from the seeds of ``name``. They take turns in using ``styles``, by default all of the game.
    Without ``observed``, observations are not compared.
    """
    choose = [MODULES[slug].STYLES[style] for style in styles or MODULES[slug].STYLES]
    game, encoding, seeds = GAMES[slug], GAMES[slug].encoding(seats), seeds_of(name, count)
    batch = Batch(slug, seats, rows(seeds))
    if change:
        change(batch._rules)
        batch.deal(np.arange(count), rows(seeds))
    pairs = [Pair(game.new(seats, seed), encoding, Random(seed)) for seed in seeds]
    for pair in pairs:
        pair.ask()
    running = list(range(count))
    while running:
        difference = compare(batch, pairs, running)
        if observed and not difference:
            difference = compare_observations(batch, pairs, running)
        if difference:
            return difference
        running = [number for number in running if pairs[number].options]
        actions = np.full(count, NO_ACTION)
        for number in running:
            actions[number] = choose[number % len(choose)](pairs[number])
        batch.step(actions)
        for number in running:
            pairs[number].take(int(actions[number]))
    return compare_outcomes(batch, pairs)
