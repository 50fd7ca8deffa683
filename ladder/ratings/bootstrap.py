"""Confidence intervals of estimates by a bootstrap over blocks. Blocks are independent; games of one deal are not.

A replicate gives every block a random weight with mean and variance 1 (D. B. Rubin, *The Bayesian bootstrap*, 1981). It
makes one Newton step from the maximum with the matrix of the maximum (P. Kline, A. Santos, *A score based approach to
wild bootstrap inference*, 2012). Its prior is centered on a draw from the prior, so that versions with few games spread
like unknown ones. Fully fitted replicates spread 1 to 2% wider with 100 blocks per bot and 4% wider with 20, but cost a
hundred times as much.

**Few blocks.** The spread of B replicated blocks is too narrow by about 1 in B, and uncertain itself. So the variance
of a version is moderated (G. K. Smyth, *Linear models and empirical Bayes methods*, 2004). :data:`BORROWED` blocks are
added that spread as the model predicts, times the ratio of the whole ladder if that is above 1. Without them, blocks
with equal results would leave no spread at all. The draws are then widened by Student's quantile divided by the normal
one. Intervals are symmetric: the estimate ± 1.96 standard deviations of its draws.
``make seasons`` measures how often they contain the true value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy.special import stdtrit

from ladder.ratings.draws import SURE
from ladder.ratings.elo import POINT
from ladder.ratings.plackett_luce import POINTS, Floats, GameResults, Integers, Likelihood, fit

REPLICATES: Final = 400
BORROWED: Final = 2
START: Final = 1500.0
_QUANTILE: Final = 0.975
_TOLERANCE: Final = 1e-4


@dataclass(frozen=True)
class Estimates:
    """Estimates of all versions: skill in points, draws (versions, replicates), numbers of blocks and games.

    The mean over all seats of the season is 1500 points. Differences have the same meaning as in Elo.
    """

    points: Floats
    draws: Floats
    blocks: Integers
    games: Integers

    @property
    def margins(self) -> Floats:
        """Half the widths of the 95% intervals, in points."""
        return SURE * np.asarray(self.draws.std(axis=1, ddof=1))

    def rows(self) -> Iterator[VersionEstimate]:
        """Yield the estimates of all versions in integers."""
        points, margins, draws = (
            np.rint(POINT * part).astype(np.int64).tolist() for part in (self.points, self.margins, self.draws)
        )
        for row in zip(points, margins, draws, self.blocks.tolist(), self.games.tolist(), strict=True):
            yield VersionEstimate(*row)


class VersionEstimate(NamedTuple):
    """The stored estimate of a version: in 1/1000 point, with its numbers of blocks and games."""

    rating: int
    margin: int
    draws: list[int]
    blocks: int
    games: int


def estimate(games: GameResults, seed: int, replicates: int = REPLICATES) -> Estimates:
    """Fit the skills and draw ``replicates`` for each. The same ``seed`` gives the same draws.

    Raises ``ValueError`` without games.
    """
    if not len(games.seats):
        raise ValueError("there is nothing to estimate from: no games")
    likelihood = Likelihood(games)
    skills = fit(likelihood)
    blocks = _blocks_played(games)
    part = games.played / max(1, games.played.sum())
    steps = _replicates(likelihood, skills, seed, replicates)
    draws = _widened(likelihood, skills, steps - part @ steps, blocks)
    points = START + POINTS * (skills - part @ skills)
    return Estimates(points, points[:, None] + POINTS * (draws - part @ draws), blocks, games.played)


def _replicates(likelihood: Likelihood, skills: Floats, seed: int, count: int) -> Floats:
    """Return the single Newton step from the maximum by version and replicate, in units."""
    random = np.random.default_rng(seed)
    scores = likelihood.scores(skills).astype(np.float32)
    weights = random.standard_exponential((likelihood.games.block_count, count), dtype=np.float32) - 1
    centres = random.standard_normal((len(skills), count), dtype=np.float32) * np.float32(likelihood.precision**0.5)
    right = scores.T @ weights + centres
    return likelihood.information(skills).solve(right, _TOLERANCE).astype(np.float64)


def _widened(likelihood: Likelihood, skills: Floats, steps: Floats, blocks: Integers) -> Floats:
    """Scale ``steps`` of each version to the moderated standard deviation and to Student's quantile.

    The mean of the steps over all seats must be 0. What they have in common comes from the prior and says nothing.
    """
    spread = steps.var(axis=1, ddof=1)
    modelled = 1 / likelihood.information(skills).diagonal
    ratio = ((blocks * spread / modelled).sum() + len(blocks)) / max(1, blocks.sum())
    moderated = (BORROWED * max(1.0, ratio) * modelled + blocks * spread) / (BORROWED + blocks - 1)
    student = stdtrit(BORROWED + blocks - 1, _QUANTILE) / SURE
    wider: Floats = student * np.sqrt(moderated / spread)
    return steps * wider[:, None]


def _blocks_played(games: GameResults) -> Integers:
    """Return the number of blocks of each version."""
    block = np.repeat(games.blocks, games.seats.shape[1])
    once = np.unique(block * games.versions + games.seats.ravel())
    return np.bincount(once % max(1, games.versions), minlength=games.versions)
