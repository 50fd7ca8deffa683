"""What every template may name."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language

from esr_platform import languages


def site(_request: HttpRequest) -> dict[str, Any]:
    """Context processor: ``SITE_NAME``, the name in the head of every page, and in which language it speaks.

    ``LANGUAGE`` is its code, ``LANGUAGES`` are all codes with their own names, ``WORDS`` is where its scripts find
    their words.
    """
    language = get_language() or settings.LANGUAGE_CODE
    return {
        "SITE_NAME": settings.SITE_NAME,
        "LANGUAGE": language,
        "LANGUAGES": settings.LANGUAGES,
        "WORDS": languages.address(language),
    }
