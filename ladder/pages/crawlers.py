"""Documents about the whole site: for search engines, and for home screens of phones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_safe

from esr_platform.page_cache import cached
from games.registry import GAMES
from ladder.access import cups_seen_by, matches_seen_by, public_bots
from ladder.models import Ladder, Match
from ladder.openness import opened
from ladder.pages.components.documentation import documentation
from ladder.pages.components.responses import of_long_files
from ladder.pages.pictures import ICONS

# --- Search engines --------------------------------------------------------------------------------------------------

CLOSED: Final = (
    *(
        "/account/",
        "/staff/",
        "/language/",
        "/metrics",
        "/search/",
        "/docs/search/",
        "/play/tables/",
        "/play/links/",
        "/embed/",
    ),
    *("/ladders/invitations/", "/*.jsonl$", "/*.csv$", "/matches/*/record$", "/matches/*/rounds/", "/api/v1/*/"),
)
"""Paths for users and programs, and large files."""

MOST_BOTS: Final = 2_000
MOST_MATCHES: Final = 2_000
MOST_CUPS: Final = 1_000
_NAMES: Final = ("home", "lobby", "ladders", "cups", "matches", "bots", "rules", "about")
_HOUR: Final = 3600


@require_safe
def robots(_request: HttpRequest) -> HttpResponse:
    """Rules for crawlers."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in CLOSED), "", f"Sitemap: {_absolute('pages:sitemap')}"]
    return _public(HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8"))


@require_safe
@of_long_files
def sitemap(_request: HttpRequest) -> HttpResponse:
    """The public pages: those of the site, all ladders, and the latest bots, cups and matches."""
    return _public(HttpResponse(cached("sitemap", _HOUR, _sitemap), content_type="application/xml"))


def _sitemap() -> str:
    row = "<url><loc>{}</loc>{}</url>\n"
    rows = "".join(format_html(row, url, _changed(changed)) for url, changed in _pages())
    schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{schema}">\n{rows}</urlset>\n'


def _changed(moment: datetime | None) -> str:
    return format_html("<lastmod>{}</lastmod>", moment.date().isoformat()) if moment else ""


def _pages() -> Iterator[tuple[str, datetime | None]]:
    """The URLs of public pages, and when a page last changed if that is known; four queries."""
    for name in _NAMES:
        yield _absolute(f"pages:{name}"), None
    for slug, game in GAMES.items():
        yield _absolute("pages:game_rules", slug), None
        if game.presentation.tutorial:
            yield _absolute("pages:tutorial", slug), None
    docs = documentation()
    for slug in docs.by_slug if docs else ():
        yield _absolute("pages:docs_page", slug) if slug else _absolute("pages:docs"), None
    ladders = Ladder.objects.visible_to(AnonymousUser()).order_by("pk")
    for slug in ladders.values_list("slug", flat=True):
        yield _absolute("pages:ladder", slug), None
    for slug in public_bots().order_by("-pk").values_list("slug", flat=True)[:MOST_BOTS]:
        yield _absolute("pages:bot", slug), None
    cups = cups_seen_by(AnonymousUser()).filter(listed=True).order_by("-pk")
    for slug, ended in cups.values_list("slug", "ended")[:MOST_CUPS]:
        yield _absolute("pages:cup", slug), ended
    public = matches_seen_by(AnonymousUser()).filter(opened("block"), status=Match.Status.FINISHED)
    for pk, ended in public.order_by("-pk").values_list("pk", "block__ended")[:MOST_MATCHES]:
        yield _absolute("pages:match", pk), ended


# --- Home screens ----------------------------------------------------------------------------------------------------


@require_safe
def manifest(_request: HttpRequest) -> HttpResponse:
    """The web app manifest."""
    icons = [
        {"src": reverse("pages:icon", args=[size]), "sizes": f"{size}x{size}", "type": "image/png"} for size in ICONS
    ]
    document = {
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "start_url": reverse("pages:home"),
        "display": "minimal-ui",
        "background_color": "#f6f0e3",
        "theme_color": "#f6f0e3",
        "icons": icons,
    }
    return _public(JsonResponse(document, content_type="application/manifest+json"))


def _absolute(name: str, *args: object) -> str:
    return f"{settings.SITE_URL}{reverse(name, args=args)}"


def _public(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = f"public, max-age={_HOUR}"
    return response
