"""Who feeds whom, for staff: pairs of which one gained more from the other than from everybody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from games.base import Game
from games.registry import GAMES
from ladder.models import Entry, Ladder, Season, SeasonStatistics
from ladder.statistics.limits import ALARM, LEAST_BLOCKS

SHOWN = 25
"""Pairs on a page, unless more stand out."""


@dataclass(frozen=True)
class FeedingRow:
    """A pair with what was found of it (``ladder.statistics.feeding.Feeding``), and its bots."""

    taker: Entry
    giver: Entry
    found: Mapping[str, Any]


@dataclass(frozen=True)
class FeedingReport:
    """One ladder's report, of its latest season; ``measured`` is ``None`` until there is one."""

    ladder: Ladder
    season: Season | None
    measured: datetime | None
    blocks: int
    pairs: int
    rows: Sequence[FeedingRow]
    standing_out: int

    @property
    def game(self) -> Game:
        return GAMES[self.ladder.game]

    @property
    def alarms(self) -> list[FeedingRow]:
        """The pairs that stand out."""
        return [row for row in self.rows if row.found["stands_out"]]

    @property
    def shown(self) -> list[FeedingRow]:
        """The pairs worth a row: each from the side that gained more than expected."""
        gaining = [row for row in self.rows if row.found["excess"] > 0]
        return gaining[: max(SHOWN, len(self.alarms))]

    @property
    def alarm(self) -> float:
        return ALARM

    @property
    def least_blocks(self) -> int:
        return LEAST_BLOCKS


def feeding_report(ladder: Ladder) -> FeedingReport:
    """The report of the latest season of ``ladder`` as it was last measured; three queries."""
    season = ladder.seasons.order_by("-number").first()
    kept = SeasonStatistics.objects.filter(season=season).defer("document").first() if season else None
    return report_from(ladder, season, kept.measured if kept else None, kept.feeding if kept else {})


def feeding_reports() -> list[FeedingReport]:
    """The report of every ladder without its rows' bots; three queries."""
    latest = {season.ladder_id: season for season in Season.objects.order_by("number")}
    known = SeasonStatistics.objects.filter(season__in=latest.values()).defer("document")
    kept = {statistics.season_id: statistics for statistics in known}
    return [_short(ladder, latest.get(ladder.pk), kept) for ladder in Ladder.objects.order_by("pk")]


def _short(ladder: Ladder, season: Season | None, kept: Mapping[int, SeasonStatistics]) -> FeedingReport:
    its = kept.get(season.pk) if season else None
    document = its.feeding if its else {}
    alarms = sum(one["stands_out"] for one in document.get("found", ()))
    measured = its.measured if its else None
    return FeedingReport(ladder, season, measured, document.get("blocks", 0), document.get("pairs", 0), (), alarms)


def report_from(
    ladder: Ladder, season: Season | None, measured: datetime | None, document: Mapping[str, Any]
) -> FeedingReport:
    """The report that ``ladder.measuring.feeding_document`` gives; one query."""
    found = document.get("found", ())
    ids = {one[side] for one in found for side in ("taker", "giver")}
    entries = {entry.pk: entry for entry in Entry.objects.filter(pk__in=ids).select_related("bot__owner")}
    rows = [FeedingRow(entries[one["taker"]], entries[one["giver"]], one) for one in found]
    alarms = sum(one["stands_out"] for one in found)
    return FeedingReport(ladder, season, measured, document.get("blocks", 0), document.get("pairs", 0), rows, alarms)
