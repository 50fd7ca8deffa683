"""Rate many results at once with numpy, exactly as :func:`ladder.ratings.rating.rate` does one after the other.

A wave contains the next results that have no member in common with an earlier result that is not rated yet, so the
order within a wave does not matter. On a ladder with many members, a wave has hundreds of results. A result with a
merged member is in a wave, but is rated by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
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
from ladder.ratings.rating import Rated, RatingRules, RatingState, rate
from ladder.ratings.shares import WIN

LEAST_PER_WAVE: Final = 64
"""The mean number of results per wave from which waves are faster than one result after the other."""

_COLUMNS: Final = attrgetter("rating", "games", "win_shares", "last_change")

Game: TypeAlias = tuple[int, Sequence[int], Sequence[int]]
"""The ledger number of a result, and the members and their ranks, both in seat order."""

_Integers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
_Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


def rated_in_waves(
    games: Sequence[Game], accounts: Mapping[int, RatingState], rules: RatingRules
) -> Iterator[list[Rated]] | None:
    """Count ``games`` of one season in ``accounts``. Return the ratings before and after, by game and seat.

    ``None``, without a change, if waves would be small, if the games differ in their number of seats, or if a member
    has two seats.
    """
    void, owners = set(rules.void), dict[int, Sequence[int]]()
    for number, entries, _ranks in games if rules.merged else ():
        if not rules.merged.keys().isdisjoint(entries):
            counting = [owner for owner in map(rules.counts_for, entries) if owner is not None]
            owners[number] = (counting * len(entries))[: len(entries)]
            if not counting:
                void.add(number)
    counted = [game for game in games if game[0] not in void] if void else games
    seats, count = len(games[0][2]), len(counted)
    if {len(ranks) for _number, _entries, ranks in counted} != {seats}:
        return None
    members = (owners.get(number, entries) for number, entries, _ranks in counted)
    ids, places, games_of = np.unique(_array(members, count * seats), return_inverse=True, return_counts=True)
    if count < LEAST_PER_WAVE * games_of.max():
        return None
    seated = places.reshape(count, seats)
    alone = np.array([number in owners for number, _entries, _ranks in counted]) if owners else np.zeros(count, bool)
    ordered = np.sort(seated[~alone], axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return None
    states = [accounts[member] for member in ids.tolist()]
    table = _array(map(_COLUMNS, states), len(states) * 4).reshape(-1, 4).T.copy()
    ranks = _array((ranks for _number, _entries, ranks in counted), count * seats).reshape(count, seats)
    before, after, rows = np.empty_like(seated), np.empty_like(seated), dict[int, list[Rated]]()
    for wave in _waves(seated, len(ids)):
        for place in wave[alone[wave]].tolist():
            rows[counted[place][0]] = _rate_alone(table, ids, seated[place], counted[place], rules)
        plain = wave[~alone[wave]]
        before[plain], after[plain] = _rate(table, seated[plain], ranks[plain], rules.k)
    for state, *row in zip(states, *table.tolist(), strict=True):
        state.rating, state.games, state.win_shares, state.last_change = row
    pairs = zip(before.ravel().tolist(), after.ravel().tolist(), strict=True)
    return _rows(games, void, rows, pairs)


def _array(rows: Iterable[Iterable[int]], size: int) -> _Integers:
    return np.fromiter(chain.from_iterable(rows), np.int64, size)


def _rows(
    games: Sequence[Game], void: Set[int], alone: Mapping[int, list[Rated]], pairs: Iterator[tuple[int, int]]
) -> Iterator[list[Rated]]:
    """What is returned, game by game: lists of all games at once would keep the garbage collector busy."""
    for number, _entries, ranks in games:
        if number in void:
            yield [None] * len(ranks)
        else:
            row: list[Rated] = list(islice(pairs, len(ranks)))
            yield alone.get(number, row)


def _waves(seated: _Integers, members: int) -> Iterator[_Integers]:
    """Divide games into waves, given the places of their members in a table. Each wave is an array of games."""
    first = np.empty(members, np.int64)
    left, ahead = np.arange(len(seated)), LEAST_PER_WAVE
    while left.size:
        near, far = left[:ahead], left[ahead:]
        wanted = seated[near]
        first[wanted[::-1].ravel()] = np.repeat(near[::-1], seated.shape[1])  # of repeated indices, the last one counts
        ready = (first[wanted] == near[:, None]).all(axis=1)
        yield near[ready]
        left = np.concatenate((near[~ready], far))
        ahead = 4 * int(ready.sum())  # most of the games further ahead wait for earlier ones


def _rate_alone(table: _Integers, ids: _Integers, seated: _Integers, game: Game, rules: RatingRules) -> list[Rated]:
    """Rate a game with merged members, as :func:`rate` does."""
    states = {int(ids[place]): RatingState(*table[:, place].tolist()) for place in seated}
    rated = rate(states, game[1], game[2], rules)
    for place in seated:
        table[:, place] = _COLUMNS(states[int(ids[place])])
    return rated


def _rate(table: _Integers, seated: _Integers, ranks: _Integers, k: KFactor) -> tuple[_Integers, _Integers]:
    """Rate games without common members, and return the ratings before and after."""
    rating, games, win_shares, last_change = table
    before = rating[seated]
    units = np.where(games[seated] < k.provisional_games, k.provisional, k.established) * float(POINT)
    gained = _gains(before, units, ranks)
    wins = ranks == ranks.min(axis=1, keepdims=True)
    rating[seated] += gained
    games[seated] += 1
    win_shares[seated] += np.where(wins, WIN // wins.sum(axis=1, keepdims=True), 0)
    last_change[seated] = gained
    return before, before + gained


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
    gained: _Integers = (rounded @ signs).astype(np.int64)
    doubtful = (np.abs(changes - rounded) >= DOUBTLESS).any(axis=1) | (np.abs(leads) > REACH).any(axis=1)
    for row in np.flatnonzero(doubtful):
        gained[row] = exact_gains(ratings[row].tolist(), units[row].tolist(), ranks[row].tolist(), pairs)
    return gained
