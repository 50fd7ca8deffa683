"""The context of every template."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from esr_platform import languages


def site(_request: HttpRequest) -> dict[str, Any]:
    """Context processor for ``SITE_NAME``, ``CONTACT_EMAIL`` and the language of the page.

    ``LANGUAGE`` is the code of the language, ``LANGUAGES`` are all codes with their names, and ``WORDS`` is the path of
    the texts for scripts.
    """
    language = get_language() or settings.LANGUAGE_CODE
    return {
        "SITE_NAME": settings.SITE_NAME,
        "CONTACT_EMAIL": settings.CONTACT_EMAIL,
        "LANGUAGE": language,
        "LANGUAGES": settings.LANGUAGES,
        "WORDS": languages.address(language),
    }
