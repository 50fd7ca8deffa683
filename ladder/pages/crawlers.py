"""Documents about the whole site: for search engines, and for home screens of phones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.sitemaps import Sitemap
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from bots.starter_kits import KITS
from esr_platform.page_cache import cached
from games.registry import GAMES
from ladder.access import cups_seen_by, matches_seen_by, public_bots
from ladder.models import Ladder, Match
from ladder.openness import opened
from ladder.pages.components.documentation import documentation
from ladder.pages.components.responses import of_long_files
from ladder.pages.docs import markdown_url
from ladder.pages.pictures import ICONS

# --- Search engines --------------------------------------------------------------------------------------------------

CLOSED: Final = (
    *(
        "/account/",
        "/staff/",
        "/language/",
        "/metrics",
        "/livez",
        "/readyz",
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
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in CLOSED),
        "",
        f"Sitemap: {settings.SITE_URL}{reverse('pages:sitemap')}",
    ]
    return _public(HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8"))


@require_safe
@of_long_files
def sitemap(_request: HttpRequest) -> HttpResponse:
    """The public pages: those of the site, all ladders, and the latest bots, cups and matches."""
    return _public(HttpResponse(cached("sitemap", _HOUR, _sitemap), content_type="application/xml"))


def _sitemap() -> str:
    return render_to_string("sitemap.xml", {"urlset": PublicPages().get_urls()})


Page = tuple[str, datetime | None]
"""The path of a page, and when it last changed if that is known."""


class PublicPages(Sitemap):  # type: ignore[type-arg]  # its generic form exists only in the stubs
    """The URLs start with ``SITE_URL``, never with the Host header of a request."""

    def items(self) -> list[Page]:
        return list(_pages())

    def location(self, item: Page) -> str:
        return item[0]

    def lastmod(self, item: Page) -> datetime | None:
        return item[1]

    def get_protocol(self, _protocol: str | None = None) -> str:
        return str(settings.SITE_URL).partition("://")[0]

    def get_domain(self, _site: object = None) -> str:
        return str(settings.SITE_URL).partition("://")[2]


def _pages() -> Iterator[Page]:
    """All public pages; four queries."""
    for name in _NAMES:
        yield reverse(f"pages:{name}"), None
    for slug, game in GAMES.items():
        yield reverse("pages:game_rules", args=[slug]), None
        if game.presentation.tutorial:
            yield reverse("pages:tutorial", args=[slug]), None
    docs = documentation()
    for slug in docs.by_slug if docs else ():
        yield reverse("pages:docs_page", args=[slug]) if slug else reverse("pages:docs"), None
    ladders = Ladder.objects.visible_to(AnonymousUser()).order_by("pk")
    for slug in ladders.values_list("slug", flat=True):
        yield reverse("pages:ladder", args=[slug]), None
    for slug in public_bots().order_by("-pk").values_list("slug", flat=True)[:MOST_BOTS]:
        yield reverse("pages:bot", args=[slug]), None
    cups = cups_seen_by(AnonymousUser()).filter(listed=True).order_by("-pk")
    for slug, ended in cups.values_list("slug", "ended")[:MOST_CUPS]:
        yield reverse("pages:cup", args=[slug]), ended
    public = matches_seen_by(AnonymousUser()).filter(opened("block"), status=Match.Status.FINISHED)
    for pk, ended in public.order_by("-pk").values_list("pk", "block__ended")[:MOST_MATCHES]:
        yield reverse("pages:match", args=[pk]), ended


# --- Language models -------------------------------------------------------------------------------------------------

_INTRODUCTION: Final = """\
> Bots and people play board games of barter, bluff and auctions here: Edel, Stein & Reich and Die Weinhändler, for two
> to five players. A bot is a program that is uploaded, or one that plays from elsewhere over HTTP.

All pages below are in Markdown.

To write a bot:

1. Read the rules of the game and [Views, decisions and logs]({site}/docs/reference/views.md).
2. Download a starter kit, which contains a complete bot with a test and an `AGENTS.md`:
{kits}
   The kits are in Python; `?language=` selects another language: {languages}.
3. Change its strategy. Run its test. `README.md` has the commands.
4. Upload a ZIP archive of the folder with the [API]({site}/docs/reference/api.md), or with `esr upload` of the
   [library]({site}/docs/start/library.md). A user of this site creates the token at {site}/account/tokens/:
   `curl -H "Authorization: Bearer $TOKEN" -F file=@my-bot.zip -F name=NAME {site}/api/v1/bots`
5. The site plays validation games, then the bot plays on ladders:
   `curl -H "Authorization: Bearer $TOKEN" {site}/api/v1/bots/SLUG/versions/1`

The whole API is described in OpenAPI: {site}/api/v1/schema
"""


@require_safe
def llms(_request: HttpRequest) -> HttpResponse:
    """What a language model reads first (https://llmstxt.org/): how to write a bot, and all pages in Markdown."""
    site, docs = settings.SITE_URL, documentation()
    kits = "\n".join(f"   - {game.name}: {site}{reverse('pages:starter', args=[slug])}" for slug, game in GAMES.items())
    languages = ", ".join([*KITS][1:])
    parts = [
        f"# {settings.SITE_NAME}\n",
        _INTRODUCTION.format(site=site, kits=kits, languages=languages),
        "## Rules\n",
        *(_listed(game.name, markdown_url("rules", slug)) for slug, game in GAMES.items()),
    ]
    menu, notes = (docs.menu, docs.notes) if docs else ([], {})
    for section in menu:
        parts.append("\n## Optional\n" if section.key == "internals" else f"\n## {section.key.capitalize()}\n")
        pages = [(page.title, markdown_url("page", page.slug), notes.get(page.slug, "")) for page in section.pages]
        parts += [_listed(*page) for page in pages]
    return _public(HttpResponse("\n".join(parts) + "\n", content_type="text/plain; charset=utf-8"))


def _listed(title: str, path: str, note: str = "") -> str:
    return f"- [{title}]({settings.SITE_URL}{path})" + (f": {note}" if note else "")


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


def _public(response: HttpResponse) -> HttpResponse:
    response.headers["Cache-Control"] = f"public, max-age={_HOUR}"
    return response
