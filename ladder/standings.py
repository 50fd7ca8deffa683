"""A ladder's table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
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
    return ranked(_listed(ladder))


def ranked(entries: Iterable[Entry]) -> list[Standing]:
    """``entries``, which come best rating first, with their ranks among each other."""
    standings: list[Standing] = []
    for place, entry in enumerate(entries, 1):
        tied = bool(standings) and standings[-1].entry.rating == entry.rating
        standings.append(Standing(standings[-1].rank if tied else place, entry))
    return standings


def page_of(ladder: Ladder, number: str | None, rows: int) -> Page[Standing]:
    """Page ``number`` of that table, the nearest there is; three queries, and no rows but those of the page."""
    shown: Page[Any] = Paginator(_listed(ladder), rows).get_page(number)
    standings = ranked(shown.object_list)
    if standings and shown.number > 1:
        first = standings[0].entry.rating
        better = _listed(ladder).filter(rating__gt=first).count()
        before = shown.start_index() - 1
        standings = [
            replace(one, rank=better + 1 if one.entry.rating == first else before + one.rank) for one in standings
        ]
    shown.object_list = standings
    return shown


def _listed(ladder: Ladder) -> QuerySet[Entry]:
    everybody = Entry.objects.filter(Q(active=True) | Q(games__gt=0), ladder=ladder)
    return everybody.select_related("bot__owner").order_by("-rating", "pk")
