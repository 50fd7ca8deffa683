"""Who has gained most lately. What was added up is kept for a moment; names are never kept.

It is of ladders that everybody sees, so that it is the same for all. Ratings at a season's start are no gain, and what
was voided counts no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.core.cache import cache
from django.db.models import Count, F, Min, Sum
from django.utils import timezone

from ladder.models import Entry, Ladder, Result, SeatResult

WINDOW: Final = timedelta(days=7)
MOST_RESULTS: Final = 1000
"""The last so many games at most: what is added up has the same size on every site."""

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
    """The biggest gains since a moment; ``results`` are the games that were looked at."""

    since: datetime | None
    results: int
    rows: Sequence[Climb]

    @property
    def whole_window(self) -> bool:
        """Whether all games of the last seven days were looked at."""
        return self.results < MOST_RESULTS


@dataclass(frozen=True)
class _Sums:
    since: datetime | None
    results: int
    gains: Sequence[tuple[int, int, int]]


def climbs() -> Climbs:
    """The biggest gains on ladders that are not private; one query, three once a minute."""
    sums = cache.get(_KEY)
    if sums is None:
        sums = _added_up()
        cache.set(_KEY, sums, KEPT_SECONDS)
    seen = Ladder.objects.visible_to(AnonymousUser())
    entries = Entry.objects.select_related("bot__owner", "ladder").filter(ladder__in=seen)
    found = {entry.pk: entry for entry in entries.filter(pk__in=[pk for pk, _, _ in sums.gains])}
    rows = [Climb(found[pk], change, games) for pk, change, games in sums.gains if pk in found]
    return Climbs(sums.since, sums.results, rows)


def _added_up() -> _Sums:
    seen = Ladder.objects.visible_to(AnonymousUser())
    last = Result.objects.order_by("-pk").values_list("pk", "created")[:MOST_RESULTS]
    begin = timezone.now() - WINDOW
    ids = [pk for pk, created in last if created >= begin]
    if not ids:
        return _Sums(None, 0, [])
    counted = SeatResult.objects.filter(result__gte=ids[-1], rating_after__isnull=False, seat__entry__ladder__in=seen)
    sums = (
        counted.order_by()
        .values("seat__entry")
        .annotate(change=Sum(F("rating_after") - F("rating_before")), games=Count("pk"), since=Min("result__created"))
        .filter(games__gte=FEWEST_GAMES, change__gt=0)
        .order_by("-change", "seat__entry")[:SHOWN]
    )
    rows = list(sums)
    gains = [(row["seat__entry"], row["change"], row["games"]) for row in rows]
    return _Sums(min((row["since"] for row in rows), default=None), len(ids), gains)
