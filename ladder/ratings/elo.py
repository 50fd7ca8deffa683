"""Multi-player Elo in integers of 1/1000 point.

Source: A. E. Elo, *The Rating of Chessplayers, Past and Present* (1978), with the logistic curve (base 10, 400 points)
that chess federations use since. For n seats it is applied to every pair at the table, a widespread generalisation: a
seat scores 1, ½ or 0 against each other one by rank, and a pair counts K/(n − 1), so that a match of any size moves a
rating by at most K. K of a pair is the smaller of its two entries', so that a newcomer's match does not shake an
established rating and both sides move by the same amount.

**Reproducible everywhere.** The change of a pair is the real number K/(n − 1) · (score − expectation) rounded once, to
the nearest 1/1000 point; that integer is added to one side and taken from the other, so the sum over a match is exactly
zero. Floating point answers where it cannot be wrong (its error is below 1e-9 of the unit); within 1e-6 of the middle
between two integers decimal arithmetic decides, whose ``exp`` is correctly rounded by specification. An exact middle
does not occur: the expectation is irrational unless the difference is a multiple of 400 points, and there K/(n − 1)
with K = 40 or 20 never gives one. So the numbers do not depend on a machine's mathematics library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import combinations

POINT = 1000
"""The units of a rating in one point."""

START_RATING = 1500 * POINT
PROVISIONAL_GAMES = 30
PROVISIONAL_K = 40
ESTABLISHED_K = 20

_SCALE = 400 * POINT
_FURTHEST = 20 * _SCALE  # beyond 8000 points the expectation is 0 or 1 for any rounding to 1/1000
_DOUBT = 1e-6
_EXACT = Context(prec=60)


@dataclass(frozen=True)
class Player:
    """One seat before the match: its entry's rating in 1/1000 point and the rated games it has behind it."""

    rating: int
    games: int

    @property
    def k(self) -> int:
        """How many points a match moves this rating at most: 40 while provisional, then 20."""
        return PROVISIONAL_K if self.games < PROVISIONAL_GAMES else ESTABLISHED_K


def changes(players: Sequence[Player], ranks: Sequence[int]) -> tuple[int, ...]:
    """What each seat's rating gains, in 1/1000 point; the sum is zero.

    ``ranks`` are in seat order, smaller is better, equal is a draw; forfeits count by the rank they were given.
    Raises ``ValueError`` for fewer than two seats or a different number of ranks.
    """
    if len(players) < 2 or len(players) != len(ranks):
        raise ValueError(f"a rated match has at least two seats and a rank for each: {len(players)} and {len(ranks)}")
    gains = [0] * len(players)
    for a, b in combinations(range(len(players)), 2):
        gain = _pair_change(players[a], players[b], ranks[a], ranks[b], len(players))
        gains[a] += gain
        gains[b] -= gain
    return tuple(gains)


def expectation(rating: int, opponent: int) -> float:
    """The score that ``rating`` expects against ``opponent`` (both in 1/1000 point), 0 to 1. For display and tests."""
    return 1 / (1 + math.pow(10, _lead(opponent, rating) / _SCALE))


def _pair_change(a: Player, b: Player, rank_a: int, rank_b: int, seats: int) -> int:
    """What ``a`` gains from ``b``: K/(n − 1) · (score − expectation), rounded once to 1/1000 point."""
    twice_score = 1 + (rank_a < rank_b) - (rank_a > rank_b)
    units = min(a.k, b.k) * POINT
    change = units / (seats - 1) * (twice_score / 2 - expectation(a.rating, b.rating))
    below = math.floor(change)
    if abs(change - below - 0.5) < _DOUBT:
        return _exact_change(units, seats, twice_score, _lead(b.rating, a.rating))
    return below + (change - below > 0.5)


def _exact_change(units: int, seats: int, twice_score: int, lead: int) -> int:
    """The same in 60 decimal digits, where floating point is too close to the middle between two integers."""
    exponent = _EXACT.multiply(_EXACT.divide(Decimal(lead), Decimal(_SCALE)), _EXACT.ln(Decimal(10)))
    expected = _EXACT.divide(Decimal(1), _EXACT.add(Decimal(1), _EXACT.exp(exponent)))
    surplus = _EXACT.subtract(_EXACT.divide(Decimal(twice_score), Decimal(2)), expected)
    return int(_EXACT.divide(_EXACT.multiply(Decimal(units), surplus), Decimal(seats - 1)).to_integral_value())


def _lead(rating: int, over: int) -> int:
    return max(-_FURTHEST, min(_FURTHEST, rating - over))
