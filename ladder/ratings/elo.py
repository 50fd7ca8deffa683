"""Multi-player Elo in integers of 1/1000 point.

Source: A. E. Elo, *The Rating of Chessplayers, Past and Present* (1978), with the logistic curve (base 10, 400 points)
that chess federations use since. For n seats it is applied to every pair at the table, a widespread generalisation: a
seat scores 1, ½ or 0 against each other one by rank, and a pair counts K/(n − 1), so that a match of any size moves a
rating by at most K. K of a pair is the smaller of its two entries', so that a newcomer's match does not shake an
established rating and both sides move by the same amount.

**Reproducible everywhere.** The change of a pair is the real number K/(n − 1) · (score − expectation) rounded once, to
the nearest 1/1000 point; that integer is added to one side and taken from the other, so the sum over a match is exactly
zero. Floating point answers where it cannot be wrong (its error is below 1e-7 of the unit); within 1e-6 of the middle
between two integers decimal arithmetic decides, whose ``exp`` is correctly rounded by specification. An exact middle
does not occur: the expectation is irrational unless the difference is d · 400 points, d an integer, and there the
change is K · 500 · a / ((n − 1)(10^|d| + 1)) with an integer a, for d = 0 K · 500 · a / (n − 1); 500 / (n − 1) is an
integer or a third of one and 10^|d| + 1 is odd, so the denominator is never even. The numbers do not depend on a
machine's mathematics library.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import combinations
from typing import overload

POINT = 1000
"""The units of a rating in one point."""

START_RATING = 1500 * POINT
PROVISIONAL_GAMES = 30
PROVISIONAL_K = 40
ESTABLISHED_K = 20
LARGEST_K = 1000
"""The largest K that is exact by floating point where it is not in doubt."""

Pairs = Sequence[tuple[int, int]]
"""Pairs of seats, each from 0 and the smaller first."""

ALL_PAIRS: dict[int, Pairs] = {seats: tuple(combinations(range(seats), 2)) for seats in range(2, 6)}
"""Every pair of a table, by its number of seats."""

_SCALE = 400 * POINT
_FURTHEST = 20 * _SCALE  # beyond 8000 points the expectation is 0 or 1 for any rounding to 1/1000
_DOUBT = 1e-6
_SURE = 0.5 - _DOUBT
_EXPONENT = math.log(10) / _SCALE
_REACH = 20_000 * POINT  # farther from the start a strength is not precise enough
_TO_INTEGER = 1.5 * 2**52  # adding and subtracting it rounds a double to an integer
_EXACT = Context(prec=60)


@overload
def points(rating: int) -> float: ...


@overload
def points(rating: int | None) -> float | None: ...


def points(rating: int | None) -> float | None:
    """A rating or a change in points; ``None`` without one."""
    return None if rating is None else rating / POINT


@dataclass(frozen=True)
class KFactor:
    """How many points a match moves a rating at most, by the rated games its entry has behind it.

    Raises ``ValueError`` for what is not from 1 to 1000 points, or fewer than no provisional games.
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
"""What counts until staff set another: 40 while provisional, then 20."""


@dataclass(frozen=True)
class RatedSeat:
    """One seat before the match: its entry's rating in 1/1000 point and the rated games it has behind it."""

    rating: int
    games: int


def changes(
    players: Sequence[RatedSeat], ranks: Sequence[int], k: KFactor = STANDARD_K, pairs: Pairs | None = None
) -> tuple[int, ...]:
    """What each seat's rating gains, in 1/1000 point; the sum is zero.

    ``ranks`` are in seat order, smaller is better, equal is a draw; forfeits count by the rank they were given.
    ``pairs`` are those that count, all of the table by default; K is divided by all others at the table all the same.
    Raises ``ValueError`` for a table that has not two to five seats, or a different number of ranks.
    """
    if len(players) not in ALL_PAIRS or len(players) != len(ranks):
        raise ValueError(f"a rated match has two to five seats and a rank for each: {len(players)} and {len(ranks)}")
    ratings = [player.rating for player in players]
    units = [float(k.of(player.games) * POINT) for player in players]
    return tuple(gains(ratings, units, ranks, ALL_PAIRS[len(ranks)] if pairs is None else pairs))


def gains(ratings: Sequence[int], units: Sequence[float], ranks: Sequence[int], pairs: Pairs) -> list[int]:
    """:func:`changes` for loops over a million matches: the same integers, and nothing is checked.

    ``units`` are each seat's K in 1/1000 point. A strength is 10^(rating / 400): an expectation is then one division.
    """
    if min(ratings) < START_RATING - _REACH or max(ratings) > START_RATING + _REACH:
        return _exact_gains(ratings, units, ranks, pairs)
    others = len(ratings) - 1
    strengths = [math.exp((rating - START_RATING) * _EXPONENT) for rating in ratings]
    gained = [0.0] * len(ratings)
    for a, b in pairs:
        expected = strengths[a] / (strengths[a] + strengths[b])
        score = 1.0 if ranks[a] < ranks[b] else 0.0 if ranks[a] > ranks[b] else 0.5
        change = (units[a] if units[a] < units[b] else units[b]) * (score - expected) / others
        rounded = (change + _TO_INTEGER) - _TO_INTEGER
        if not -_SURE < change - rounded < _SURE:
            return _exact_gains(ratings, units, ranks, pairs)
        gained[a] += rounded
        gained[b] -= rounded
    return [int(gain) for gain in gained]


def expectation(rating: int, opponent: int) -> float:
    """The score that ``rating`` expects against ``opponent`` (both in 1/1000 point), 0 to 1. For display and tests."""
    return 1 / (1 + math.pow(10, _lead(opponent, rating) / _SCALE))


def _exact_gains(ratings: Sequence[int], units: Sequence[float], ranks: Sequence[int], pairs: Pairs) -> list[int]:
    """The same in decimal arithmetic."""
    gained = [0] * len(ratings)
    for a, b in pairs:
        twice_score = 1 + (ranks[a] < ranks[b]) - (ranks[a] > ranks[b])
        unit = int(min(units[a], units[b]))
        change = _exact_change(unit, len(ratings), twice_score, _lead(ratings[b], ratings[a]))
        gained[a] += change
        gained[b] -= change
    return gained


def _exact_change(units: int, seats: int, twice_score: int, lead: int) -> int:
    """The change of one pair in 60 decimal digits, rounded once."""
    exponent = _EXACT.multiply(_EXACT.divide(Decimal(lead), Decimal(_SCALE)), _EXACT.ln(Decimal(10)))
    expected = _EXACT.divide(Decimal(1), _EXACT.add(Decimal(1), _EXACT.exp(exponent)))
    surplus = _EXACT.subtract(_EXACT.divide(Decimal(twice_score), Decimal(2)), expected)
    return int(_EXACT.divide(_EXACT.multiply(Decimal(units), surplus), Decimal(seats - 1)).to_integral_value())


def _lead(rating: int, over: int) -> int:
    return max(-_FURTHEST, min(_FURTHEST, rating - over))
