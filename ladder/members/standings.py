"""The standings of a ladder."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from ladder.models import Ladder, Membership
from ladder.ratings.elo import PROVISIONAL_GAMES


@dataclass(frozen=True)
class StandingsEntry:
    """One row: ``rank`` is a competition rank by rating (equal ratings share one)."""

    rank: int
    membership: Membership

    @property
    def provisional(self) -> bool:
        """Whether the rating is provisional: it is based on few games."""
        return self.membership.games < PROVISIONAL_GAMES


def table(ladder: Ladder) -> list[StandingsEntry]:
    """All members that play or have played on ``ladder``, with bots and owners, best rating first; one query."""
    return ranked(listed(ladder))


def ranked(memberships: Iterable[Membership]) -> list[StandingsEntry]:
    """``memberships`` (best rating first) with their ranks among each other."""
    standings: list[StandingsEntry] = []
    for place, membership in enumerate(memberships, 1):
        tied = bool(standings) and standings[-1].membership.rating == membership.rating
        standings.append(StandingsEntry(standings[-1].rank if tied else place, membership))
    return standings


def page_of(
    ladder: Ladder, memberships: QuerySet[Membership] | Sequence[Membership], number: str | None, rows: int
) -> tuple[Page[StandingsEntry], int]:
    """Page ``number`` of ``memberships`` of ``ladder``, the nearest there is, and how many are in the whole table.

    Each standing has its rank in the whole table. Three queries, and of everybody else no more than their ratings.
    """
    shown: Page[Any] = Paginator(memberships, rows).get_page(number)
    ratings = [-rating for rating in listed(ladder).order_by("-rating").values_list("rating", flat=True)]
    shown.object_list = [
        StandingsEntry(bisect_left(ratings, -membership.rating) + 1, membership) for membership in shown.object_list
    ]
    return shown, len(ratings)


def listed(ladder: Ladder) -> QuerySet[Membership]:
    """The ranked standings of ``ladder``, with bots and owners."""
    everybody = Membership.objects.filter(Q(active=True) | Q(games__gt=0), ladder=ladder)
    return everybody.select_related("bot__owner").order_by("-rating", "pk")
