"""The pages of bots: all of them, and one with its ladders, versions and matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from bots.models import Bot, BotVersion
from ladder.models import Entry, Match
from ladder.pages.matches import listed_part
from ladder.pages.paging import Part
from ladder.pages.tables import active_versions

ROWS = 50


@dataclass(frozen=True)
class BotsPage:
    """A page of all bots, by name; ``versions`` has the active one's number by bot."""

    bots: Page[Any]
    versions: Mapping[int, int]


@dataclass(frozen=True)
class BotPage:
    """One bot: where it stands, what code it has had, and a part of its matches."""

    bot: Bot
    entries: Sequence[Entry]
    versions: Sequence[BotVersion]
    matches: Part[Match]
    queued: int

    @property
    def games(self) -> int:
        """Rated games on all ladders."""
        return sum(entry.games for entry in self.entries)

    @property
    def active(self) -> BotVersion | None:
        return next((version for version in self.versions if version.active), None)


def bots_page(page: str | None) -> BotsPage:
    """Page ``page`` of all bots, the nearest there is; four queries."""
    entries = Entry.objects.select_related("ladder").order_by("ladder")
    everybody = (
        Bot.objects.select_related("owner")
        .annotate(played=Sum("entries__games", default=0))
        .prefetch_related(Prefetch("entries", queryset=entries))
        .order_by("name", "pk")
    )
    shown = Paginator(everybody, ROWS).get_page(page)
    return BotsPage(shown, active_versions([bot.pk for bot in shown]))


def bot_page(bot: Bot, parameters: Callable[[str], str | None]) -> BotPage:
    """The page of ``bot`` with the part of its matches that an address asks for; six queries."""
    begun = Match.objects.filter(seats__entry__bot=bot).exclude(attempts_started=0)
    queued = Match.objects.filter(seats__entry__bot=bot, status=Match.Status.QUEUED)
    versions = bot.versions.annotate(played=Count("seats", filter=Q(seats__result__isnull=False)))
    return BotPage(
        bot=bot,
        entries=list(_placed(Entry.objects.filter(bot=bot))),
        versions=list(versions.order_by("-number")),
        matches=listed_part(begun, parameters),
        queued=queued.count(),
    )


def _placed(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """``entries`` with their ``rank`` on their ladder and the number of entries ``among`` which they have it."""
    there = Entry.objects.filter(Q(active=True) | Q(games__gt=0), ladder=OuterRef("ladder")).order_by()
    counted = there.values("ladder").annotate(number=Count("pk")).values("number")
    better = there.filter(rating__gt=OuterRef("rating")).values("ladder").annotate(number=Count("pk")).values("number")
    return (
        entries.select_related("ladder")
        .annotate(among=Coalesce(Subquery(counted), 0), rank=Coalesce(Subquery(better), 0) + 1)
        .order_by("ladder")
    )
