"""Multi-player Elo in integers of 1/1000 point.

Source: A. E. Elo, *The Rating of Chessplayers, Past and Present* (1978), with the logistic curve (base 10, 400 points)
that chess federations use today. For n seats it is applied to every pair of seats, a common generalization: a seat
scores 1, ½ or 0 against each other seat by rank, and a pair counts K/(n − 1), so that a match of any size changes a
rating by at most K. The K of a pair is the smaller one of its two members. So a newcomer's match does not change an
established rating much, and both sides change by the same amount.

**Reproducible everywhere.** The change of a pair is the real number K/(n − 1) · (score − expectation), rounded once to
the nearest 1/1000 point. This integer is added to one side and subtracted from the other, so the sum over a match is
exactly zero. Floating point is used where it cannot be wrong (its error is below 1e-7 of the unit). Within 1e-6 of the
middle between two integers, decimal arithmetic decides, whose ``exp`` is correctly rounded by specification. An exact
middle does not occur. The expectation is irrational unless the difference is d · 400 points with an integer d. In this
case the change is K · 500 · a / ((n − 1)(10^|d| + 1)) with an integer a, for d = 0 K · 500 · a / (n − 1). 500 / (n − 1)
is an integer or a third of one, and 10^|d| + 1 is odd, so the denominator is never even. The results do not depend on
the mathematics library of a machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import combinations
from typing import overload

POINT = 1000
"""The number of rating units in one point."""

START_RATING = 1500 * POINT
PROVISIONAL_GAMES = 30
PROVISIONAL_K = 40
ESTABLISHED_K = 20
LARGEST_K = 1000
"""The largest K for which floating point is exact outside of the doubtful range."""

Pairs = Sequence[tuple[int, int]]
"""Pairs of seats, each from 0 and the smaller first."""

ALL_PAIRS: dict[int, Pairs] = {seats: tuple(combinations(range(seats), 2)) for seats in range(2, 6)}
"""All pairs of seats, by number of seats."""

_SCALE = 400 * POINT
_FURTHEST = 20 * _SCALE  # beyond 8000 points the expectation is 0 or 1 for any rounding to 1/1000
_DOUBT = 1e-6
DOUBTLESS = 0.5 - _DOUBT
EXPONENT = math.log(10) / _SCALE
REACH = 20_000 * POINT  # farther from the start, the odds are not precise enough
_TO_INTEGER = 1.5 * 2**52  # adding and subtracting it rounds a double to an integer
_EXACT = Context(prec=60)


@overload
def points(rating: int) -> float: ...


@overload
def points(rating: int | None) -> float | None: ...


def points(rating: int | None) -> float | None:
    """Return a rating or a change in points, or ``None`` for ``None``."""
    return None if rating is None else rating / POINT


@dataclass(frozen=True)
class KFactor:
    """The maximum change of a rating per match in points, by the number of earlier rated games of the member.

    Raises ``ValueError`` for values outside 1 to 1000 points, or a negative number of provisional games.
    """

    provisional: int = PROVISIONAL_K
    established: int = ESTABLISHED_K
    provisional_games: int = PROVISIONAL_GAMES

    def __post_init__(self) -> None:
        if not all(1 <= k <= LARGEST_K for k in (self.provisional, self.established)):
            raise ValueError(
                f"K must be from 1 to {LARGEST_K} points. You passed {self.provisional} and {self.established}."
            )
        if self.provisional_games < 0:
            raise ValueError(f"an entry is provisional for 0 games or more, not {self.provisional_games}")

    def of(self, games: int) -> int:
        """K in points after ``games`` rated games."""
        return self.provisional if games < self.provisional_games else self.established


STANDARD_K = KFactor()
"""The default K: 40 while provisional, then 20."""


@dataclass(frozen=True)
class RatedSeat:
    """One seat before the match: its rating in 1/1000 point, and its number of earlier rated games."""

    rating: int
    games: int


def changes(
    players: Sequence[RatedSeat], ranks: Sequence[int], k: KFactor = STANDARD_K, pairs: Pairs | None = None
) -> tuple[int, ...]:
    """Return the change of each seat's rating in 1/1000 point. The sum is zero.

    ``ranks`` are in seat order; smaller is better, equal is a draw, and forfeits have their rank. ``pairs`` are the
    pairs that count, by default all. K is divided by the number of all other seats in any case. Raises ``ValueError``
    unless there are two to five seats and as many ranks.
    """
    if len(players) not in ALL_PAIRS or len(players) != len(ranks):
        raise ValueError(f"a rated match has two to five seats and a rank for each: {len(players)} and {len(ranks)}")
    ratings = [player.rating for player in players]
    units = [float(k.of(player.games) * POINT) for player in players]
    return tuple(gains(ratings, units, ranks, ALL_PAIRS[len(ranks)] if pairs is None else pairs))


def gains(ratings: Sequence[int], units: Sequence[float], ranks: Sequence[int], pairs: Pairs) -> list[int]:
    """Return the same integers as :func:`changes`, without checks, for loops over a million matches.

    ``units`` are the K of each seat in 1/1000 point. The odds of a seat are 10^(rating / 400), so that an expectation
    needs only one division.
    """
    if min(ratings) < START_RATING - REACH or max(ratings) > START_RATING + REACH:
        return exact_gains(ratings, units, ranks, pairs)
    others = len(ratings) - 1
    odds = [math.exp((rating - START_RATING) * EXPONENT) for rating in ratings]
    gained = [0.0] * len(ratings)
    for a, b in pairs:
        expected = odds[a] / (odds[a] + odds[b])
        score = 1.0 if ranks[a] < ranks[b] else 0.0 if ranks[a] > ranks[b] else 0.5
        change = (units[a] if units[a] < units[b] else units[b]) * (score - expected) / others
        rounded = (change + _TO_INTEGER) - _TO_INTEGER
        if not -DOUBTLESS < change - rounded < DOUBTLESS:
            return exact_gains(ratings, units, ranks, pairs)
        gained[a] += rounded
        gained[b] -= rounded
    return [int(gain) for gain in gained]


def expectation(rating: int, opponent: int) -> float:
    """Return the expected score of ``rating`` against ``opponent`` (in 1/1000 point), 0 to 1. For display and tests."""
    return 1 / (1 + math.pow(10, _lead(opponent, rating) / _SCALE))


def exact_gains(ratings: Sequence[int], units: Sequence[float], ranks: Sequence[int], pairs: Pairs) -> list[int]:
    """Return the same in decimal arithmetic."""
    gained = [0] * len(ratings)
    for a, b in pairs:
        twice_score = 1 + (ranks[a] < ranks[b]) - (ranks[a] > ranks[b])
        unit = int(min(units[a], units[b]))
        change = exact_change(unit, len(ratings), twice_score, _lead(ratings[b], ratings[a]))
        gained[a] += change
        gained[b] -= change
    return gained


def exact_change(units: int, seats: int, twice_score: int, lead: int) -> int:
    """Return the change of one pair with 60 decimal digits, rounded once."""
    exponent = _EXACT.multiply(_EXACT.divide(Decimal(lead), Decimal(_SCALE)), _EXACT.ln(Decimal(10)))
    expected = _EXACT.divide(Decimal(1), _EXACT.add(Decimal(1), _EXACT.exp(exponent)))
    surplus = _EXACT.subtract(_EXACT.divide(Decimal(twice_score), Decimal(2)), expected)
    return int(_EXACT.divide(_EXACT.multiply(Decimal(units), surplus), Decimal(seats - 1)).to_integral_value())


def _lead(rating: int, over: int) -> int:
    return max(-_FURTHEST, min(_FURTHEST, rating - over))
