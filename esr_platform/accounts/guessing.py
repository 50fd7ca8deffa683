"""Who guesses passwords is locked out, with django-axes: by account and address together, never by the account alone.

So nobody can lock somebody else out of their own account from elsewhere. What is guessed at one account from many
addresses is bounded by allauth (``ACCOUNT_RATE_LIMITS``), tokens by the API (``esr_platform.accounts.limits``).
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
"""More of what was typed as a name is not looked at."""


class Handler(AxesCacheHandler):  # type: ignore[misc]
    """axes', which forgets slips with the name of whoever has signed in; this one those with their addresses, too."""

    def user_logged_in(self, sender: Any, request: HttpRequest, user: Any, **kwargs: Any) -> None:
        super().user_logged_in(sender, request, user, **kwargs)
        for its in EmailAddress.objects.filter(user=user).values_list("email", flat=True):
            self.cache.delete_many(get_client_cache_keys(request, {"username": its}))


def whose_account(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> str:
    """Which account somebody tries to open, as they typed it.

    The name and the addresses of one account are counted apart: counted as one, they would tell whose address is whose.
    """
    given = credentials or request.POST
    typed = str(given.get("login") or given.get("username") or given.get("email") or _signed_in(request))
    return typed.strip()[:LONGEST].casefold()


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
