"""Simulated seasons: results drawn from a model, with the pairing, Elo and estimates of the ladder.

**The model.** The performance of a seat is the strength of its bot, the value of the seat, and luck. The best
performance is first. Luck has a Gumbel distribution, so every single game is a Plackett-Luce ranking with the true
strengths. A Gaussian copula shares parts of the luck among the games of one deal: :data:`DEAL` of the variance is the
effect of the deal on a seat, for any bot, and :data:`AFFINITY` is the effect of the deal on a bot, in any seat. Playing
all seatings removes the first part from the mean of a block. The second part makes the games of a block less
informative than games with separate deals.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from bench.season import BLOCKS_PER_DRAW, Season
from bots.tournaments.seatings import seatings
from ladder.ratings.bootstrap import Estimates
from ladder.ratings.plackett_luce import POINTS

DEAL = 0.45
AFFINITY = 0.05
SEAT_POINTS = 30.0
"""What the first seat is worth more than the middle one; the last one is worth as much less."""

STRENGTH_POINTS = 200.0
"""The standard deviation of the bots' strengths."""

LATE = 4
"""How many bots come when a quarter of the season is over."""

Floats = NDArray[np.float64]


@dataclass
class Simulated:
    """What came of a season: by bot its true strength, in points, its rating and games; and the estimates."""

    seats: int
    strengths: Floats
    ratings: list[int]
    games: Counter[int]
    estimates: Estimates
    longest_wait: int
    """The most blocks that anybody on the ladder was without a seat."""

    @property
    def truth(self) -> Floats:
        """The strengths on the scale of the estimates: the mean over all seats of the season is 1500."""
        played = self.estimates.games
        return 1500 + self.strengths - played @ self.strengths / played.sum()


@dataclass
class Luck:
    """Draws the results of one deal's games."""

    seats: int
    random: np.random.Generator
    independent: bool = False
    seat_effects: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.seat_effects = np.linspace(SEAT_POINTS, -SEAT_POINTS, self.seats) / POINTS

    def ranks(self, strengths: Floats) -> list[list[int]]:
        """By seating and seat the ranks of players with these ``strengths``, in units, who share a deal or do not."""
        orders = np.array(seatings(self.seats))
        own = self.random.normal(size=orders.shape)
        if self.independent:
            luck = own
        else:
            gift, suits = self.random.normal(size=(2, self.seats))
            luck = np.sqrt(DEAL) * gift + np.sqrt(AFFINITY) * suits[orders] + np.sqrt(1 - DEAL - AFFINITY) * own
        performance = strengths[orders] + self.seat_effects - np.log(-np.log(ndtr(luck)))
        ranks: list[list[int]] = (1 + np.argsort(np.argsort(-performance, axis=1), axis=1)).tolist()
        return ranks


def simulated(seats: int, bots: int, matches: int, seed: int, *, independent: bool = False) -> Simulated:
    """A season of ``bots`` bots at tables of ``seats``; ``independent``: every game has a deal of its own.

    Raises ``ValueError`` if there are so few matches that somebody does not play.
    """
    numbers = np.random.default_rng(seed)
    luck = Luck(seats, numbers, independent)
    strengths = numbers.normal(0, STRENGTH_POINTS, bots)
    season = Season(seats, seed, lambda memberships: luck.ranks(strengths[list(memberships)] / POINTS))
    blocks = -(-matches // len(seatings(seats)))
    late = 1 + blocks // 4 // BLOCKS_PER_DRAW * BLOCKS_PER_DRAW
    season.come((bot, _owner(bot)) for bot in range(bots - LATE))
    season.play(range(1, late))
    season.come(((bot, _owner(bot)) for bot in range(bots - LATE, bots)), late)
    season.play(range(late, blocks + 1))
    estimates = season.estimates(apart=independent)
    return Simulated(seats, strengths, season.ratings, season.played, estimates, season.longest_wait)


def _owner(bot: int) -> int | None:
    """Every seventh bot is the house's, and every fifth has the owner of the one before."""
    return None if bot % 7 == 6 else bot - (bot % 5 == 4)
