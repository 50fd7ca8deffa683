"""The Plackett-Luce model of the skill of versions, fitted to a season's games by penalized maximum likelihood.

A game is a ranking that is built from the top: the next one is chosen among the remaining seats with a probability
proportional to exp(skill) (R. L. Plackett, *The analysis of permutations*, 1975; R. D. Luce, *Individual Choice
Behavior*, 1959). For two seats this is the model of Bradley and Terry with the curve of Elo: 400 points are ten to one.

**Ties** count as all orders of the tied seats in equal parts: the logarithm of the likelihood is averaged over them. So
a draw is half a win, as in Elo, and the numbers have the same meaning as a rating. The logarithm of the averaged
likelihood would learn nothing from a draw of two. Davidson's model (D. Firth, I. Kosmidis, H. Turner, *Davidson-Luce
model for multi-item choice with ties*, 2019) also counts a draw as half a win, but needs one more parameter per kind of
tie, for the probability of draws, which is not needed here.

**The prior** is a Gaussian of :data:`PRIOR_POINTS` around the middle, which has almost no effect after some dozens of
games. It makes the skill of a version finite that has won everything, and connects groups that have never met.

The model does not include the value of a seat, because in a block every bot plays in every seat. The function is
concave. Newton's method finds its maximum, with conjugate gradients for the steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ladder.ratings.choices import choices, groups_of
from ladder.ratings.systems import Network, System

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

POINTS = 400 / math.log(10)
"""Points of the Elo scale per unit of skill, which is a factor e of the odds."""

PRIOR_POINTS = 500.0
"""The standard deviation of the prior, in points."""

_CLOSE = 1e-9
_STEPS = 100


@dataclass(frozen=True)
class GameResults:
    """Games with one number of seats: the version and the rank of each seat, and the block, by game.

    ``seats`` and ``ranks`` have the shape (games, seats), ``blocks`` (games,). Versions are numbered from 0 to
    ``versions`` − 1, blocks from 0. Ranks are compared only within a game: smaller is better, equal is a tie. Raises
    ``ValueError`` for shapes that do not match or unknown versions.
    """

    versions: int
    seats: Integers
    ranks: Integers
    blocks: Integers

    def __post_init__(self) -> None:
        if self.seats.ndim != 2 or self.seats.shape[1] < 2 or self.seats.shape != self.ranks.shape:
            raise ValueError(
                f"a version and a rank for each of 2 seats or more: {self.seats.shape}, {self.ranks.shape}"
            )
        if self.blocks.shape != self.seats.shape[:1]:
            raise ValueError(f"a block for each of {len(self.seats)} games: {self.blocks.shape}")
        if self.seats.size and not 0 <= self.seats.min() <= self.seats.max() < self.versions:
            raise ValueError(f"versions count from 0 below {self.versions}")

    @classmethod
    def flat(
        cls, seats: int, versions: Sequence[int], ranks: Sequence[int], blocks: Sequence[int]
    ) -> tuple[GameResults, Integers]:
        """Create it from flat lists, and return it with the ids of the versions in their new order.

        ``versions`` and ``ranks`` have one value per seat, game by game. ``blocks`` has one value per game.
        ``versions`` and ``blocks`` can be any numbers.
        """
        ids, numbered = np.unique(np.asarray(versions, dtype=np.int64), return_inverse=True)
        _, counted = np.unique(np.asarray(blocks, dtype=np.int64), return_inverse=True)
        shape = (len(blocks), seats)
        return cls(len(ids), numbered.reshape(shape), np.asarray(ranks, dtype=np.int64).reshape(shape), counted), ids

    @cached_property
    def played(self) -> Integers:
        """Return the number of games by version."""
        return np.bincount(self.seats.ravel(), minlength=self.versions)

    @cached_property
    def block_count(self) -> int:
        """The number of blocks."""
        return int(self.blocks.max()) + 1 if len(self.blocks) else 0


class _Pattern:
    """All games with the same pattern of ties. ``players`` contains their seats in the order of places."""

    def __init__(self, rows: Integers, players: Integers, groups: tuple[int, ...]) -> None:
        self.rows = rows
        self.players = players
        seats = range(players.shape[1])
        self.pairs = np.triu_indices(len(seats), 1)
        sets = choices(groups)
        self.weights = np.array([weight for _, weight in sets])
        self.members = np.array([[float(place in places) for place in seats] for places, _ in sets])

    def value(self, skills: Floats) -> float:
        """Return the logarithm of the likelihood."""
        lead, _, sums = self._chances(skills)
        return float(lead.sum() - (np.log(sums) @ self.weights).sum())

    def surplus(self, skills: Floats) -> Floats:
        """Return by game and place the result minus the expectation: the gradient of the value."""
        _, odds, sums = self._chances(skills)
        better: Floats = 1 - odds * ((self.weights / sums) @ self.members)
        return better

    def links(self, skills: Floats) -> Floats:
        """Return by game and pair of places the negative second derivative."""
        _, odds, sums = self._chances(skills)
        first, second = self.pairs
        together = self.weights[:, None] * self.members[:, first] * self.members[:, second]
        links: Floats = odds[:, first] * odds[:, second] * (sums**-2 @ together)
        return links

    def _chances(self, skills: Floats) -> tuple[Floats, Floats, Floats]:
        """Return skills relative to the best of the game, their odds, and the sums of odds by game and choice."""
        own = skills[self.players]
        lead = own - own.max(axis=1, keepdims=True)
        odds = np.exp(lead)
        return lead, odds, odds @ self.members.T


class Likelihood:
    """The logarithm of the posterior density of skills (in units, not points), with its derivatives."""

    def __init__(self, games: GameResults, prior_points: float = PRIOR_POINTS) -> None:
        self.games = games
        self.precision = (POINTS / prior_points) ** 2
        self._patterns = list(_patterns(games))
        self._network = Network(games.versions, [pattern.players[:, list(pattern.pairs)] for pattern in self._patterns])

    def value(self, skills: Floats) -> float:
        """Return the value up to a constant."""
        prior = self.precision / 2 * skills @ skills
        return sum(pattern.value(skills) for pattern in self._patterns) - float(prior)

    def gradient(self, skills: Floats) -> Floats:
        """Return the gradient by version."""
        total = -self.precision * skills
        for pattern in self._patterns:
            surplus = pattern.surplus(skills)
            total += np.bincount(pattern.players.ravel(), surplus.ravel(), minlength=self.games.versions)
        return total

    def information(self, skills: Floats) -> System:
        """Return the negative second derivatives as a system of equations."""
        links = [pattern.links(skills) for pattern in self._patterns]
        return self._network.system(links, self.precision)

    def scores(self, skills: Floats) -> csr_array:
        """Return what each block adds to the gradient, with the shape (blocks, versions)."""
        parts = [
            (self.games.blocks[pattern.rows], pattern.players, pattern.surplus(skills)) for pattern in self._patterns
        ]
        rows = np.concatenate([np.repeat(blocks, players.shape[1]) for blocks, players, _ in parts])
        columns, values = (np.concatenate([part[k].ravel() for part in parts]) for k in (1, 2))
        return csr_array((values, (rows, columns)), shape=(self.games.block_count, self.games.versions))


def fit(likelihood: Likelihood) -> Floats:
    """Return the skills with maximum posterior density by version, in units. Their sum is 0.

    It uses Newton's method with halved steps. Raises ``ArithmeticError`` if it does not converge, which is a defect of
    this module, because the function is concave.
    """
    skills = np.zeros(likelihood.games.versions)
    if not len(likelihood.games.seats):
        return skills
    value = likelihood.value(skills)
    for _ in range(_STEPS):
        gradient = likelihood.gradient(skills)
        step = likelihood.information(skills).solve(gradient[:, None])[:, 0]
        rise = float(gradient @ step)
        if rise < _CLOSE:
            return skills + step
        skills, value = _climb(likelihood, skills, value, step, rise)
    raise ArithmeticError(f"no maximum after {_STEPS} steps of Newton's method")


def _climb(likelihood: Likelihood, start: Floats, value: float, step: Floats, rise: float) -> tuple[Floats, float]:
    """Take ``step``, halved until the value grows by a part of the increase that the slope predicts (Armijo's rule)."""
    share = 1.0
    while (reached := likelihood.value(start + share * step)) < value + 1e-4 * share * rise - _CLOSE:
        share /= 2
    return start + share * step, reached


def _patterns(games: GameResults) -> Iterator[_Pattern]:
    count, seats = games.seats.shape
    if not count:
        return
    order = np.argsort(games.ranks, axis=1, kind="stable")
    ranks = np.take_along_axis(games.ranks, order, axis=1)
    players = np.take_along_axis(games.seats, order, axis=1)
    tied = (ranks[:, 1:] == ranks[:, :-1]) @ (1 << np.arange(seats - 1))
    for pattern in np.unique(tied):
        rows = np.flatnonzero(tied == pattern)
        yield _Pattern(rows, players[rows], groups_of(int(pattern), seats))
