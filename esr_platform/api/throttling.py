"""How often one person, one bot with a token of its own, or one address, may ask the API.

A guest is their address: secrets are to be had for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.http import HttpRequest
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from esr_platform.accounts.browsers import Browser
from esr_platform.accounts.limits import address, wait_s
from esr_platform.accounts.models import Token

if TYPE_CHECKING:  # it reads the settings that name this module
    from rest_framework.views import APIView

GUESSES: Final = "guesses"
"""The scope of tokens and sessions that turned out to be none."""

STRANGER: Final = "address-"
"""With what the identity of somebody without a token begins."""


class PerMinute(BaseThrottle):
    """At most ``settings.REQUESTS_A_MINUTE[scope]`` requests in each minute of the clock.

    A view names the scope of its requests as ``throttle_scope``.
    """

    def __init__(self) -> None:
        self._wait_s = 0

    def allow_request(self, request: Request, view: APIView) -> bool:
        scope: str = getattr(view, "throttle_scope", "read")
        self._wait_s = wait_s(scope, identity(request._request, request.auth))
        return self._wait_s == 0

    def wait(self) -> float:
        return self._wait_s


def count_guess(request: HttpRequest) -> None:
    """Note that a token or a session was none. Raises ``Throttled`` once an address has brought too many."""
    wait = wait_s(GUESSES, address(request.META))
    if wait:
        raise Throttled(wait)


def identity(request: HttpRequest, auth: object) -> str:
    """Who is counted: the person, the bot whose own token it is, or else the address that the request came from.

    ``auth`` is the token or the browser by which they are known, if they are.
    """
    if isinstance(auth, Token):
        return f"user-{auth.user_id}" if auth.bot_id is None else f"bot-{auth.bot_id}"
    if isinstance(auth, Browser) and auth.user_id is not None:
        return f"user-{auth.user_id}"
    return f"{STRANGER}{address(request.META)}"
