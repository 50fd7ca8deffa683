"""Who feeds whom, for staff: pairs of which one gained more from the other than from everybody else.

Where people sit, also who wins for whom: they need not exchange anything for that.
"""

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
    """A pair with what was found of it (``ladder.statistics``: ``feeding.Feeding``, ``winning.Winning``), and both."""

    taker: Entry
    giver: Entry
    found: Mapping[str, Any]


@dataclass(frozen=True)
class FeedingReport:
    """One ladder's report, of its latest season; ``measured`` is ``None`` until there is one.

    ``won`` are pairs of whom one is ahead of the other, ``won_pairs`` how many were compared for that. Both kinds are
    counted in ``standing_out``.
    """

    ladder: Ladder
    season: Season | None
    measured: datetime | None
    blocks: int
    pairs: int
    rows: Sequence[FeedingRow]
    standing_out: int
    won: Sequence[FeedingRow] = ()
    won_pairs: int = 0

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
    def won_alarms(self) -> list[FeedingRow]:
        """The pairs of whom one wins for the other, as it seems."""
        return [row for row in self.won if row.found["stands_out"]]

    @property
    def won_shown(self) -> list[FeedingRow]:
        """Of these pairs, those worth a row."""
        ahead = [row for row in self.won if row.found["excess"] > 0]
        return ahead[: max(SHOWN, len(self.won_alarms))]

    @property
    def compared(self) -> int:
        """Ordered pairs of either kind."""
        return max(self.pairs, self.won_pairs)

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
    won = document.get("won", {})
    return FeedingReport(
        ladder=ladder,
        season=season,
        measured=its.measured if its else None,
        blocks=document.get("blocks", 0),
        pairs=document.get("pairs", 0),
        rows=(),
        standing_out=_alarms(document) + _alarms(won),
        won_pairs=won.get("pairs", 0),
    )


def report_from(
    ladder: Ladder, season: Season | None, measured: datetime | None, document: Mapping[str, Any]
) -> FeedingReport:
    """The report that ``ladder.season_statistics.feeding_document`` gives; one query."""
    won = document.get("won", {})
    found = [*document.get("found", ()), *won.get("found", ())]
    ids = {one[side] for one in found for side in ("taker", "giver")}
    entries = {entry.pk: entry for entry in Entry.objects.filter(pk__in=ids).select_related("bot__owner")}
    rows = [FeedingRow(entries[one["taker"]], entries[one["giver"]], one) for one in found]
    fed = len(document.get("found", ()))
    return FeedingReport(
        ladder=ladder,
        season=season,
        measured=measured,
        blocks=document.get("blocks", 0),
        pairs=document.get("pairs", 0),
        rows=rows[:fed],
        standing_out=_alarms(document) + _alarms(won),
        won=rows[fed:],
        won_pairs=won.get("pairs", 0),
    )


def _alarms(document: Mapping[str, Any]) -> int:
    return sum(one["stands_out"] for one in document.get("found", ()))
