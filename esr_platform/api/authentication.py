"""Who asks: the owner of the token in ``Authorization: Bearer esr_…``, within the token's scopes.

Cookies open nothing here, so no other site can make a browser act for its owner. The addresses at which people play
in a browser take its session beside it (``live/browser.py``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from esr_platform.accounts import tokens
from esr_platform.accounts.browsers import Browser
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.throttling import count_guess

if TYPE_CHECKING:  # it reads the settings that name this module
    from rest_framework.views import APIView

SCHEME: Final = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """Finds the live token; one that is none is refused, and guesses from one address are counted."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The owner and the token; ``None`` without the header. Raises as ``token_of`` does."""
        token = token_of(request._request)
        return None if token is None else (token.user, token)

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        return SCHEME


class HasScope(BasePermission):
    """Lets in tokens with the scope that the view names as ``scope``; a view that names none lets nobody in."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        scope: Scope | None = getattr(view, "scope", None)
        if not isinstance(request.auth, Token) or scope is None:
            return False
        self.message = _not_allowed(request.auth, scope)
        return request.auth.allows(scope)


def token_of(request: HttpRequest) -> Token | None:
    """The token of a request, live, with its person and bot; ``None`` without the header.

    Raises ``AuthenticationFailed`` for what is no token or one no longer, ``Throttled`` after too many of those.
    """
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if not scheme:
        return None
    if scheme.lower() != SCHEME.lower():
        raise AuthenticationFailed("Send the token as the header 'Authorization: Bearer esr_…'.")
    token = tokens.find(secret.strip())
    if token is None:
        count_guess(request)
        raise AuthenticationFailed("This token is unknown, revoked or expired. Make a new one on your account page.")
    return token


def viewer_of(token: Token | None) -> User | AnonymousUser:
    """As whom something is read: the token's owner where it may ``read``, else a stranger.

    What is public is read without a token too; a token that can only play or upload opens no private ladder.
    """
    return token.user if token is not None and token.allows(Scope.READ) else AnonymousUser()


def viewer(request: Request) -> User | AnonymousUser:
    """``viewer_of`` for views of the framework; the person in front of the browser where a view takes its session."""
    if isinstance(request.auth, Browser):
        return request.auth.user or AnonymousUser()
    return viewer_of(request.auth if isinstance(request.auth, Token) else None)


def _not_allowed(token: Token, scope: Scope) -> str:
    if token.bot is not None:
        return f"This token of {token.bot.name} can only play. Use one of your own for anything else."
    return f"This token may not {scope.label}. Make one with the scope '{scope.value}' on your account page."


class _Described(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        return {"type": "http", "scheme": "bearer", "description": "A token of your account page, esr_…"}
