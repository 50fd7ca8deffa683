"""Rate many results at once with numpy, exactly as :func:`ladder.ratings.rating.rate` does one after the other.

A wave contains the next results that have no member in common with an earlier result that is not rated yet, so the
order within a wave does not matter. On a ladder with many members, a wave has hundreds of results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final, TypeAlias

import numpy as np

from ladder.ratings.elo import (
    ALL_PAIRS,
    DOUBTLESS,
    EXPONENT,
    POINT,
    REACH,
    START_RATING,
    KFactor,
    exact_gains,
)
from ladder.ratings.rating import Rated, RatingState
from ladder.ratings.shares import WIN

LEAST_PER_WAVE: Final = 64
"""The mean number of results per wave from which waves are faster than one result after the other."""

_COLUMNS: Final = attrgetter("rating", "games", "win_shares", "last_change")

_Integers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
_Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


def rated_in_waves(
    games: Sequence[tuple[int, Sequence[int], Sequence[int]]], accounts: Mapping[int, RatingState], k: KFactor
) -> Iterator[list[Rated]] | None:
    """Count games (number, entries, ranks) without merged members in ``accounts``.

    Return the ratings before and after, by game and seat. ``None``, without a change, if waves would be small, if the
    games differ in their number of seats, or if a member has two seats.
    """
    _numbers, entries, all_ranks = zip(*games, strict=True)
    seats, count = len(all_ranks[0]), len(games)
    if set(map(len, all_ranks)) != {seats}:
        return None
    ids, places, games_of = np.unique(
        np.fromiter(chain.from_iterable(entries), np.int64, count * seats), return_inverse=True, return_counts=True
    )
    if count < LEAST_PER_WAVE * games_of.max():
        return None
    members = places.reshape(count, seats)
    ordered = np.sort(members, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return None
    ranks = np.fromiter(chain.from_iterable(all_ranks), np.int64, count * seats)
    states = [accounts[entry] for entry in ids.tolist()]
    table = np.fromiter(chain.from_iterable(map(_COLUMNS, states)), np.int64).reshape(len(states), 4).T.copy()
    before, after = _rated(members, ranks.reshape(count, seats), table, k)
    for state, *row in zip(states, *table.tolist(), strict=True):
        state.rating, state.games, state.win_shares, state.last_change = row
    rated = zip(before.ravel().tolist(), after.ravel().tolist(), strict=True)
    return (list(islice(rated, seats)) for _ in range(count))  # lists of all games would keep the garbage collector busy


def _rated(members: _Integers, ranks: _Integers, table: _Integers, k: KFactor) -> tuple[_Integers, _Integers]:
    """Change the columns of ``table`` (:data:`_COLUMNS`) and return the ratings before and after."""
    before, after = np.empty_like(members), np.empty_like(members)
    wins = ranks == ranks.min(axis=1, keepdims=True)
    shares = np.where(wins, WIN // wins.sum(axis=1, keepdims=True), 0)
    rating, games, win_shares, last_change = table
    first = np.empty_like(rating)
    left, ahead = np.arange(len(members)), LEAST_PER_WAVE
    while left.size:
        near, far = left[:ahead], left[ahead:]
        wanted = members[near]
        first[wanted[::-1].ravel()] = np.repeat(near[::-1], members.shape[1])  # of repeated indices, the last one counts
        ready = (first[wanted] == near[:, None]).all(axis=1)
        wave, seated, left = near[ready], wanted[ready], np.concatenate((near[~ready], far))
        ahead = 4 * len(wave)  # most of the results further ahead wait for earlier ones
        ratings = rating[seated]
        units = np.where(games[seated] < k.provisional_games, k.provisional, k.established) * float(POINT)
        gained = _gains(ratings, units, ranks[wave])
        before[wave], after[wave] = ratings, ratings + gained
        rating[seated] += gained
        games[seated] += 1
        win_shares[seated] += shares[wave]
        last_change[seated] = gained
    return before, after


def _gains(ratings: _Integers, units: _Floats, ranks: _Integers) -> _Integers:
    """The gains of :func:`ladder.ratings.elo.gains`, one result per row."""
    seats = ratings.shape[1]
    pairs = ALL_PAIRS[seats]
    a, b = np.array(pairs).T
    leads = ratings - START_RATING
    odds = np.exp(np.clip(leads, -REACH, REACH) * EXPONENT)
    expected = odds[:, a] / (odds[:, a] + odds[:, b])
    scores = (1 + np.sign(ranks[:, b] - ranks[:, a])) / 2
    changes = np.minimum(units[:, a], units[:, b]) * (scores - expected) / (seats - 1)
    rounded = np.rint(changes)
    signs = np.zeros((len(pairs), seats))
    signs[range(len(pairs)), a], signs[range(len(pairs)), b] = 1, -1
    gained = (rounded @ signs).astype(np.int64)
    doubtful = (np.abs(changes - rounded) >= DOUBTLESS).any(axis=1) | (np.abs(leads) > REACH).any(axis=1)
    for row in np.flatnonzero(doubtful):
        gained[row] = exact_gains(ratings[row].tolist(), units[row].tolist(), ranks[row].tolist(), pairs)
    return gained
