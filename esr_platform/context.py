"""The context of every template."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language

from esr_platform import languages

_LONGEST_PATH: Final = 500


def site(request: HttpRequest) -> dict[str, Any]:
    """Context processor for ``SITE_NAME``, ``SITE_URL``, ``CONTACT_EMAIL``, ``SIGN_IN`` and the language of the page.

    ``SIGN_IN`` is the URL of the sign-in page, which leads back to the present page.

    ``LANGUAGE`` is the code of the language, ``LANGUAGES`` are all codes with their names, and ``WORDS`` is the path of
    the texts for scripts.
    """
    language = get_language() or settings.LANGUAGE_CODE
    return {
        "SITE_NAME": settings.SITE_NAME,
        "SITE_URL": settings.SITE_URL,
        "CONTACT_EMAIL": settings.CONTACT_EMAIL,
        "SIGN_IN": _sign_in(request),
        "LANGUAGE": language,
        "LANGUAGES": settings.LANGUAGES,
        "WORDS": languages.address(language),
    }


def _sign_in(request: HttpRequest) -> str:
    """The URL of the sign-in page, which leads back to the present page; from account pages to the lobby.

    Responses to forms and unknown URLs have no page to return to.
    """
    sign_in, here = reverse("account_login"), request.get_full_path()
    of_accounts = here.startswith(reverse("accounts:account"))
    is_page = request.method in ("GET", "HEAD") and request.resolver_match is not None and len(here) <= _LONGEST_PATH
    if of_accounts or not is_page:
        return sign_in
    return f"{sign_in}?{urlencode({'next': here})}"
