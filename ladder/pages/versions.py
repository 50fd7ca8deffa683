"""The versions of a bot in parts, and those that its page speaks of; a bot may have had hundreds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Q, QuerySet

from bots.models import Bot, BotVersion
from ladder.models import Ladder, Seat
from ladder.models.ladders import Viewer
from ladder.pages.paging import cursor

ROWS: Final = 12
_STATE = BotVersion.State


@dataclass(frozen=True)
class Versions:
    """Some versions of a bot, newest first, each with the number of its rated games.

    ``before`` is the cursor of the older ones; ``newer`` says whether the list begins with older ones.
    """

    rows: Sequence[tuple[BotVersion, int]]
    before: int | None
    newer: bool

    def __bool__(self) -> bool:
        return bool(self.rows)


def listed_versions(bot: Bot, everything: bool, older_than: str | None, user: Viewer) -> Versions:
    """Versions below the number in an address, else the newest; only those that were ready, unless ``everything``.

    Two queries, which read no more rows than are shown and count no games of others.
    """
    versions = _of(bot) if everything else _of(bot).filter(state=_STATE.READY)
    start = cursor(older_than)
    found = list((versions if start is None else versions.filter(number__lt=start))[: ROWS + 1])
    shown = found[:ROWS]
    games = _games(shown, user)
    rows = [(version, games.get(version.pk, 0)) for version in shown]
    return Versions(rows, shown[-1].number if len(found) > ROWS else None, start is not None)


def spoken_of(bot: Bot) -> Sequence[BotVersion]:
    """The version that plays, those that wait for their check, and the newest: newest first, in one query."""
    newest = bot.versions.order_by("-number").values("number")[:1]
    concerned = Q(active=True) | Q(state__in=BotVersion.UNCHECKED) | Q(number=newest)
    return list(_of(bot).filter(concerned))


def _of(bot: Bot) -> QuerySet[BotVersion]:
    return bot.versions.select_related("bot").defer("check_report").order_by("-number")


def _games(versions: Sequence[BotVersion], user: Viewer) -> dict[int, int]:
    """Games that are rated and count by version, on ladders that ``user`` may see."""
    seen = Ladder.objects.visible_to(user)
    seats = Seat.objects.filter(
        version__in=versions, result__rating_after__isnull=False, match__ladder__in=seen
    ).order_by()
    return dict(seats.values_list("version").annotate(number=Count("pk")))
