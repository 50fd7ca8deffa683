"""The seasons of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, cast

from django import forms
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.dateformat import format as formatted
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from esr_platform.accounts.models import Role, User
from esr_platform.accounts.roles import has_role
from esr_platform.downloads import streamed
from ladder import seasons
from ladder.access import ladder_seen_by, season_among
from ladder.exports.season_deals import pieces
from ladder.members.standings import WIN_RATE
from ladder.models import Block, DealSeries, FinalStanding, Ladder, Season
from ladder.models.ladders import Viewer
from ladder.pages.components import responses
from ladder.pages.components.filters import OF, Column, Fields, Parameters, TableQuery, table_query
from ladder.pages.components.responses import for_operators, form_status

# --- Forms -----------------------------------------------------------------------------------------------------------

KEPT: Final = {
    "1": gettext_lazy("100% (ratings do not change)"),
    "3/4": gettext_lazy("75%"),
    "1/2": gettext_lazy("50%"),
    "1/4": gettext_lazy("25%"),
    "0": gettext_lazy("0% (all ratings are reset to 1500)"),
}
"""The shares of the distance from the starting rating that a new season can keep."""

KEEP: Final = gettext_lazy("Distance from 1500 that ratings keep in the next season")


class CloseForm(forms.Form):
    """When to close a season, and how much ratings keep in the next one."""

    at = forms.DateTimeField(
        label=gettext_lazy("Closing time (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy("Leave empty to close the season now."),
    )
    keep = forms.ChoiceField(
        label=KEEP,
        choices=[*KEPT.items(), ("", gettext_lazy("Do not open a next season"))],
        required=False,
        initial="1/2",
    )

    @property
    def then(self) -> Fraction | None:
        """The share that ratings keep in the next season; ``None`` if no season is to be opened."""
        return _share(self.cleaned_data["keep"])


class OpenForm(forms.Form):
    """How much ratings keep in a season that is opened after a pause."""

    keep = forms.ChoiceField(label=KEEP, choices=list(KEPT.items()), initial="1/2")

    @property
    def kept(self) -> Fraction:
        return _share(self.cleaned_data["keep"]) or Fraction(0)


def _share(word: Any) -> Fraction | None:
    return Fraction(word) if word else None


# --- The pages -------------------------------------------------------------------------------------------------------

PLAYERS_PER_PAGE = 50
COLUMNS = (
    Column("rating", gettext_lazy("Rating")),
    Column("bot", gettext_lazy("Player"), falling=False, numeric=False),
    Column("games", gettext_lazy("Games")),
    Column("first", gettext_lazy("First places (%)")),
)
KINDS = {
    DealSeries.Kind.LADDER: gettext_noop("rated blocks"),
    DealSeries.Kind.TEST: gettext_noop("exhibition matches"),
    DealSeries.Kind.LIVE: gettext_noop("live games"),
}
"""The purpose of a deal series."""

FIELDS: Final[Fields] = {"rating": "rating", "bot": "membership__bot__name", "games": "games", "first": WIN_RATE}
"""The sort field of each column of the final standings."""


@dataclass(frozen=True)
class SeasonsPage:
    """All seasons of a ladder, newest first, with their winners."""

    ladder: Ladder
    seasons: Sequence[Season]

    @property
    def current(self) -> Season | None:
        """The season that is open or closing."""
        return next((season for season in self.seasons if season.closed is None), None)


@dataclass(frozen=True)
class SeriesRow:
    """A deal series of a season, of whose deals ``pending`` are in progress."""

    series: DealSeries
    pending: int

    @property
    def kind(self) -> str:
        """The purpose of its deals."""
        return gettext(KINDS[DealSeries.Kind(self.series.kind)])


@dataclass(frozen=True)
class SeasonPage:
    """A season: its keys and deals, and a page of the final standings if it is closed."""

    season: Season
    asked: TableQuery
    series: Sequence[SeriesRow]
    standings: Page[Any]

    @property
    def made(self) -> int:
        """The number of deals of all series."""
        return sum(row.series.deals for row in self.series)

    @property
    def pending(self) -> int:
        """The number of deals in progress."""
        return sum(row.pending for row in self.series)

    @property
    def published(self) -> bool:
        """Whether all keys are published."""
        return all(row.series.published for row in self.series)

    @property
    def winners(self) -> Sequence[FinalStanding]:
        """The members with rank 1 in the final standings; empty before the season is closed."""
        return list(_winners().filter(season=self.season))


def season_seen_by(user: Viewer, slug: str, number: int) -> Season:
    """The season with its ladder, if ``user`` may see it. Raises ``Http404``."""
    return season_among(Season.objects.select_related("ladder", "closed_by"), user, slug, number)


def seasons_page(ladder: Ladder) -> SeasonsPage:
    """All seasons of ``ladder``; two queries."""
    winners = Prefetch("final_standings", queryset=_winners(), to_attr="winners")
    return SeasonsPage(ladder, list(Season.objects.filter(ladder=ladder).prefetch_related(winners).order_by("-number")))


def season_page(season: Season, parameters: Parameters) -> SeasonPage:
    """A season with the requested page of its final standings; four queries that do not count old deals."""
    still_open = Block.objects.filter(ladder=season.ladder_id, ended=None, series=OuterRef("pk")).order_by()
    number = Subquery(still_open.values("series").annotate(number=Count("pk")).values("number"))
    series = DealSeries.objects.filter(season=season).annotate(pending=Coalesce(number, 0)).order_by("kind")
    asked = table_query(parameters, COLUMNS, (OF,))
    shown = Paginator(_final(season, asked), PLAYERS_PER_PAGE).get_page(parameters("page"))
    rows = [SeriesRow(deal_series, deal_series.pending) for deal_series in series]
    return SeasonPage(season, asked, rows, shown)


def _final(season: Season, asked: TableQuery) -> QuerySet[FinalStanding]:
    """The final standings with the requested filters and order."""
    standings = FinalStanding.objects.filter(season=season).select_related("membership__bot__owner")
    rows: QuerySet[FinalStanding] = asked.search(standings, "membership__bot__")
    if "of" in asked.values:
        rows = rows.filter(membership__bot__owner__isnull=asked.values["of"] == "house")
    return rows.order_by(asked.order(FIELDS), "rank", "pk")


def _winners() -> Any:
    return FinalStanding.objects.winners().select_related("membership__bot")


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def all_seasons(request: HttpRequest, slug: str) -> HttpResponse:
    page = seasons_page(ladder_seen_by(request.user, slug))
    form = OpenForm() if has_role(request.user, Role.OPERATOR) and page.current is None else None
    return render(request, "pages/seasons.html", {"page": page, "form": form})


@require_safe
def one_season(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    page = season_page(season_seen_by(request.user, slug, number), request.GET.get)
    form = CloseForm() if has_role(request.user, Role.OPERATOR) and page.season.closing is None else None
    return _shown(request, page, form)


@require_safe
@responses.of_long_files
def deals(request: HttpRequest, slug: str, number: int) -> StreamingHttpResponse:
    season = season_seen_by(request.user, slug, number)
    return streamed(request, f"{slug}-season-{number}-deals.jsonl", pieces(season))


@require_POST
@for_operators
def close(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Close a season now or at a planned time, or cancel its planned closing."""
    season = season_seen_by(request.user, slug, number)
    form = CloseForm(request.POST)
    if not form.is_valid():
        return _shown(request, season_page(season, request.GET.get), form, status=form_status(form))
    try:
        messages.success(request, _closed(season, form, request))
    except seasons.PastTime as refusal:
        form.add_error("at", str(refusal))
        return _shown(request, season_page(season, request.GET.get), form, status=form_status(form))
    except seasons.WrongMoment as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:season", slug, number)


