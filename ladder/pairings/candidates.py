"""Candidates of a ladder for a block or a table, and which of them can meet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HALF_WEIGHT = 200_000
"""The distance in rating (1/1000 point) at which an opponent is half as likely as one with equal rating."""

NEW_VERSION_GAMES = 20
"""A version with fewer scheduled games than this is new and gets separate blocks."""


@dataclass(frozen=True)
class Candidate:
    """A membership that can play, at the time when blocks are drawn. Its games include scheduled ones.

    ``since`` is the id of the last block that gave it a seat (``LastSeat``): any number that grows with time. ``width``
    is the width of the 95% interval of its estimate, in 1/1000 point like ``rating``, or ``None`` without an estimate.
    Bots of one ``owner`` do not meet. House bots have the owner ``None``; they can meet each other and are never new.
    """

    membership: int
    rating: int
    games: int = 0
    owner: int | None = None
    version_games: int = NEW_VERSION_GAMES
    width: int | None = None
    since: int = 0


def may_meet(candidate: Candidate, other: Candidate) -> bool:
    """Return whether two candidates can be at one table: different memberships with different owners."""
    return candidate.membership != other.membership and (candidate.owner is None or candidate.owner != other.owner)


def nearness(rating: int, other: int) -> float:
    """Return the relative weight of two ratings in a draw: 1 for equal ratings, falling as a Cauchy curve, never 0."""
    return 1 / (1 + ((rating - other) / HALF_WEIGHT) ** 2)


def most_at_one_table(candidates: Iterable[Candidate]) -> int:
    """Return the maximum number of candidates at one table: one per owner, and every house bot.

    If they fill a table, every candidate has enough opponents.
    """
    owners: set[int] = set()
    house = 0
    for candidate in candidates:
        if candidate.owner is None:
            house += 1
        else:
            owners.add(candidate.owner)
    return house + len(owners)
