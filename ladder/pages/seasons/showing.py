"""What the pages of seasons show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, NullIf
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from ladder.access import found, ladder_seen_by
from ladder.models import Block, DealSeries, FinalStanding, Ladder, Season
from ladder.models.ladders import Viewer
from ladder.pages.tabling.asking import OF, Asked, Column, Parameters, asked_of

_Row = TypeVar("_Row")

ROWS = 50
COLUMNS = (
    Column("rating", _("rating")),
    Column("bot", _("bot"), falling=False, numeric=False),
    Column("games", _("games")),
    Column("first", _("first places, %")),
)
KINDS = {
    DealSeries.Kind.LADDER: gettext_noop("rated blocks"),
    DealSeries.Kind.TEST: gettext_noop("tests, challenges and scheduled matches"),
    DealSeries.Kind.LIVE: gettext_noop("games with people or remote bots"),
}
"""What a series of deals is for."""

FIELDS = {"rating": "rating", "bot": "entry__bot__name", "games": "games", "first": "share"}
"""By column of the final table, what it is sorted by."""


@dataclass(frozen=True)
class SeasonsPage:
    """All seasons of a ladder, the newest first, each with its winners."""

    ladder: Ladder
    seasons: Sequence[Season]

    @property
    def current(self) -> Season | None:
        """The one in which rated matches are scheduled, or that is closing."""
        return next((season for season in self.seasons if season.closed is None), None)


@dataclass(frozen=True)
class SeriesRow:
    """One of a season's series: ``made`` deals, of which ``closed`` are still being played."""

    series: DealSeries
    made: int
    closed: int

    @property
    def kind(self) -> str:
        """What its deals are for."""
        return gettext(KINDS[DealSeries.Kind(self.series.kind)])


@dataclass(frozen=True)
class SeasonPage:
    """One season: its keys and deals, and a page of the final table once it is closed."""

    season: Season
    asked: Asked
    series: Sequence[SeriesRow]
    standings: Page[Any]

    @property
    def made(self) -> int:
        """Deals of all series."""
        return sum(row.made for row in self.series)

    @property
    def pending(self) -> int:
        """Deals that are still being played."""
        return sum(row.closed for row in self.series)

    @property
    def published(self) -> bool:
        """Whether all keys are."""
        return all(row.series.published for row in self.series)

    @property
    def winners(self) -> Sequence[FinalStanding]:
        """The first of the final table, who may be several; none before the season is closed."""
        return list(_winners().filter(season=self.season))


def season_seen_by(user: Viewer, slug: str, number: int) -> Season:
    """The season at an address, with its ladder. Raises ``Http404``."""
    return season_among(Season.objects.select_related("ladder", "closed_by"), user, slug, number)


def season_among(seasons: QuerySet[Season, _Row], user: Viewer, slug: str, number: int) -> _Row:
    """The one of ``seasons``, or of rows of them, at an address, as ``season_seen_by`` has it."""
    ladder = ladder_seen_by(user, slug)
    otherwise = gettext("%(ladder)s has no season %(number)s.") % {"ladder": ladder, "number": number}
    return found(seasons.filter(ladder=ladder), otherwise, number=number)


def seasons_page(ladder: Ladder) -> SeasonsPage:
    """All seasons of ``ladder``; two queries."""
    winners = Prefetch("final_table", queryset=_winners(), to_attr="winners")
    return SeasonsPage(ladder, list(Season.objects.filter(ladder=ladder).prefetch_related(winners).order_by("-number")))


def season_page(season: Season, parameters: Parameters) -> SeasonPage:
    """One season with the page of its final table that an address asks for; four queries, that count no old deals."""
    still_open = Block.objects.filter(ladder=season.ladder_id, ended=None, series=OuterRef("pk")).order_by()
    number = Subquery(still_open.values("series").annotate(number=Count("pk")).values("number"))
    series = DealSeries.objects.filter(season=season).annotate(pending=Coalesce(number, 0)).order_by("kind")
    asked = asked_of(parameters, COLUMNS, (OF,))
    shown = Paginator(_final(season, asked), ROWS).get_page(parameters("page"))
    rows = [SeriesRow(one, one.next_number - 1, one.pending) for one in series]
    return SeasonPage(season, asked, rows, shown)


def _final(season: Season, asked: Asked) -> QuerySet[FinalStanding]:
    """The rows of the final table that are asked for, in the order that is asked for."""
    rows = FinalStanding.objects.filter(season=season).select_related("entry__bot__owner")
    if asked.looked_for:
        word = asked.looked_for
        rows = rows.filter(Q(entry__bot__name__icontains=word) | Q(entry__bot__owner__username__icontains=word))
    if "of" in asked.values:
        rows = rows.filter(entry__bot__owner__isnull=asked.values["of"] == "house")
    if asked.column.key == "first":
        rows = rows.alias(share=F("wins") * 1.0 / NullIf(F("games"), 0))
    field, last = F(FIELDS[asked.column.key]), True if asked.column.key == "first" else None
    order = field.desc(nulls_last=last) if asked.falling else field.asc(nulls_last=last)
    return rows.order_by(order, "rank", "pk")


def _winners() -> Any:
    return FinalStanding.objects.filter(rank=1).select_related("entry__bot").order_by("pk")
