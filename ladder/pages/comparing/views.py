"""Parse, one call, answer."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ladder.access import ladder_seen_by
from ladder.pages.comparing.choosing import choosing_page
from ladder.pages.comparing.showing import bots_seen_by, comparison_page


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """The form; once it is known who is meant, on to the page of the two."""
    slug = request.GET.get("ladder")
    page = choosing_page(request.GET.get, ladder_seen_by(request.user, slug) if slug else None)
    if page.chosen is None:
        return render(request, "pages/compare.html", {"page": page})
    address = reverse("pages:comparison", args=[bot.slug for bot in page.chosen])
    return redirect(f"{address}?{urlencode({'ladder': slug})}" if slug else address)


@require_safe
def comparison(request: HttpRequest, first: str, second: str) -> HttpResponse:
    bots = bots_seen_by(request.user, (first, second))
    page = comparison_page(bots, request.GET.get, request.user)
    return render(request, "pages/comparison.html", {"page": page})
