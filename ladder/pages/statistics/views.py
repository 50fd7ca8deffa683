"""Parse, one call, answer."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ladder.access import ladder_seen_by
from ladder.pages.staff import for_staff
from ladder.pages.statistics.entries import entry_page
from ladder.pages.statistics.feeding import feeding_report, feeding_reports
from ladder.pages.statistics.matrix import matrix_page
from ladder.pages.statistics.season import season_of, statistics_page


@require_safe
def statistics(request: HttpRequest, slug: str) -> HttpResponse:
    page = statistics_page(season_of(request.user, slug, request.GET.get("season")))
    return render(request, "pages/statistics.html", {"page": page})


@require_safe
def head_to_head(request: HttpRequest, slug: str) -> HttpResponse:
    of = season_of(request.user, slug, request.GET.get("season"))
    return render(request, "pages/head_to_head.html", {"page": matrix_page(of, request.GET.get("page"))})


@require_safe
def entry(request: HttpRequest, slug: str, bot: str) -> HttpResponse:
    of = season_of(request.user, slug, request.GET.get("season"))
    page = entry_page(of, request.user, bot, request.GET.get("page"))
    return render(request, "pages/entry.html", {"page": page})


@require_safe
@for_staff
def feedings(request: HttpRequest) -> HttpResponse:
    """Every ladder's report, in short."""
    return render(request, "pages/feedings.html", {"reports": feeding_reports()})


@require_safe
@for_staff
def feeding(request: HttpRequest, slug: str) -> HttpResponse:
    report = feeding_report(ladder_seen_by(request.user, slug))
    return render(request, "pages/feeding.html", {"report": report})
