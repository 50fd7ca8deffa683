"""The versions of a bot in parts, and those that its page speaks of; a bot may have had hundreds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet, Subquery, Sum
from django.db.models.expressions import OuterRef
from django.db.models.functions import Coalesce

from bots.models import Bot, BotVersion
from ladder.models import Ladder, VersionTally
from ladder.models.ladders import Viewer
from ladder.pages.paging import cursor

ROWS: Final = 12
_STATE = BotVersion.State


@dataclass(frozen=True)
class Versions:
    """Some versions of a bot, newest first, each with the number of its rated games that statistics hold.

    ``before`` is the cursor of the older ones; ``newer`` says whether it begins with older ones. ``spoken_of`` are
    the version that plays, those that wait for their check, and the newest, whether they are among ``rows`` or not.
    """

    rows: Sequence[tuple[BotVersion, int]]
    before: int | None
    newer: bool
    spoken_of: Sequence[BotVersion]

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def active(self) -> BotVersion | None:
        """The version that plays."""
        return next((version for version in self.spoken_of if version.active), None)


def versions_of(bot: Bot, everything: bool, older_than: str | None, user: Viewer) -> Versions:
    """Versions below the number in an address, else the newest; only those that were ready, unless ``everything``.

    One query, which reads few more rows than are shown. Games are of ladders that ``user`` may see.
    """
    start = cursor(older_than)
    listed = bot.versions.all() if everything else bot.versions.filter(state=_STATE.READY)
    listed = listed if start is None else listed.filter(number__lt=start)
    part = listed.order_by("-number").values("pk")[: ROWS + 1]
    found = list(_of(bot, user).filter(_concerned(bot) | Q(pk__in=part)))
    rows = [one for one in found if _is_listed(one, everything, start)][: ROWS + 1]
    shown = rows[:ROWS]
    return Versions(
        rows=[(version, version.played) for version in shown],
        before=shown[-1].number if len(rows) > ROWS else None,
        newer=start is not None,
        spoken_of=list(spoken_of(bot, found)),
    )


def spoken_of(bot: Bot, among: Sequence[BotVersion] | None = None) -> Sequence[BotVersion]:
    """The version that plays, those that wait for their check, and the newest: newest first.

    One query, none if they are ``among`` what was read already.
    """
    if among is None:
        return list(_plain(bot).filter(_concerned(bot)))
    return [one for place, one in enumerate(among) if not place or one.active or one.state in BotVersion.UNCHECKED]


def _is_listed(version: BotVersion, everything: bool, start: int | None) -> bool:
    return (everything or version.state == _STATE.READY) and (start is None or version.number < start)


def _concerned(bot: Bot) -> Q:
    newest = bot.versions.order_by("-number").values("number")[:1]
    return Q(active=True) | Q(state__in=BotVersion.UNCHECKED) | Q(number=newest)


def _plain(bot: Bot) -> QuerySet[BotVersion]:
    return bot.versions.select_related("bot").defer("check_report").order_by("-number")


def _of(bot: Bot, user: Viewer) -> QuerySet[Any]:
    """The versions of ``bot`` with the games that they have ``played``."""
    seen = VersionTally.objects.filter(version=OuterRef("pk"), entry__ladder__in=Ladder.objects.visible_to(user))
    games = seen.order_by().values("version").annotate(number=Sum("games")).values("number")
    return _plain(bot).annotate(played=Coalesce(Subquery(games), 0))
