"""Authentication of browsers by their session cookie, at the endpoints of live games.

No middleware runs before these endpoints, so the session is read here. Requests that change data must have the header
``X-CSRFToken``, an ``Origin`` of this site, and a JSON body. Another site cannot send such a request.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, ClassVar, Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import PermissionDenied, UnsupportedMediaType
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from esr_platform.accounts import sessions
from esr_platform.accounts.models import User
from esr_platform.accounts.sessions import Browser
from esr_platform.api.authentication import HasScope, TokenAuthentication, count_guess
from esr_platform.api.http import Refusal

JSON: Final = "application/json"
WRITES: Final = "table"
"""The scope of throttling in which all is counted that a browser changes."""

_ENDED: Final = "Only players of the game have access, and you are signed out. Reload the page."
_FORGED: Final = "The CSRF token is missing or invalid. Reload the page."


class BrowserAuthentication(BaseAuthentication):
    """Authenticate by session cookie. Invalid sessions are counted as guesses, and are errors in requests with data."""

    security: ClassVar = "session"
    """Name of the security scheme in the OpenAPI document."""

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, Browser] | None:
        """Return the user, anonymous for guests, and the browser. ``None`` without a session or with a token.

        Raises ``Refusal`` (401), ``Throttled``, and ``PermissionDenied`` for possible cross-site requests.
        """
        asked = request._request
        key = asked.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
        if not key or "Authorization" in asked.headers:
            return None
        browser = sessions.find(key)
        if browser is None:
            count_guess(asked)
            if asked.method in SAFE_METHODS:
                return None
            raise Refusal(HTTPStatus.UNAUTHORIZED, "authentication_failed", _ENDED)
        if asked.method not in SAFE_METHODS:
            _require_own_page(asked)
        return browser.user or AnonymousUser(), browser


class SitsHere(BasePermission):
    """Allow browsers of signed-in users and guests. Other clients get 401."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        browser = request.auth
        if isinstance(browser, Browser) and (browser.user is not None or browser.guest is not None):
            return True
        raise Refusal(HTTPStatus.UNAUTHORIZED, "not_authenticated", _ENDED)


class PlaysHere(BasePermission):
    """Allow browsers as in ``SitsHere``, and tokens with the scope of the view."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        judge = SitsHere() if isinstance(request.auth, Browser) else HasScope()
        allowed = judge.has_permission(request, view)
        self.message = getattr(judge, "message", None)
        return allowed


EITHER: Final = [TokenAuthentication, BrowserAuthentication]
"""Authentication classes of endpoints for both programs and browsers."""


def browser_of(request: Request) -> Browser:
    """Return the browser of a request that ``SitsHere`` allowed."""
    assert isinstance(request.auth, Browser)
    return request.auth


class _Check(CsrfViewMiddleware):
    """Django's CSRF check. Returns the reason of a failure instead of an error page."""

    def _reject(self, request: HttpRequest, reason: str) -> Any:  # noqa: ARG002
        return reason


def _require_own_page(request: HttpRequest) -> None:
    """Raise ``PermissionDenied`` for possible cross-site requests, and ``UnsupportedMediaType`` for forms."""
    if request.content_type not in ("", JSON):
        raise UnsupportedMediaType(request.content_type or "")
    check = _Check(lambda _: HttpResponse())
    check.process_request(request)
    if check.process_view(request, None, (), {}) is not None:  # type: ignore[arg-type]
        raise PermissionDenied(_FORGED)
