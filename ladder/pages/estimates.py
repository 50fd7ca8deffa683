"""What pages show of estimates: a table's rows with their intervals, and which of its ranks cannot be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from django.db.models import OuterRef, QuerySet, Subquery

from bots.models import Bot
from ladder.models import Estimate, Ladder, Season
from ladder.models.ladders import Viewer
from ladder.standings import Standing

ROWS: Final = 24
"""The most rows of a bot's page."""


@dataclass(frozen=True)
class Estimated:
    """The estimates beside some rows of a ladder's table, by bot: of the version that it played last.

    ``level`` has, by bot, the rank of the row above it where the two cannot be told apart.
    """

    by_bot: Mapping[int, Estimate]
    level: Mapping[int, int]

    @property
    def bounds(self) -> list[int]:
        """All ends of the intervals, in 1/1000 point."""
        return [end for one in self.by_bot.values() for end in (one.low, one.high)]


def estimated(ladder: Ladder, standings: Sequence[Standing]) -> Estimated:
    """The estimates of the ladder's last season for these rows, which follow each other; one query."""
    bots = [standing.entry.bot_id for standing in standings]
    rows = _of_last_season(Estimate.objects.filter(season__ladder=ladder, rank_low__isnull=False))
    found = {row.version.bot_id: row for row in rows.filter(version__bot__in=bots)}
    level = {}
    for above, below in pairwise(standings):
        one, other = found.get(above.entry.bot_id), found.get(below.entry.bot_id)
        if one and other and not one.told_apart_from(other):
            level[below.entry.bot_id] = above.rank
    return Estimated(found, level)


def of_bot(bot: Bot, viewer: Viewer) -> list[Estimate]:
    """The estimates of its newest versions on each ladder that ``viewer`` may see, in its last season; one query."""
    seen = Estimate.objects.filter(version__bot=bot, season__ladder__in=Ladder.objects.visible_to(viewer))
    newest = _of_last_season(seen).order_by("-version__number", "season__ladder")[:ROWS]
    return sorted(newest, key=lambda row: (row.season.ladder_id, -row.version.number))


def _of_last_season(estimates: QuerySet[Estimate]) -> QuerySet[Estimate]:
    last = Season.objects.filter(ladder=OuterRef("season__ladder")).order_by("-number").values("pk")[:1]
    return (
        estimates.filter(season=Subquery(last))
        .select_related("season__ladder", "version")
        .defer("version__check_report")
    )
