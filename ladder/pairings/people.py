"""People who look for a game now: who sits down with whom, as near in rating as their waiting allows.

Whoever has waited longest is served first, with those who are nearest. How far apart a table may be grows with that
wait (``reach``), and after ``ANYBODY_AFTER_S`` anybody will do: so nobody waits for ever where enough wait. On a ladder
where code sits, too, seats that nobody has come for go to bots after ``BOTS_AFTER_S``: drawn, not chosen, near ratings
more often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from random import Random

from ladder.pairings.candidates import Candidate, may_meet, nearness

NEAR = 150_000
"""So far apart in rating (1/1000 point) may a table be for somebody who has just come."""

WIDENING_A_SECOND = 10_000
"""By so much more a second of waiting (1/1000 point)."""

ANYBODY_AFTER_S = 45.0
BOTS_AFTER_S = 10.0


@dataclass(frozen=True)
class Searcher:
    """A person who looks for a game on ``ladder``: as whom they play, whose bots they do not meet, and since when."""

    player: int
    person: int
    ladder: int
    rating: int
    waited_s: float


@dataclass(frozen=True)
class PeopleLadder:
    """A ladder on which people look for games; ``hosted`` is the code that may fill up its tables."""

    key: int
    seats: int
    hosted: Sequence[Candidate] = ()


@dataclass(frozen=True)
class FoundTable:
    """A table: its people, by ``Searcher.player``, whoever has waited longest first, and the memberships of its
    bots.
    """

    ladder: int
    players: tuple[int, ...]
    bots: tuple[int, ...] = ()


def reach(waited_s: float) -> float:
    """How far apart in rating (1/1000 point) the table of somebody may be who has waited so long and longest."""
    return inf if waited_s >= ANYBODY_AFTER_S else NEAR + WIDENING_A_SECOND * waited_s


def found(
    ladders: Iterable[PeopleLadder], searchers: Iterable[Searcher], hosted_room: int, random: Random
) -> list[FoundTable]:
    """The tables that can be opened now; at most ``hosted_room`` seats are filled with code.

    Nobody is at two of them, and people at one table are at most ``reach`` apart, by the wait of its first.
    """
    queues = _queues(searchers)
    tables: list[FoundTable] = []
    for ladder in ladders:
        for table in _tables(ladder, queues[ladder.key], hosted_room, random):
            hosted_room -= len(table.bots)
            tables.append(table)
    return tables


def _queues(searchers: Iterable[Searcher]) -> defaultdict[int, list[Searcher]]:
    """By ladder, who has waited longest first; somebody who stands there twice has the longer of their waits."""
    queues: defaultdict[int, list[Searcher]] = defaultdict(list)
    seen: set[int] = set()
    for one in sorted(searchers, key=lambda one: (-one.waited_s, one.player, one.ladder)):
        if one.player not in seen:
            seen.add(one.player)
            queues[one.ladder].append(one)
    return queues


def _tables(ladder: PeopleLadder, queue: list[Searcher], hosted_room: int, random: Random) -> Iterator[FoundTable]:
    waiting = list(queue)
    while waiting:
        first = waiting.pop(0)
        table, bots = _nearest(first, waiting, ladder.seats), list[Candidate]()
        if table is None and ladder.hosted and first.waited_s >= BOTS_AFTER_S:
            table = _around(first, waiting, ladder.seats)
            bots = _drawn(ladder, table, random)
            if len(bots) > hosted_room:
                continue
        if table is None or len(table) + len(bots) < ladder.seats:
            continue
        hosted_room -= len(bots)
        waiting = [one for one in waiting if one not in table]
        yield FoundTable(ladder.key, tuple(one.player for one in table), tuple(one.membership for one in bots))


def _nearest(first: Searcher, others: Sequence[Searcher], seats: int) -> list[Searcher] | None:
    """The full table with ``first`` whose ratings are nearest together, if they are near enough for it.

    In the order of ratings such a table is without a gap: whoever is in between is nearer.
    """
    ranked = sorted([first, *others], key=lambda one: (one.rating, -one.waited_s, one.player))
    at = ranked.index(first)
    starts = range(max(0, at - seats + 1), min(at, len(ranked) - seats) + 1)
    tables = [ranked[start : start + seats] for start in starts]
    if not tables:
        return None
    best = min(tables, key=lambda table: (_spread(table), -sum(one.waited_s for one in table)))
    return _first_first(first, best) if _spread(best) <= reach(first.waited_s) else None


def _around(first: Searcher, others: Iterable[Searcher], seats: int) -> list[Searcher]:
    """``first`` and the nearest of those whom it reaches, as many as there are seats for."""
    table = [first]
    for one in sorted(others, key=lambda one: (abs(one.rating - first.rating), -one.waited_s, one.player)):
        if len(table) < seats and _spread([*table, one]) <= reach(first.waited_s):
            table.append(one)
    return table


def _drawn(ladder: PeopleLadder, table: Sequence[Searcher], random: Random) -> list[Candidate]:
    """Bots for the empty seats, as far as there are some that may meet everybody there."""
    first, seated = table[0], [Candidate(membership=-one.player, rating=one.rating, owner=one.person) for one in table]
    bots: list[Candidate] = []
    while len(table) + len(bots) < ladder.seats:
        fitting = [one for one in ladder.hosted if all(may_meet(one, other) for other in (*seated, *bots))]
        if not fitting:
            break
        bots += random.choices(fitting, [nearness(first.rating, one.rating) for one in fitting])
    return bots


def _first_first(first: Searcher, table: Iterable[Searcher]) -> list[Searcher]:
    return [first, *(one for one in table if one is not first)]


def _spread(table: Sequence[Searcher]) -> int:
    ratings = [one.rating for one in table]
    return max(ratings) - min(ratings)
