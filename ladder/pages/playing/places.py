"""Where a bot stands: its entries with their ranks, and the one that a page looks at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import Http404

from bots.models import Bot
from ladder.models import Entry, Ladder, Match, Season
from ladder.models.ladders import Viewer

STANDS: Final = Q(active=True) | Q(games__gt=0)
"""The entries of a ladder's table."""


@dataclass(frozen=True)
class Placed:
    """An entry with its ``rank`` ``among`` so many, how many of its rated games are ``queued``, and the last season."""

    entry: Entry
    rank: int
    among: int
    queued: int
    season: int | None

    @property
    def ladder(self) -> Ladder:
        return self.entry.ladder

    @property
    def games(self) -> int:
        return self.entry.games

    @property
    def shown(self) -> bool:
        """Whether it stands in the ladder's table."""
        return self.entry.active or self.entry.games > 0


def placed_of(bot: Bot, user: Viewer) -> list[Placed]:
    """All entries of ``bot`` on ladders that ``user`` may see, in the order of the ladders; one query."""
    its = Entry.objects.filter(bot=bot, ladder__in=Ladder.objects.visible_to(user))
    return [Placed(one, one.rank, one.among, one.queued, one.season) for one in _placed(its)]


def chosen_of(placed: Sequence[Placed], slug: str | None) -> Placed | None:
    """The one whose ladder is called ``slug``; without a name the one with most games among those that play.

    Raises ``Http404`` for a name that is none of theirs.
    """
    if slug:
        named = next((one for one in placed if one.ladder.slug == slug), None)
        if named is None:
            raise Http404(f"The bot is on no ladder called {slug}.")
        return named
    return max(placed, key=lambda one: (one.entry.active, one.games), default=None)


def _placed(entries: QuerySet[Entry]) -> QuerySet[Any]:
    there = Entry.objects.filter(STANDS, ladder=OuterRef("ladder")).order_by()
    counted = there.values("ladder").annotate(number=Count("pk")).values("number")
    better = there.filter(rating__gt=OuterRef("rating")).values("ladder").annotate(number=Count("pk")).values("number")
    waiting = Match.objects.filter(ladder=OuterRef("ladder"), status=Match.Status.QUEUED, seats__entry=OuterRef("pk"))
    queued = waiting.order_by().values("ladder").annotate(number=Count("pk")).values("number")
    last = Season.objects.filter(ladder=OuterRef("ladder")).order_by("-number").values("pk")[:1]
    return (
        entries.select_related("ladder")
        .annotate(among=Coalesce(Subquery(counted), 0), rank=Coalesce(Subquery(better), 0) + 1)
        .annotate(queued=Coalesce(Subquery(queued), 0), season=Subquery(last))
        .order_by("ladder")
    )
