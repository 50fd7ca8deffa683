"""A ladder's table."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from ladder.models import Entry, Ladder
from ladder.ratings.elo import PROVISIONAL_GAMES


@dataclass(frozen=True)
class Standing:
    """One row: ``rank`` is a competition rank by rating (equal ratings share one)."""

    rank: int
    entry: Entry

    @property
    def provisional(self) -> bool:
        """Whether the rating still moves fast, because the entry has few games."""
        return self.entry.games < PROVISIONAL_GAMES


def table(ladder: Ladder) -> list[Standing]:
    """Everybody who plays or has played on ``ladder``, best rating first; one query, bots and owners included."""
    return ranked(listed(ladder))


def ranked(entries: Iterable[Entry]) -> list[Standing]:
    """``entries``, which come best rating first, with their ranks among each other."""
    standings: list[Standing] = []
    for place, entry in enumerate(entries, 1):
        tied = bool(standings) and standings[-1].entry.rating == entry.rating
        standings.append(Standing(standings[-1].rank if tied else place, entry))
    return standings


def page_of(
    ladder: Ladder, entries: QuerySet[Entry] | Sequence[Entry], number: str | None, rows: int
) -> tuple[Page[Standing], int]:
    """Page ``number`` of ``entries`` of ``ladder``, the nearest there is, and how many are in the whole table.

    Each standing has its rank in the whole table. Three queries, and of everybody else no more than their ratings.
    """
    shown: Page[Any] = Paginator(entries, rows).get_page(number)
    ratings = [-rating for rating in listed(ladder).order_by("-rating").values_list("rating", flat=True)]
    shown.object_list = [Standing(bisect_left(ratings, -entry.rating) + 1, entry) for entry in shown.object_list]
    return shown, len(ratings)


def listed(ladder: Ladder) -> QuerySet[Entry]:
    """Everybody who plays or has played on ``ladder``, best rating first, with bots and owners."""
    everybody = Entry.objects.filter(Q(active=True) | Q(games__gt=0), ladder=ladder)
    return everybody.select_related("bot__owner").order_by("-rating", "pk")
