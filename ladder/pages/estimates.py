"""The estimates that pages show: of the rows of a table, and of the versions of a bot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from django.db.models import OuterRef, QuerySet, Subquery

from bots.models import Bot
from ladder.models import Entry, Estimate, Ladder, Season
from ladder.models.ladders import Viewer

ROWS: Final = 24
"""The most rows of a bot's page."""


def estimated(ladder: Ladder, entries: Iterable[Entry]) -> dict[int, Estimate]:
    """By bot, the estimate of the version that it played last, of the ladder's last season; one query."""
    rows = _of_last_season(Estimate.objects.filter(season__ladder=ladder, rank_low__isnull=False))
    return {row.version.bot_id: row for row in rows.filter(version__bot__in=[entry.bot_id for entry in entries])}


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
