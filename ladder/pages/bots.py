"""The pages of bots: all of them, and one with its ladders, versions and matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from bots.models import Bot, BotVersion
from ladder.models import Entry, Estimate, Ladder, Match, Seat
from ladder.owner_logs import Somebody
from ladder.pages.estimates import of_bot
from ladder.pages.matches import listed_part
from ladder.pages.owning.access import may_read, may_read_source, owns, public_bots
from ladder.pages.owning.panel import Panel, panel
from ladder.pages.paging import Part
from ladder.pages.seeing import matches_seen_by
from ladder.pages.tables import active_versions
from ladder.pages.versions import Versions, listed_versions, spoken_of
from ladder.pages.waiting import Reason, reasons

ROWS = 50
_STANDS = Q(active=True) | Q(games__gt=0)


@dataclass(frozen=True)
class BotsPage:
    """A page of all bots, by name; ``versions`` has the active one's number by bot."""

    bots: Page[Any]
    versions: Mapping[int, int]


@dataclass(frozen=True)
class BotPage:
    """One bot: where it stands, what code it has had, and a part of its matches.

    ``panel`` is for its owner and staff; ``versions`` are a part of all for them, of those that were ready for
    everybody else. ``waits`` say why it does not play at this moment; the house's bots have none.
    """

    bot: Bot
    entries: Sequence[Entry]
    versions: Versions
    active: BotVersion | None
    matches: Part[Match]
    queued: int
    panel: Panel | None
    source_opens: bool
    estimates: Sequence[Estimate]
    waits: Sequence[Reason]

    @property
    def games(self) -> int:
        """Rated games on all ladders."""
        return sum(entry.games for entry in self.entries)


def bots_page(page: str | None, user: Somebody) -> BotsPage:
    """Page ``page`` of all bots, the nearest there is; four queries."""
    seen = Ladder.objects.visible_to(user)
    entries = Entry.objects.filter(_STANDS, ladder__in=seen).select_related("ladder").order_by("ladder")
    everybody = (
        public_bots()
        .annotate(played=Sum("entries__games", filter=Q(entries__ladder__in=seen), default=0))
        .prefetch_related(Prefetch("entries", queryset=entries))
        .order_by("name", "pk")
    )
    shown = Paginator(everybody, ROWS).get_page(page)
    return BotsPage(shown, active_versions([bot.pk for bot in shown]))


def bot_page(bot: Bot, parameters: Callable[[str], str | None], user: Somebody) -> BotPage:
    """The page of ``bot`` for ``user``, with the parts of its matches and versions that an address asks for.

    Seventeen queries at most, and five more for its owner and staff, however much has been played.
    """
    its = matches_seen_by(user).filter(Exists(Seat.objects.filter(match=OuterRef("pk"), version__bot=bot)))
    begun = its.exclude(attempts_started=0)
    queued = its.filter(status=Match.Status.QUEUED)
    versions = spoken_of(bot)
    entries = list(_placed(Entry.objects.filter(bot=bot, ladder__in=Ladder.objects.visible_to(user))))
    its_panel = panel(bot, versions, entries, owns(user, bot)) if may_read(user, bot) else None
    active = next((version for version in versions if version.active), None)
    return BotPage(
        bot=bot,
        entries=[entry for entry in entries if entry.active or entry.games],
        versions=listed_versions(bot, its_panel is not None, parameters("versions"), user),
        active=active,
        matches=listed_part(begun, parameters),
        queued=queued.count(),
        panel=its_panel,
        source_opens=active is not None and may_read_source(user, active),
        estimates=of_bot(bot, user),
        waits=reasons(bot, versions, entries, inside=its_panel is not None) if bot.owner_id else (),
    )


def _placed(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """``entries`` with their ``rank`` on their ladder and the number of entries ``among`` which they have it."""
    there = Entry.objects.filter(_STANDS, ladder=OuterRef("ladder")).order_by()
    counted = there.values("ladder").annotate(number=Count("pk")).values("number")
    better = there.filter(rating__gt=OuterRef("rating")).values("ladder").annotate(number=Count("pk")).values("number")
    return (
        entries.select_related("ladder")
        .annotate(among=Coalesce(Subquery(counted), 0), rank=Coalesce(Subquery(better), 0) + 1)
        .order_by("ladder")
    )
