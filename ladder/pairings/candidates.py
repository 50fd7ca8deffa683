"""Who may play, and who may meet whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HALF_WEIGHT = 200_000
"""The distance in rating (1/1000 point) at which an opponent is half as likely as an equal one."""

NEW_VERSION_GAMES = 20
"""A version that was given fewer games than these is new: it has blocks of its own."""


@dataclass(frozen=True)
class Candidate:
    """A membership that may play, as it stands when blocks are drawn. Games count those still to be played, too.

    ``since`` is when it was last given a seat, or came: any number that grows. ``width`` is that of its estimate's 95 %
    interval, in 1/1000 point like ``rating``; ``None``: there is no estimate yet. Bots of one ``owner`` do not meet;
    ``None`` is the house, whose bots may meet each other and are never new.
    """

    membership: int
    rating: int
    games: int = 0
    owner: int | None = None
    version_games: int = NEW_VERSION_GAMES
    width: int | None = None
    since: int = 0


def may_meet(one: Candidate, other: Candidate) -> bool:
    """Whether the two may sit at one table: different memberships, not of the same owner."""
    return one.membership != other.membership and (one.owner is None or one.owner != other.owner)


def nearness(one: int, other: int) -> float:
    """How likely bots of these ratings meet, beside others: 1 for equals, then as a Cauchy curve falls, never 0."""
    return 1 / (1 + ((one - other) / HALF_WEIGHT) ** 2)


def most_at_one_table(candidates: Iterable[Candidate]) -> int:
    """Each owner's first bot and every house bot: if they fill a table, whoever sits down first finds opponents."""
    owners: set[int] = set()
    house = 0
    for candidate in candidates:
        if candidate.owner is None:
            house += 1
        else:
            owners.add(candidate.owner)
    return house + len(owners)
