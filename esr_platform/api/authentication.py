"""Who asks the API, and how often they may."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Final

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from bots.models import Bot
from bots.reports import storable
from esr_platform.accounts import tokens
from esr_platform.accounts.limits import address, wait_s
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.accounts.sessions import Browser
from esr_platform.api.http import Refusal
from esr_platform.api.parameters import Text

if TYPE_CHECKING:
    from rest_framework.views import APIView

# --- Tokens ----------------------------------------------------------------------------------------------------------
#
# Cookies open nothing here, so no other site can make a browser act for its owner. The addresses at which people play
# in a browser take its session beside it (``streams/browser.py``).

SCHEME: Final = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """Finds the live token; one that is none is refused, and guesses from one address are counted."""

    security: ClassVar = "token"
    """The name of its security scheme in the OpenAPI document."""

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


# --- Limits ----------------------------------------------------------------------------------------------------------
#
# A guest is their address: secrets are to be had for nothing.

GUESSES: Final = "guesses"
"""The scope of tokens and sessions that turned out to be none."""

STRANGER: Final = "address-"
"""With what the identity of somebody without a token begins."""


class PerMinute(BaseThrottle):
    """At most ``settings.REQUESTS_PER_MINUTE[scope]`` requests in each minute of the clock.

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


# --- The bot of a token ----------------------------------------------------------------------------------------------

_SLUGS_NAMED: Final = 20


BOT_PARAMETER: Final = Text(
    "bot",
    "The slug of one of your remote bots. Required if your token is not the token of one bot and you have several "
    "remote bots that are not retired: the request then gets status 400 (`bot_missing`) without it. "
    "Otherwise optional.",
)
"""``?bot=`` in the OpenAPI document. ``player_of`` reads it."""


def player_of(token: Token, named: str) -> Bot:
    """The remote bot, with its owner and ``remote``; ``named`` is what ``?bot=`` says, or empty.

    Raises ``Http404`` for one that is not the token's to play, and ``Refusal`` (400) where it has to be named.
    """
    own = Bot.objects.filter(owner=token.user_id, kind=Bot.Kind.REMOTE).select_related("owner", "remote")
    if token.bot_id is not None:
        own = own.filter(pk=token.bot_id)
    if named:
        own = own.filter(slug=storable(named))
    elif token.bot_id is None:
        own = own.filter(retired=None)
    found = list(own.order_by("slug")[:_SLUGS_NAMED])
    if len(found) == 1:
        return found[0]
    if found:
        which = ", ".join(bot.slug for bot in found)
        raise Refusal(HTTPStatus.BAD_REQUEST, "bot_missing", f"Say as which of your bots: ?bot= one of {which}.")
    raise Http404(
        f"This token plays no remote bot called {named}."
        if named
        else "You have no remote bot yet. Register one: POST /api/v1/bots with kind=remote."
    )
