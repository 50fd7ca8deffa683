"""Who asks: the owner of the token in ``Authorization: Bearer esr_…``, within the token's scopes.

Cookies open nothing here, so no other site can make a browser act for its owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from esr_platform.accounts import tokens
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.api.throttling import count_guess

if TYPE_CHECKING:  # it reads the settings that name this module
    from rest_framework.views import APIView

SCHEME = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """Finds the live token; one that is none is refused, and guesses from one address are counted."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """The owner and the token; ``None`` without the header. Raises ``AuthenticationFailed``, ``Throttled``."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return None
        if scheme.lower() != SCHEME.lower():
            raise AuthenticationFailed("Send the token as the header 'Authorization: Bearer esr_…'.")
        token = tokens.find(secret.strip())
        if token is None:
            count_guess(request)
            raise AuthenticationFailed(
                "This token is unknown, revoked or expired. Make a new one on your account page."
            )
        return token.user, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        return SCHEME


class HasScope(BasePermission):
    """Lets in tokens with the scope that the view names as ``scope``; a view that names none lets nobody in."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        scope: Scope | None = getattr(view, "scope", None)
        if not isinstance(request.auth, Token) or scope is None:
            return False
        self.message = f"This token may not {scope.label}. Make one that may on your account page."
        return request.auth.allows(scope)


class _Described(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        return {"type": "http", "scheme": "bearer", "description": "A token of your account page, esr_…"}
