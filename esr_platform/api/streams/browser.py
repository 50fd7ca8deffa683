"""Who asks from a browser, at the addresses at which people play and watch: known by the cookie of its session.

No middleware is before these addresses, so that the session is read here. What changes something needs what no other
site can send: the token against forgeries as the header ``X-CSRFToken``, an ``Origin`` that is ours, and JSON.
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
    """Finds who has the session; one that there is not is refused where something is sent, and counted as a guess."""

    security: ClassVar = "session"
    """The name of its security scheme in the OpenAPI document."""

    def authenticate(self, request: Request) -> tuple[User | AnonymousUser, Browser] | None:
        """The person, or nobody for a guest, and the browser; ``None`` without a session, or with a token.

        Raises ``Refusal`` (401), ``PermissionDenied`` for what another site could have sent, ``Throttled``.
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
    """Lets in browsers in front of which somebody can sit: a person who is signed in, or a guest. Others get 401."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002
        browser = request.auth
        if isinstance(browser, Browser) and (browser.user is not None or browser.guest is not None):
            return True
        raise Refusal(HTTPStatus.UNAUTHORIZED, "not_authenticated", _ENDED)


class PlaysHere(BasePermission):
    """Lets in the same, and tokens with the scope that the view names."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        judge = SitsHere() if isinstance(request.auth, Browser) else HasScope()
        allowed = judge.has_permission(request, view)
        self.message = getattr(judge, "message", None)
        return allowed


EITHER: Final = [TokenAuthentication, BrowserAuthentication]
"""How somebody is known where programs and browsers ask the same."""


def browser_of(request: Request) -> Browser:
    """The browser that ``SitsHere`` has let in."""
    assert isinstance(request.auth, Browser)
    return request.auth


class _Check(CsrfViewMiddleware):
    """Django's own check, which says why it refuses instead of answering with a page."""

    def _reject(self, request: HttpRequest, reason: str) -> Any:  # noqa: ARG002
        return reason


def _require_own_page(request: HttpRequest) -> None:
    """Raises ``PermissionDenied`` for what another site could have sent, ``UnsupportedMediaType`` for a form."""
    if request.content_type not in ("", JSON):
        raise UnsupportedMediaType(request.content_type or "")
    check = _Check(lambda _: HttpResponse())
    check.process_request(request)
    if check.process_view(request, None, (), {}) is not None:  # type: ignore[arg-type]
        raise PermissionDenied(_FORGED)
