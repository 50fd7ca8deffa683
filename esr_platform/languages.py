"""The language of pages, and the translated texts of their scripts."""

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
    """The code of the language that the user chose, or the default language of the site."""
    code = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
    return code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def spoken(get_response: View) -> View:
    """Middleware that activates the chosen language and sets Content-Language."""

    def respond(request: HttpRequest) -> HttpResponse:
        with translation.override(chosen(request)):
            response = get_response(request)
            if response.headers.get("Content-Type", "").startswith("text/html"):
                response.headers.setdefault("Content-Language", translation.get_language() or settings.LANGUAGE_CODE)
                patch_vary_headers(response, ("Cookie",))
        return response

    return respond


@csrf_exempt  # it only chooses a language, and its form is on every page, including cached pages
@require_POST
def choose(request: HttpRequest) -> HttpResponseBase:
    """Store the chosen ``language`` in a cookie and return to the previous page."""
    return set_language(request)


# --- Texts of scripts ------------------------------------------------------------------------------------------------

MOST_PLURALS: Final = 200
"""The number of counts in the plural table. For higher counts, the last two digits decide in all known languages."""


@lru_cache(maxsize=16)
def words(language: str) -> bytes:
    """The document for ``words.js``, as JSON: ``words`` by English text (a list if there are plurals) and ``plurals``.

    ``plurals[n]`` is the index of the plural form for ``n``. The terms of all games are included, because boards show
    terms from views.
    """
    catalog = DjangoTranslation(language, domain="djangojs", localedirs=[str(path) for path in settings.LOCALE_PATHS])
    with translation.override(language):
        translations: dict[str, Any] = {term: translation.gettext(term) for term in terms(GAMES.values())}
    for key, text in dict(catalog._catalog.items()).items():  # type: ignore[attr-defined]  # LOCALE_PATHS are read twice
        if isinstance(key, tuple):
            translations.setdefault(key[0], []).append(text)
        elif key:
            translations[key] = text
    plurals = [catalog.plural(count) for count in range(MOST_PLURALS)]
    return orjson.dumps({"words": translations, "plurals": plurals}, option=orjson.OPT_SORT_KEYS)


def address(language: str) -> str:
    """The path of the texts of a language, or ``""`` for English, which is in the scripts themselves."""
    if language == settings.LANGUAGE_CODE or language not in dict(settings.LANGUAGES):
        return ""
    return reverse("words", args=[language, version(language)])


@lru_cache(maxsize=16)
def version(language: str) -> str:
    """A hash of the texts, 12 hexadecimal digits."""
    return sha256(words(language)).hexdigest()[:12]


@require_safe
def document(_request: HttpRequest, language: str, version: str) -> HttpResponse:  # noqa: ARG001
    """The texts of a language. A URL with an older ``version`` returns the current texts."""
    if not address(language):
        raise Http404
    response = HttpResponse(words(language), content_type="application/json")
    response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return response
