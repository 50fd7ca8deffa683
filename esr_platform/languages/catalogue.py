"""The words of the pages' scripts in one language: a document that browsers keep until its address changes."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

import orjson
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation.trans_real import DjangoTranslation
from django.views.decorators.http import require_safe

from games.registry import GAMES
from games.terms import terms

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
    for key, text in found._catalog.items():  # type: ignore[attr-defined]
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
