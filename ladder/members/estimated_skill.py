"""Estimated skills: of members and versions, the order by them, and members that are statistically tied."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NamedTuple, overload

from django.db.models import OuterRef, QuerySet, Subquery

from bots.models import Bot
from esr_platform.prepared import Prepared
from ladder.models import Estimate, Ladder, Membership, Season
from ladder.models.ladders import Viewer
from ladder.ratings.draws import Centred, unpacked

# --- Of members ------------------------------------------------------------------------------------------------------


class Skill(NamedTuple):
    """The estimated skill of the version that a member played last, in 1/1000 point, with its 95% confidence interval.

    ``rank_low`` and ``rank_high`` are its best and worst possible rank among all members. ``kept_draws`` are packed
    (``ladder.ratings.draws``), and empty unless they were asked for.
    """

    version: int
    rating: int
    low: int
    high: int
    rank_low: int
    rank_high: int
    blocks: int
    games: int
    computed: datetime
    kept_draws: bytes = b""

    @property
    def margin(self) -> int:
        """Half the width of the interval."""
        return (self.high - self.low) // 2

    @property
    def draws(self) -> array[int]:
        """The draws of the run."""
        return unpacked(bytes(self.kept_draws))

    @property
    def centred(self) -> Centred:
        """The estimate for comparisons with others of the same run."""
        return Centred.of(self.rating, self.draws)


_COLUMNS: Final = ("version__bot", "version__number", *Skill._fields[1:-1])


def _of_members(*columns: str) -> Prepared[tuple[Any, ...]]:
    return Prepared(
        lambda ladder, bots: (
            Estimate.objects.filter(
                season=Season.objects.latest_of(ladder).values("pk"), rank_low__isnull=False, version__bot__pk__in=bots
            )
            .order_by()
            .values_list(*columns)
        )
    )


_SKILLS: Final = _of_members(*_COLUMNS)
_SKILLS_WITH_DRAWS: Final = _of_members(*_COLUMNS, "kept_draws")


def skills_of(ladder: Ladder, bots: Collection[int], *, draws: bool = False) -> dict[int, Skill]:
    """By bot, its estimated skill in the last season of ``ladder``; one query. Comparisons need ``draws``."""
    rows = (_SKILLS_WITH_DRAWS if draws else _SKILLS)(ladder=ladder.pk, bots=list(bots))
    return {bot: Skill(*columns) for bot, *columns in rows}


class SkillOrder(Sequence[Mapping[str, Any]]):
    """``members``, rows with ``pk`` and ``bot``, by their skills in ``season``; those without one come last.

    Two queries read the numbers for the order, and one query reads the rows of each slice.
    """

    def __init__(self, members: QuerySet[Membership, dict[str, Any]], season: Season | None, *, falling: bool) -> None:
        self._members, self._season, self._falling = members, season, falling

    @cached_property
    def _order(self) -> list[int]:
        """The ids of all members."""
        estimates = Estimate.objects.filter(season=self._season, rank_low__isnull=False).order_by()
        skills = dict(estimates.values_list("version__bot", "rating"))
        members = list(self._members.values_list("pk", "bot"))
        sign = -1 if self._falling else 1
        known = sorted((sign * skills[bot], place) for place, (_, bot) in enumerate(members) if bot in skills)
        return [*(members[place][0] for _, place in known), *(pk for pk, bot in members if bot not in skills)]

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | list[Mapping[str, Any]]:
        if isinstance(index, int):
            return self[index : index + 1][0] if index >= 0 else self[len(self) + index]
        ids = self._order[index]
        rows = {row["pk"]: row for row in self._members.filter(pk__in=ids)}
        return [rows[pk] for pk in ids if pk in rows]  # a member can leave between the queries


# --- Of versions -----------------------------------------------------------------------------------------------------

VERSIONS: Final = 24
"""The maximum number of versions of a bot whose estimates are read."""


def version_estimates(bot: Bot, viewer: Viewer) -> list[Estimate]:
    """The estimates of its newest versions on each ladder that ``viewer`` may see, in its last season; one query."""
    seen = Estimate.objects.filter(version__bot=bot, season__ladder__in=Ladder.objects.visible_to(viewer))
    estimates = seen.filter(season=Subquery(Season.objects.latest_of(OuterRef("season__ladder")).values("pk")))
    rows = estimates.select_related("season__ladder", "version").defer("version__validation_report")
    newest = rows.order_by("-version__number", "season__ladder")[:VERSIONS]
    return sorted(newest, key=lambda row: (row.season.ladder_id, -row.version.number))


# --- Statistically tied neighbors ------------------------------------------------------------------------------------

Run = tuple[int, int]
"""The places of the first and the last row of a tie, from 0."""


@dataclass(frozen=True)
class TieGroups:
    """``runs`` are the longest sequences of rows that are all statistically tied with each other, from the top."""

    runs: Sequence[Run]

    def reach(self, place: int) -> Run:
        """The first and last row that are statistically tied with the row; the row itself if there are no ties."""
        around = [run for run in self.runs if run[0] <= place <= run[1]]
        return min([place, *(run[0] for run in around)]), max([place, *(run[1] for run in around)])


def tie_groups(skills: Sequence[Skill | None]) -> TieGroups:
    """The ties of rows in this order. Rows without a skill have no ties. No queries; ``skills`` have their draws."""
    rows = [skill.centred if skill else None for skill in skills]
    runs: list[Run] = []
    start = 0
    for place in range(len(rows) + 1):
        first = _first_tied(rows, start, place)
        if first > start and place - 1 > start:
            runs.append((start, place - 1))
        start = first
    return TieGroups(runs)


def _first_tied(rows: Sequence[Centred | None], start: int, place: int) -> int:
    """The first row at or after ``start`` from which all rows up to ``place`` are statistically tied with ``place``."""
    row = rows[place] if place < len(rows) else None
    if row is None:
        return place + 1
    for other in range(place - 1, start - 1, -1):
        above = rows[other]
        if above is None or row.told_apart_from(above):
            return other + 1
    return start