@require_POST
@for_operators
def open_next(request: HttpRequest, slug: str) -> HttpResponse:
    ladder, form = ladder_seen_by(request.user, slug), OpenForm(request.POST)
    if not form.is_valid():
        context = {"page": seasons_page(ladder), "form": form}
        return render(request, "pages/seasons.html", context, status=form_status(form))
    try:
        season = seasons.open_next(ladder, form.kept, cast("User", request.user))
        messages.success(request, _("%(season)s is now open.") % {"season": season})
    except seasons.WrongMoment as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:seasons", slug)


def _closed(season: Season, form: CloseForm, request: HttpRequest) -> str:
    """Close, plan or cancel the closing of ``season``, and return a message for the user."""
    staff = cast("User", request.user)
    if "keep_open" in request.POST:
        seasons.plan(season, None, None, staff)
        return _("The planned closing was canceled. The season stays open.")
    at = form.cleaned_data["at"]
    if at is not None:
        seasons.plan(season, at, form.then, staff)
        when = {"day": formatted(at, "d M Y"), "time": f"{at:%H:%M}"}
        return _("The season will close on %(day)s at %(time)s UTC.") % when
    if seasons.close(season, form.then, staff).closed:
        return _("The season is closed.")
    return _("The season will close when its last rated match has ended.")


def _shown(request: HttpRequest, page: SeasonPage, form: CloseForm | None, status: int = 200) -> HttpResponse:
    return render(request, "pages/season.html", {"page": page, "form": form}, status=status)
