"""Lock out clients that guess passwords, with django-axes: per account and IP address, never per account alone.

Therefore no one can lock another user out of their account. Guesses at one account from many IP addresses are limited
by allauth (``ACCOUNT_RATE_LIMITS``), guesses at tokens by the API (``esr_platform.accounts.limits``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allauth.account.models import EmailAddress
from axes.handlers.cache import AxesCacheHandler
from axes.helpers import get_client_cache_keys
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from esr_platform.accounts.limits import address

LONGEST = 254
"""Characters of a typed login that are used."""


class Handler(AxesCacheHandler):  # type: ignore[misc]
    """Like the handler of axes, but a sign-in also resets failures that used the email addresses of the account."""

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
        super().user_logged_in(sender, request, user, **kwargs)
        for its in EmailAddress.objects.filter(user=user).values_list("email", flat=True):
            self.cache.delete_many(get_client_cache_keys(request, {"username": its}))


def whose_account(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """The login as typed, by which axes counts failures.

    The username and the email addresses of an account are counted separately. A common count would reveal that they
    belong together.
    """
    given = credentials or request.POST
    typed = str(given.get("login") or given.get("username") or given.get("email") or _signed_in(request))
    return typed.strip()[:LONGEST].casefold()


def address_of(request: HttpRequest) -> str:
    """The client's IP address as the web server determined it. Headers are not trusted here."""
    return address(request.META)


def locked_out(
    request: HttpRequest, _response: HttpResponse | None = None, _credentials: Mapping[str, Any] | None = None
) -> HttpResponse:
    """The page about the lockout: how long it lasts, and other ways to sign in."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    response = render(request, "account/locked_out.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(60 * minutes)
    return response


def _signed_in(request: HttpRequest) -> str:
    """The username of a signed-in user who reauthenticates."""
    user = getattr(request, "user", None)
    return user.get_username() if user is not None and user.is_authenticated else ""
