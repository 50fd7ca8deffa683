"""Quick pairing: tables for people who look for a game, with ratings as near as their waiting time allows.

People who have waited longest are served first, with the nearest others. The maximum distance in rating grows with the
waiting time (``reach``) and has no limit after ``ANYBODY_AFTER_S``, so that no one waits permanently if there are
enough people. On a ladder with hosted bots, empty seats go to bots after ``BOTS_AFTER_S``. These are drawn at random,
near ratings more often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from random import Random

from ladder.pairings.candidates import Candidate, may_meet, nearness

NEAR = 150_000
"""Maximum distance in rating (1/1000 point) without waiting time."""

WIDENING_A_SECOND = 10_000
"""Additional distance per second of waiting time (1/1000 point)."""

ANYBODY_AFTER_S = 45.0
BOTS_AFTER_S = 10.0


@dataclass(frozen=True)
class Searcher:
    """A person who looks for a game on ``ladder``.

    ``player`` is the bot that represents the person, ``person`` the owner whose bots they do not meet.
    """

    player: int
    person: int
    ladder: int
    rating: int
    waited_s: float


@dataclass(frozen=True)
class PeopleLadder:
    """A ladder on which people look for games. ``hosted`` are the bots that can fill its tables."""

    key: int
    seats: int
    hosted: Sequence[Candidate] = ()


@dataclass(frozen=True)
class FoundTable:
    """A table: its people by ``Searcher.player``, the longest waiting first, and the memberships of its bots."""

    ladder: int
    players: tuple[int, ...]
    bots: tuple[int, ...] = ()


def reach(waited_s: float) -> float:
    """Return the maximum distance in rating (1/1000 point) at a table whose first player has waited this long."""
    return inf if waited_s >= ANYBODY_AFTER_S else NEAR + WIDENING_A_SECOND * waited_s


def found_tables(
    ladders: Iterable[PeopleLadder], searchers: Iterable[Searcher], hosted_room: int, random: Random
) -> list[FoundTable]:
    """Return the tables that can be opened now, with bots in at most ``hosted_room`` seats.

    A person is at most at one of them. The ratings of the people at one table differ by at most the ``reach`` of its
    first.
    """
    queues = _queues(searchers)
    tables: list[FoundTable] = []
    for ladder in ladders:
        for table in _tables(ladder, queues[ladder.key], hosted_room, random):
            hosted_room -= len(table.bots)
            tables.append(table)
    return tables


def _queues(searchers: Iterable[Searcher]) -> defaultdict[int, list[Searcher]]:
    """Return the searchers by ladder, the longest waiting first, each person once with the longer wait."""
    queues: defaultdict[int, list[Searcher]] = defaultdict(list)
    seen: set[int] = set()
    for searcher in sorted(searchers, key=lambda searcher: (-searcher.waited_s, searcher.player, searcher.ladder)):
        if searcher.player not in seen:
            seen.add(searcher.player)
            queues[searcher.ladder].append(searcher)
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
        waiting = [searcher for searcher in waiting if searcher not in table]
        yield FoundTable(
            ladder.key, tuple(searcher.player for searcher in table), tuple(searcher.membership for searcher in bots)
        )


def _nearest(first: Searcher, others: Sequence[Searcher], seats: int) -> list[Searcher] | None:
    """Return the full table with ``first`` and the smallest range of ratings, or ``None`` if the range is too large.

    Such a table has no gap in the order of ratings, because people in between are nearer.
    """
    ranked = sorted([first, *others], key=lambda searcher: (searcher.rating, -searcher.waited_s, searcher.player))
    at = ranked.index(first)
    starts = range(max(0, at - seats + 1), min(at, len(ranked) - seats) + 1)
    tables = [ranked[start : start + seats] for start in starts]
    if not tables:
        return None
    best = min(tables, key=lambda table: (_spread(table), -sum(searcher.waited_s for searcher in table)))
    return _first_first(first, best) if _spread(best) <= reach(first.waited_s) else None


def _around(first: Searcher, others: Iterable[Searcher], seats: int) -> list[Searcher]:
    """Return ``first`` and the nearest people within its reach, for at most all seats."""
    table = [first]
    for searcher in sorted(
        others, key=lambda searcher: (abs(searcher.rating - first.rating), -searcher.waited_s, searcher.player)
    ):
        if len(table) < seats and _spread([*table, searcher]) <= reach(first.waited_s):
            table.append(searcher)
    return table


def _drawn(ladder: PeopleLadder, table: Sequence[Searcher], random: Random) -> list[Candidate]:
    """Return bots for the empty seats that can meet everyone at the table, as far as there are enough."""
    first, seated = (
        table[0],
        [Candidate(membership=-searcher.player, rating=searcher.rating, owner=searcher.person) for searcher in table],
    )
    bots: list[Candidate] = []
    while len(table) + len(bots) < ladder.seats:
        fitting = [
            candidate for candidate in ladder.hosted if all(may_meet(candidate, other) for other in (*seated, *bots))
        ]
        if not fitting:
            break
        bots += random.choices(fitting, [nearness(first.rating, candidate.rating) for candidate in fitting])
    return bots


def _first_first(first: Searcher, table: Iterable[Searcher]) -> list[Searcher]:
    return [first, *(searcher for searcher in table if searcher is not first)]


def _spread(table: Sequence[Searcher]) -> int:
    ratings = [searcher.rating for searcher in table]
    return max(ratings) - min(ratings)
