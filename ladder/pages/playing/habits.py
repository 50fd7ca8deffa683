"""What a version does, held against the mean of its ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from games.base import Habit
from games.registry import GAMES
from ladder.models import Entry, VersionTally
from ladder.statistics.habits import FEW, HabitSums, Practice, practice


@dataclass(frozen=True)
class HabitRow:
    """One habit: the version's own (``None`` where it had no occasion) and that of all who play there."""

    habit: Habit
    own: Practice | None
    mean: Practice | None

    @property
    def apart(self) -> bool:
        """Whether the ladder's mean lies outside the version's interval."""
        if self.own is None or self.mean is None or self.own.low is None or self.own.high is None:
            return False
        return not self.own.low <= self.mean.value <= self.own.high


@dataclass(frozen=True)
class HabitGroup:
    """Habits that stand in one table."""

    title: str
    rows: Sequence[HabitRow]


@dataclass(frozen=True)
class HabitTables:
    """What a version did in so many blocks and games."""

    version: int
    blocks: int
    games: int
    groups: Sequence[HabitGroup]


def tallies_of(entry: Entry, season: int | None) -> Sequence[VersionTally]:
    """How the versions of ``entry`` played in a season, with the season's statistics; one query."""
    its = VersionTally.objects.filter(season=season, entry=entry).select_related("version", "season__statistics")
    return list(its.defer("version__check_report", "season__statistics__document", "season__statistics__feeding"))


def habit_tables(tallies: Sequence[VersionTally], game: str) -> HabitTables | None:
    """The tables of the newest version with enough blocks to say something, else of the newest; ``None`` without any.

    ``tallies`` are of one entry and season, as ``tallies_of`` reads them.
    """
    newest = sorted(tallies, key=lambda tally: -tally.version.number)
    shown = next((tally for tally in newest if tally.blocks >= FEW), next(iter(newest), None))
    if shown is None:
        return None
    everybody: HabitSums = shown.season.statistics.habits
    rows = [_row(habit, shown.habits, everybody) for habit in GAMES[game].habit_columns()]
    known = [row for row in rows if row.own or row.mean]
    groups = [HabitGroup(title, list(its)) for title, its in groupby(known, key=lambda row: row.habit.group)]
    return HabitTables(shown.version.number, shown.blocks, shown.games, groups) if groups else None


def _row(habit: Habit, own: Mapping[str, Sequence[int]], everybody: Mapping[str, Sequence[int]]) -> HabitRow:
    return HabitRow(habit, _practice(habit, own), _practice(habit, everybody))


def _practice(habit: Habit, sums: Mapping[str, Sequence[int]]) -> Practice | None:
    return practice(sums[habit.key], habit.share, habit.scale) if habit.key in sums else None
