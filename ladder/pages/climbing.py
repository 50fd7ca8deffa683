"""Who has gained most lately. What was added up is kept for a moment; names are never kept.

It is of ladders that everybody sees, so that it is the same for all. Ratings at a season's start are no gain, and what
was voided counts no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.db.models import Count, F, Min, Sum

from ladder.models import Entry, Ladder, Result, SeatResult

MOST_RESULTS: Final = 1000
"""The last so many games are looked at: what is added up has the same size on every site."""

FEWEST_GAMES: Final = 12
"""Who has played less in that time may have been lucky only."""

SHOWN: Final = 5
KEPT_SECONDS: Final = 60
_KEY: Final = "climbing/1"


@dataclass(frozen=True)
class Climb:
    """An entry that has gained ``change`` (1/1000 point) in its last ``games`` rated games."""

    entry: Entry
    change: int
    games: int


@dataclass(frozen=True)
class Climbs:
    """The biggest gains in the last games; ``since`` is when the first of those that count here was over."""

    since: datetime | None
    rows: Sequence[Climb]

    @property
    def looked_at(self) -> int:
        return MOST_RESULTS


@dataclass(frozen=True)
class _Sums:
    since: datetime | None
    gains: Sequence[tuple[int, int, int]]


def climbs() -> Climbs:
    """The biggest gains on ladders that are not private; one query, two once a minute."""
    sums = caches["pages"].get(_KEY)
    if sums is None:
        sums = _added_up()
        caches["pages"].set(_KEY, sums, KEPT_SECONDS)
    seen = Ladder.objects.visible_to(AnonymousUser())
    entries = Entry.objects.select_related("bot__owner", "ladder").filter(ladder__in=seen)
    found = {entry.pk: entry for entry in entries.filter(pk__in=[pk for pk, _, _ in sums.gains])}
    rows = [Climb(found[pk], change, games) for pk, change, games in sums.gains if pk in found]
    return Climbs(sums.since, rows)


def _added_up() -> _Sums:
    seen = Ladder.objects.visible_to(AnonymousUser())
    last = Result.objects.order_by("-pk").values("pk")[:MOST_RESULTS]
    counted = SeatResult.objects.filter(result__in=last, rating_after__isnull=False, seat__entry__ladder__in=seen)
    sums = (
        counted.order_by()
        .values("seat__entry")
        .annotate(gained=Sum(F("rating_after") - F("rating_before")), games=Count("pk"), since=Min("result__created"))
        .filter(games__gte=FEWEST_GAMES, gained__gt=0)
        .order_by("-gained", "seat__entry")[:SHOWN]
    )
    rows = list(sums)
    gains = [(row["seat__entry"], row["gained"], row["games"]) for row in rows]
    return _Sums(min((row["since"] for row in rows), default=None), gains)
