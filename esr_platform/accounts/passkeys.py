"""The challenge of a passkey sign-in: in a signed cookie until it is answered, and good for one answer."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from allauth.mfa.webauthn.internal.auth import STATE_SESSION_KEY
from django.conf import settings
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

COOKIE: Final = "passkey"
SECONDS: Final = 300
"""How long a person has to answer a challenge."""

_SALT: Final = "esr_platform.accounts.passkeys"


def keep_challenge(request: HttpRequest, response: HttpResponse) -> None:
    """Move the challenge that allauth has put into the session, if any, into a cookie of ``response``."""
    state = request.session.pop(STATE_SESSION_KEY, None)
    if state is not None:
        response.set_cookie(
            COOKIE,
            signing.dumps(state, salt=_SALT),
            max_age=SECONDS,
            path=reverse("mfa_login_webauthn"),
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Strict",
        )


def restore_challenge(request: HttpRequest) -> None:
    """Put the challenge of the cookie into the session for allauth. Ignore one that is forged, expired or used."""
    signed = request.COOKIES.get(COOKIE, "")
    try:
        state = signing.loads(signed, salt=_SALT, max_age=SECONDS)
    except signing.BadSignature:
        return
    if cache.add(f"passkey:{sha256(signed.encode()).hexdigest()}", True, SECONDS):
        request.session[STATE_SESSION_KEY] = state


def forget_challenge(request: HttpRequest, response: HttpResponse) -> None:
    """Leave nothing of an answered challenge, whether or not it opened an account."""
    request.session.pop(STATE_SESSION_KEY, None)
    response.delete_cookie(COOKIE, path=reverse("mfa_login_webauthn"), samesite="Strict")
