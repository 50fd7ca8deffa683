"""The language of a page, and the texts of its scripts."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation.trans_real import DjangoTranslation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import set_language

from games.game import terms
from games.registry import GAMES

# --- Choice of a language --------------------------------------------------------------------------------------------

View = Callable[[HttpRequest], HttpResponse]


def chosen(request: HttpRequest) -> str:
    """The code of the language that the reader has chosen, or the site's own."""
    code = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def spoken(get_response: View) -> View:
    """Middleware that has a page speak the chosen language, and says which one it was."""

    def respond(request: HttpRequest) -> HttpResponse:
        with translation.override(chosen(request)):
            response = get_response(request)
            if response.headers.get("Content-Type", "").startswith("text/html"):
                response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
                patch_vary_headers(response, ("Cookie",))
        return response

    return respond


@csrf_exempt  # it decides only how pages read, and its form stands on every page, cached ones too
@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Keep the chosen ``language`` in a cookie and go back to where the reader was."""
    return set_language(request)


# --- Texts of scripts ------------------------------------------------------------------------------------------------

MOST_PLURALS: Final = 200
"""So many counts are listed with their plural form; beyond, the last two digits decide, in every language we know."""


@lru_cache(maxsize=16)
def words(language: str) -> bytes:
    """What ``words.js`` reads, as JSON: ``words`` by English text, a list where there are plurals, and ``plurals``.

    ``plurals[n]`` is the place of the form for ``n``. The terms of all games are in it, for boards that say a word
    which they have from a view.
    """
    found = DjangoTranslation(language, domain="djangojs", localedirs=[str(path) for path in settings.LOCALE_PATHS])
    with translation.override(language):
        said: dict[str, Any] = {term: translation.gettext(term) for term in terms(GAMES.values())}
    for key, text in dict(found._catalog.items()).items():  # type: ignore[attr-defined]  # LOCALE_PATHS are read twice
        if isinstance(key, tuple):
            said.setdefault(key[0], []).append(text)
        elif key:
            said[key] = text
    plurals = [found.plural(count) for count in range(MOST_PLURALS)]
    return orjson.dumps({"words": said, "plurals": plurals}, option=orjson.OPT_SORT_KEYS)


def address(language: str) -> str:
    """Where a language's words lie; ``""`` for English, which stands in the scripts themselves."""
    if language == settings.LANGUAGE_CODE or language not in dict(settings.LANGUAGES):
        return ""
    return reverse("words", args=[language, version(language)])


@lru_cache(maxsize=16)
def version(language: str) -> str:
    """Twelve hexadecimal digits that change when any word does."""
    return sha256(words(language)).hexdigest()[:12]


@require_safe
def document(_request: HttpRequest, language: str, version: str) -> HttpResponse:  # noqa: ARG001
    """The words of a language. An older ``version`` gets today's words, which are better than none."""
    if not address(language):
        raise Http404
    response = HttpResponse(words(language), content_type="application/json")
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
