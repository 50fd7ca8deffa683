"""A season without processes: results drawn from a model, by the ladder's own pairing, Elo and estimates.

**The model.** A seat's performance is its bot's strength, what the chair is worth, and luck; who performs best is
first. Luck has a Gumbel distribution, so that every game by itself is a Plackett-Luce ranking with the true strengths.
But its parts are shared among the games of one deal, by a Gaussian copula: :data:`DEAL` of the variance is the deal's
gift to a chair, whoever sits there, and :data:`AFFINITY` how the deal suits a bot, wherever it sits. The first part is
what all seatings take out of a block's mean, the second one what makes its games tell less than games of as many deals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from ladder.pairings.candidates import Candidate
from ladder.pairings.drawing import drawn
from ladder.pairings.seatings import seatings
from ladder.ratings.bootstrap import Estimates, estimate
from ladder.ratings.elo import POINT, START_RATING, Player, changes
from ladder.ratings.plackett_luce import POINTS, Games

DEAL = 0.45
AFFINITY = 0.05
CHAIR_POINTS = 30.0
"""What the first chair is worth more than the middle one; the last one is worth as much less."""

STRENGTH_POINTS = 200.0
"""The standard deviation of the bots' strengths."""

LATE = 4
"""How many bots come when a quarter of the season is over."""

AT_ONCE = 2
"""The blocks of a full queue: their results change no pairing among them."""

ESTIMATED_EVERY = 100
"""Blocks between two runs of the estimates, whose widths the pairing asks for."""

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
    independent: bool
    chairs: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.chairs = np.linspace(CHAIR_POINTS, -CHAIR_POINTS, self.seats) / POINTS

    def ranks(self, strengths: Floats) -> Floats:
        """By seating and seat the ranks of players with these ``strengths``, in units, who share a deal or do not."""
        orders = np.array(seatings(self.seats))
        own = self.random.normal(size=orders.shape)
        if self.independent:
            luck = own
        else:
            gift, suits = self.random.normal(size=(2, self.seats))
            luck = np.sqrt(DEAL) * gift + np.sqrt(AFFINITY) * suits[orders] + np.sqrt(1 - DEAL - AFFINITY) * own
        performance = strengths[orders] + self.chairs - np.log(-np.log(ndtr(luck)))
        return 1 + np.argsort(np.argsort(-performance, axis=1), axis=1)


class Season:
    """A ladder's season as it is played: who has what rating, who waits, and all results."""

    def __init__(self, seats: int, bots: int, seed: int, independent: bool) -> None:
        self.seats, self.seed = seats, seed
        self.random = Random(seed)
        numbers = np.random.default_rng(seed)
        self.luck = Luck(seats, numbers, independent)
        self.strengths = numbers.normal(0, STRENGTH_POINTS, bots)
        self.standing: dict[int, Candidate] = {}
        self.played: Counter[int] = Counter()
        self.longest_wait = 0
        self.rows: list[tuple[Sequence[int], Sequence[int], int]] = []

    def play(self, matches: int) -> Simulated:
        """All blocks of ``matches`` games."""
        blocks = -(-matches // len(seatings(self.seats)))
        self._come(range(LATE, len(self.strengths)), 0)
        for number in range(1, blocks + 1, AT_ONCE):
            if len(self.standing) < len(self.strengths) and number > blocks / 4:
                self._come(range(LATE), number)
            if number % ESTIMATED_EVERY == 1 and self.rows:
                self._remember_widths()
            self._look_who_waits(number)
            for offset, block in enumerate(drawn(self.standing.values(), self.seats, AT_ONCE, number, self.random)):
                self._block(number + offset, block.entries)
        ratings = [self.standing[bot].rating for bot in sorted(self.standing)]
        estimates, _ = self._estimates()
        return Simulated(self.seats, self.strengths, ratings, self.played, estimates, self.longest_wait)

    def _come(self, bots: Iterable[int], since: int) -> None:
        for bot in bots:
            self.standing[bot] = Candidate(bot, START_RATING, owner=_owner(bot), version_games=0, since=since)

    def _look_who_waits(self, number: int) -> None:
        waits = (number - 1 - one.since for one in self.standing.values())
        self.longest_wait = max(self.longest_wait, *waits)

    def _block(self, number: int, entries: Sequence[int]) -> None:
        all_ranks = self.luck.ranks(self.strengths[list(entries)] / POINTS)
        for order, ranks in zip(seatings(self.seats), all_ranks.tolist(), strict=True):
            sitting = [entries[player] for player in order]
            deal = len(self.rows) if self.luck.independent else number
            self.rows.append((sitting, ranks, deal))
            self._rate(sitting, ranks)
        for bot in entries:
            self.standing[bot] = replace(self.standing[bot], since=number)

    def _rate(self, sitting: Sequence[int], ranks: Sequence[int]) -> None:
        players = [Player(self.standing[bot].rating, self.played[bot]) for bot in sitting]
        for bot, gain in zip(sitting, changes(players, ranks), strict=True):
            one = self.standing[bot]
            self.played[bot] += 1
            self.standing[bot] = replace(
                one, rating=one.rating + gain, games=one.games + 1, version_games=one.version_games + 1
            )

    def _estimates(self) -> tuple[Estimates, list[int]]:
        seats, ranks, deals = zip(*self.rows, strict=True)
        games, ids = Games.flat(self.seats, np.ravel(seats).tolist(), np.ravel(ranks).tolist(), deals)
        return estimate(games, self.seed), ids.tolist()

    def _remember_widths(self) -> None:
        estimates, ids = self._estimates()
        for bot, margin in zip(ids, estimates.margins.tolist(), strict=True):
            self.standing[bot] = replace(self.standing[bot], width=round(2 * POINT * margin))


def simulated(seats: int, bots: int, matches: int, seed: int, *, independent: bool = False) -> Simulated:
    """A season of ``bots`` bots at tables of ``seats``; ``independent``: every game has a deal of its own."""
    return Season(seats, bots, seed, independent).play(matches)


def _owner(bot: int) -> int | None:
    """Every seventh bot is the house's, and every fifth has the owner of the one before."""
    return None if bot % 7 == 6 else bot - (bot % 5 == 4)
