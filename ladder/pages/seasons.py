"""The seasons of a ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Final, TypeVar, cast

from django import forms
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models import Count, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, NullIf
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateformat import format as formatted
from django.utils.translation import gettext, gettext_lazy, gettext_noop
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from esr_platform.accounts.models import User
from ladder import seasons
from ladder.access import found, is_staff, ladder_seen_by
from ladder.exports.season_deals import pieces
from ladder.models import Block, DealSeries, FinalStanding, Ladder, Season
from ladder.models.ladders import Viewer
from ladder.pages.components import responses
from ladder.pages.components.filters import OF, Asked, Column, Parameters, asked_of
from ladder.pages.components.responses import for_staff, form_status, streamed

# --- Forms -----------------------------------------------------------------------------------------------------------

KEPT: Final = {
    "1": gettext_lazy("all of it"),
    "3/4": gettext_lazy("three quarters"),
    "1/2": gettext_lazy("one half"),
    "1/4": gettext_lazy("one quarter"),
    "0": gettext_lazy("nothing"),
}
"""What the next season can keep of the ratings' distance from the start."""


class CloseForm(forms.Form):
    """When the season ends, and what its ratings are worth in the next one."""

    at = forms.DateTimeField(
        label=gettext_lazy("When (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=gettext_lazy("Leave it empty to close the season now."),
    )
    keep = forms.ChoiceField(
        label=gettext_lazy("What the next season keeps of every rating's distance from 1500"),
        choices=[*KEPT.items(), ("", gettext_lazy("open no next season"))],
        required=False,
        initial="1/2",
    )

    def clean_at(self) -> datetime | None:
        at: datetime | None = self.cleaned_data["at"]
        if at is not None and at <= timezone.now():
            raise forms.ValidationError(
                gettext("That time is over. Choose a later one, or leave it empty to close now.")
            )
        return at

    @property
    def then(self) -> Fraction | None:
        """What the next season keeps, ``None`` where none is to be opened."""
        return _share(self.cleaned_data["keep"])


class OpenForm(forms.Form):
    """What the next season keeps, after one that has no next."""

    keep = forms.ChoiceField(
        label=gettext_lazy("What it keeps of every rating's distance from 1500"),
        choices=list(KEPT.items()),
        initial="1/2",
    )

    @property
    def kept(self) -> Fraction:
        return _share(self.cleaned_data["keep"]) or Fraction(0)


def _share(word: Any) -> Fraction | None:
    return Fraction(word) if word else None


# --- The pages -------------------------------------------------------------------------------------------------------

_Row = TypeVar("_Row")

ROWS = 50
COLUMNS = (
    Column("rating", gettext_lazy("rating")),
    Column("bot", gettext_lazy("bot"), falling=False, numeric=False),
    Column("games", gettext_lazy("games")),
    Column("first", gettext_lazy("first places, %")),
)
KINDS = {
    DealSeries.Kind.LADDER: gettext_noop("rated blocks"),
    DealSeries.Kind.TEST: gettext_noop("tests, challenges and scheduled matches"),
    DealSeries.Kind.LIVE: gettext_noop("games with people or remote bots"),
}
"""What a series of deals is for."""

FIELDS = {"rating": "rating", "bot": "membership__bot__name", "games": "games", "first": "share"}
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
    rows = FinalStanding.objects.filter(season=season).select_related("membership__bot__owner")
    if asked.looked_for:
        word = asked.looked_for
        rows = rows.filter(
            Q(membership__bot__name__icontains=word) | Q(membership__bot__owner__username__icontains=word)
        )
    if "of" in asked.values:
        rows = rows.filter(membership__bot__owner__isnull=asked.values["of"] == "house")
    if asked.column.key == "first":
        rows = rows.alias(share=F("wins") * 1.0 / NullIf(F("games"), 0))
    field, last = F(FIELDS[asked.column.key]), True if asked.column.key == "first" else None
    order = field.desc(nulls_last=last) if asked.falling else field.asc(nulls_last=last)
    return rows.order_by(order, "rank", "pk")


def _winners() -> Any:
    return FinalStanding.objects.filter(rank=1).select_related("membership__bot").order_by("pk")


# --- Views -----------------------------------------------------------------------------------------------------------


@require_safe
def all_seasons(request: HttpRequest, slug: str) -> HttpResponse:
    page = seasons_page(ladder_seen_by(request.user, slug))
    form = OpenForm() if is_staff(request.user) and page.current is None else None
    return render(request, "pages/seasons.html", {"page": page, "form": form})


@require_safe
def one_season(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    page = season_page(season_seen_by(request.user, slug, number), request.GET.get)
    form = CloseForm() if is_staff(request.user) and page.season.closing is None else None
    return _shown(request, page, form)


@require_safe
@responses.of_long_files
def deals(request: HttpRequest, slug: str, number: int) -> StreamingHttpResponse:
    season = season_seen_by(request.user, slug, number)
    return streamed(request, f"{slug}-season-{number}-deals.jsonl", pieces(season))


@require_POST
@for_staff
def close(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Close a season now or later, or take back that it closes later."""
    season = season_seen_by(request.user, slug, number)
    form = CloseForm(request.POST)
    if not form.is_valid():
        return _shown(request, season_page(season, request.GET.get), form, status=form_status(form))
    try:
        messages.success(request, _closed(season, form, request))
    except seasons.WrongMoment as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:season", slug, number)


@require_POST
@for_staff
def open_next(request: HttpRequest, slug: str) -> HttpResponse:
    ladder, form = ladder_seen_by(request.user, slug), OpenForm(request.POST)
    if not form.is_valid():
        context = {"page": seasons_page(ladder), "form": form}
        return render(request, "pages/seasons.html", context, status=form_status(form))
    try:
        season = seasons.open_next(ladder, form.kept, cast("User", request.user))
        messages.success(request, _("%(season)s is open.") % {"season": season})
    except seasons.WrongMoment as refusal:
        messages.error(request, str(refusal))
    return redirect("pages:seasons", slug)


def _closed(season: Season, form: CloseForm, request: HttpRequest) -> str:
    """Do what the form says; in a sentence, what was done."""
    staff = cast("User", request.user)
    if "keep_open" in request.POST:
        seasons.plan(season, None, None, staff)
        return _("The season goes on until somebody closes it.")
    at = form.cleaned_data["at"]
    if at is not None:
        seasons.plan(season, at, form.then, staff)
        when = {"day": formatted(at, "d M Y"), "time": f"{at:%H:%M}"}
        return _("The season closes on %(day)s at %(time)s UTC.") % when
    closed = seasons.close(season, form.then, staff).closed
    return _("The season is closed.") if closed else _("The season closes as soon as its last rated match has ended.")


def _shown(request: HttpRequest, page: SeasonPage, form: CloseForm | None, status: int = 200) -> HttpResponse:
    return render(request, "pages/season.html", {"page": page, "form": form}, status=status)
