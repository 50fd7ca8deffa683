"""How many games with deals of their own it takes to know as much as from one game of a block.

A block's m games give a bot the mean score ȳ. Were each of them a deal of its own with a seat drawn by lot, their mean
would vary by V/m, where V is the variance of a single game among the same bots. Within the block the same quantity
falls apart: V = W + B, with W the mean of (1/m) Σ (y − ȳ)² and B the variance of ȳ. So a block is worth

    ratio = (V / m) / B = (1 + W / B) / m

times its games: 1 if the games of a block did not depend on each other, more if a good deal in one seat is a bad one in
the next. It is the variance reduction of duplicate play, known from bridge and used for poker programs (M. Bowling et
al., *A Demonstration of the Polaris Poker System*, AAMAS 2009).

B is the variance among blocks of the same table. Where most blocks are of tables that have met often, it is taken from
these. Otherwise a score, which is the mean over the opponents of who was ranked before whom, is held against the mean
of the pairs' own means over all their blocks. Those contain the block that is held against them, and two pairs share
blocks where three met, so the product of two distances is divided by what is left of it on average: 1 − 1/n₁ − 1/n₂ +
n₁₂/(n₁n₂), for n₁ and n₂ blocks of the pairs and n₁₂ that they share. What a third bot at the table does to a pair then
counts as B, so that this ratio errs to the low side.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, pvariance
from typing import Any

import numpy as np

from ladder.statistics.blocks import PlayedBlock, beaten

LEAST_BLOCKS = 30
"""Blocks from which on a ratio is told."""

_OFTEN = 4
"""Blocks of a table from which on it is held against itself alone."""

REPLICATES = 1000
_REPLICATES_PER_BATCH = 100
_SEED = 1933
_NOTHING = 1e-9
"""Squared shares a block below which every block ends alike, as far as arithmetic can tell."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class Saving:
    """``ratio`` games with deals of their own are worth one of a block; ``low`` to ``high`` is the 95 % interval.

    ``same_tables`` says that it is from blocks of equal tables; otherwise it errs to the low side.
    """

    ratio: float
    low: float
    high: float
    blocks: int
    same_tables: bool


def variance_saved(blocks: Sequence[PlayedBlock]) -> Saving | None:
    """The ratio over the blocks whose players have met before, its interval by a bootstrap over them.

    A block of one game saves nothing and is left out. ``None`` where there are too few others, or they are all alike.
    """
    blocks = [block for block in blocks if len(block.games) > 1]
    parts = _of_tables(blocks)
    same_tables = 2 * len(parts) >= max(len(blocks), 2 * LEAST_BLOCKS)
    if not same_tables:
        parts = _of_pairs(blocks)
    if len(parts) < LEAST_BLOCKS or parts[:, 1].sum() < _NOTHING * len(parts):
        return None
    sums = _resampled(parts)
    kept = sums[sums[:, 1] > 0]
    seatings = len(blocks[0].games)
    low, high = np.percentile((1 + kept[:, 0] / kept[:, 1]) / seatings, [2.5, 97.5])
    if low == high:  # every game of a block ended alike, in all blocks: their spread is unknown
        return None
    within, between = parts.sum(axis=0)
    return Saving(float((1 + within / between) / seatings), float(low), float(high), len(parts), same_tables)


def _of_tables(blocks: Sequence[PlayedBlock]) -> Any:
    """A row a block whose table has met often: its part of W and of B, summed over the players."""
    by_table: dict[tuple[int, ...], list[PlayedBlock]] = defaultdict(list)
    for block in blocks:
        by_table[tuple(sorted(block.players))].append(block)
    rows = []
    for table, table_blocks in by_table.items():
        if len(table_blocks) >= _OFTEN:
            scores = np.array([[block.shares_of(player) for player in table] for block in table_blocks])
            means = scores.mean(axis=2)
            distances = (means - means.mean(axis=0)) ** 2 * len(table_blocks) / (len(table_blocks) - 1)
            rows.append(np.column_stack([scores.var(axis=2).sum(axis=1), distances.sum(axis=1)]))
    return np.concatenate(rows) if rows else np.empty((0, 2))


def _of_pairs(blocks: Sequence[PlayedBlock]) -> Any:
    """The same, a row a block, summed over those players whose every pair has met again, at whatever table."""
    scores: dict[Pair, dict[int, float]] = defaultdict(dict)
    for number, block in enumerate(blocks):
        for pair in combinations(sorted(block.players), 2):
            scores[pair][number] = fmean(beaten(game, *pair) for game in block.games)
    means = {pair: fmean(by_block.values()) for pair, by_block in scores.items()}
    met = Counter(group for block in blocks for size in (2, 3) for group in combinations(sorted(block.players), size))
    rows = []
    for number, block in enumerate(blocks):
        distances = {pair: scores[pair][number] - means[pair] for pair in combinations(sorted(block.players), 2)}
        known = [player for player in block.players if all(met[pair] > 1 for pair in distances if player in pair)]
        if known:
            within = sum(pvariance(block.shares_of(player)) for player in known)
            rows.append((within, sum(_squared(player, distances, met) for player in known)))
    return np.array(rows).reshape(-1, 2)


def _squared(player: int, distances: Mapping[Pair, float], met: Mapping[tuple[int, ...], int]) -> float:
    """The squared distance of a player's score in a block from the expected one, without bias."""
    signed = {pair: distance if pair[0] == player else -distance for pair, distance in distances.items()}
    own = [(pair, distance) for pair, distance in signed.items() if player in pair]
    total = 0.0
    for first_pair, first in own:
        for second_pair, second in own:
            shared = met[tuple(sorted({*first_pair, *second_pair}))]
            total += (
                first
                * second
                / (1 - 1 / met[first_pair] - 1 / met[second_pair] + shared / (met[first_pair] * met[second_pair]))
            )
    return total / len(own) ** 2


def _resampled(parts: Any) -> Any:
    """The sums over ``REPLICATES`` samples of as many rows, with replacement; the same samples at every call."""
    random = np.random.default_rng(_SEED)
    count = len(parts)
    chances = np.full(count, 1 / count)
    samples = REPLICATES // _REPLICATES_PER_BATCH
    return np.concatenate(
        [random.multinomial(count, chances, size=_REPLICATES_PER_BATCH) @ parts for _ in range(samples)]
    )
