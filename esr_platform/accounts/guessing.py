"""Who guesses passwords is locked out, with django-axes: by account and address together, never by the account alone.

So nobody can lock somebody else out of their own account from elsewhere. What is guessed at one account from many
addresses is bounded by allauth (``ACCOUNT_RATE_LIMITS``), tokens by the API (``bots.pace``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allauth.account.internal.userkit import filter_users_by_email
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from bots.pace import address

LONGEST = 254
"""More of what was typed as a name is not looked at."""


def whose_account(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """Which account somebody tries to open, by its user name; what was typed where there is none.

    The name and the address of one account are one, or it could be guessed at twice as often.
    """
    given = credentials or request.POST
    typed = str(given.get("login") or given.get("username") or given.get("email") or _signed_in(request))
    typed = typed.replace("\0", "").strip()[:LONGEST]  # no address has a NUL, and PostgreSQL takes none
    found = filter_users_by_email(typed, prefer_verified=True) if "@" in typed else []
    return (str(found[0].username) if found else typed).casefold()


def address_of(request: HttpRequest) -> str:
    """The visitor's address as the web server knows it: a header that anybody can write is not looked at here."""
    return address(request.META)


def locked_out(
    request: HttpRequest, _response: HttpResponse | None = None, _credentials: Mapping[str, Any] | None = None
) -> HttpResponse:
    """The page that says how long it lasts, and which ways in are open meanwhile."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "account/locked_out.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(60 * minutes)
    return response


def _signed_in(request: HttpRequest) -> str:
    """Who enters the password once more, having signed in before."""
    user = getattr(request, "user", None)
    return user.get_username() if user is not None and user.is_authenticated else ""
