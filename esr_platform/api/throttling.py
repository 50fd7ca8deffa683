"""How often one person, or one address, may ask. Counted by single steps in the cache, so that no two pass as one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.core.cache import cache
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

if TYPE_CHECKING:  # it reads the settings that name this module
    from rest_framework.views import APIView

WINDOW_S: Final = 60
GUESSES: Final = "guesses"
"""The scope of tokens that turned out to be none."""


class PerMinute(BaseThrottle):
    """At most ``settings.API_REQUESTS_A_MINUTE[scope]`` requests in each minute of the clock.

    A view names the scope of its requests as ``throttle_scope``.
    """

    def __init__(self) -> None:
        self._wait_s = 0

    def allow_request(self, request: Request, view: APIView) -> bool:
        scope: str = getattr(view, "throttle_scope", "read")
        self._wait_s = wait_s(scope, identity(request))
        return self._wait_s == 0

    def wait(self) -> float:
        return self._wait_s


def wait_s(scope: str, who: str) -> int:
    """Count one request of ``who``; seconds until the next is welcome, 0 if this one is."""
    window, passed = divmod(int(time.time()), WINDOW_S)
    key = f"api:{scope}:{who}:{window}"
    cache.add(key, 0, 2 * WINDOW_S)
    return WINDOW_S - passed if cache.incr(key) > settings.API_REQUESTS_A_MINUTE[scope] else 0


def count_guess(request: Request) -> None:
    """Note that a token was none. Raises ``Throttled`` once an address has brought too many."""
    wait = wait_s(GUESSES, _address(request))
    if wait:
        raise Throttled(wait)


def identity(request: Request) -> str:
    """Who is counted: the person, or else the address that the request came from."""
    return f"user-{request.user.pk}" if request.user.is_authenticated else f"address-{_address(request)}"


def _address(request: Request) -> str:
    """The peer as the web server knows it. X-Forwarded-For is a claim of whoever sends it: the server judges it."""
    return str(request.META.get("REMOTE_ADDR", ""))
