"""A ladder's table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

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
    entries = (
        Entry.objects.filter(Q(active=True) | Q(games__gt=0), ladder=ladder)
        .select_related("bot__owner")
        .order_by("-rating", "pk")
    )
    return ranked(entries)


def ranked(entries: Iterable[Entry]) -> list[Standing]:
    """``entries``, which come best rating first, with their ranks among each other."""
    standings: list[Standing] = []
    for place, entry in enumerate(entries, 1):
        tied = bool(standings) and standings[-1].entry.rating == entry.rating
        standings.append(Standing(standings[-1].rank if tied else place, entry))
    return standings
