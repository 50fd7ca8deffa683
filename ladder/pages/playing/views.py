"""Parse, one call, answer."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ladder.access import bot_seen_by, code_seen_by, ladder_seen_by
from ladder.pages import feeds
from ladder.pages.playing.waits import waits_page


@require_safe
def waits(request: HttpRequest, slug: str) -> HttpResponse:
    page = waits_page(code_seen_by(request.user, slug), request.user)
    return render(request, "pages/bot_waits.html", {"page": page})


@require_safe
def bot_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for everybody, whoever has signed in."""
    return feeds.bot_feed(request, bot_seen_by(AnonymousUser(), slug))


@require_safe
def ladder_feed(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for everybody, whoever has signed in."""
    return feeds.ladder_feed(request, ladder_seen_by(AnonymousUser(), slug))
