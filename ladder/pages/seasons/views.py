"""Parse, one call, answer."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.dateformat import format as formatted
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from esr_platform.accounts.models import User
from ladder import seasons
from ladder.access import is_staff, ladder_seen_by
from ladder.models import Season
from ladder.pages import pacing
from ladder.pages.seasons.forms import CloseForm, OpenForm
from ladder.pages.seasons.showing import SeasonPage, season_page, season_seen_by, seasons_page
from ladder.pages.staff import for_staff
from ladder.pages.streaming import streamed
from ladder.seasons import pieces

_REFUSED = 422


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
@pacing.of_long_files
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
        return _shown(request, season_page(season, request.GET.get), form, status=_REFUSED)
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
        return render(request, "pages/seasons.html", context, status=_REFUSED)
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
