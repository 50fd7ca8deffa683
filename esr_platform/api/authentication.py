"""Authentication by token, scopes, rate limits, and the remote bot of a token."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, ClassVar, Final

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from bots import worker_hosts
from bots.models import Bot, WorkerHost, WorkerScope
from bots.reports import storable
from esr_platform.accounts import tokens
from esr_platform.accounts.limits import Quota, address, count_request, wait_s
from esr_platform.accounts.models import Scope, Token, User
from esr_platform.accounts.sessions import Browser
from esr_platform.api.http import Refusal
from esr_platform.api.parameters import Text

if TYPE_CHECKING:
    from rest_framework.views import APIView

# --- Tokens ----------------------------------------------------------------------------------------------------------
#
# Cookies are not accepted here, so that another site cannot make a browser act for its user. Only the endpoints of
# live games also accept browser sessions (``streams/browser.py``).

SCHEME: Final = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """Authenticate by token. Invalid tokens are counted per IP address to slow down guessing."""

    security: ClassVar = "token"
    """Name of the security scheme in the OpenAPI document."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        """Return the owner and the token, or ``None`` without a token. Raises the errors of ``token_of``."""
        token = token_of(request._request)
        return None if token is None else (token.user, token)

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        return SCHEME


class WorkerAuthentication(BaseAuthentication):
    """Authenticate a worker host by its token, which gives access to its own endpoints only."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, WorkerHost] | None:
        """Return the host, or ``None`` without a token. Raises ``AuthenticationFailed`` and ``Throttled``."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if not scheme:
            return None
        host = worker_hosts.find(secret.strip()) if scheme.lower() == SCHEME.lower() else None
        if host is None:
            if secret.startswith(worker_hosts.PREFIX):  # a token of an account is a mistake, and no guess
                count_guess(request._request)
            raise AuthenticationFailed(
                "The token of this worker host is unknown or revoked. Create one with 'manage.py worker_hosts create'."
            )
        return AnonymousUser(), host

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        return SCHEME


class HasWorkerScope(BasePermission):
    """Allow worker hosts that have one of the ``scopes`` of the view."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        scopes: Collection[WorkerScope] = getattr(view, "scopes", ())
        return isinstance(request.auth, WorkerHost) and any(map(request.auth.allows, scopes))


class HasScope(BasePermission):
    """Allow tokens that have the ``scope`` of the view. Views without a scope allow no token."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        scope: Scope | None = getattr(view, "scope", None)
        if not isinstance(request.auth, Token) or scope is None:
            return False
        self.message = _not_allowed(request.auth, scope)
        return request.auth.allows(scope)


def token_of(request: HttpRequest) -> Token | None:
    """Return the valid token of a request with its owner and bot, or ``None`` without ``Authorization`` header.

    Raises ``AuthenticationFailed`` for an invalid token and ``Throttled`` after too many of them.
    """
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    if not scheme:
        return None
    if scheme.lower() != SCHEME.lower():
        raise AuthenticationFailed(
            "Unsupported authentication scheme. Send a token in the header 'Authorization: Bearer esr_…'."
        )
    token = tokens.find(secret.strip())
    if token is None:
        count_guess(request)
        raise AuthenticationFailed("The token is unknown, revoked or expired. Create a new one on your account page.")
    return token


def viewer_of(token: Token | None) -> User | AnonymousUser:
    """Return the user whose private data is visible: the token owner with the scope ``read``, else an anonymous user.

    Public data needs no token. A token that can only play or upload does not give access to private ladders.
    """
    return token.user if token is not None and token.allows(Scope.READ) else AnonymousUser()


def viewer(request: Request) -> User | AnonymousUser:
    """Return the viewer of a REST framework request, also for views that accept browser sessions."""
    if isinstance(request.auth, Browser):
        return request.auth.user or AnonymousUser()
    return viewer_of(request.auth if isinstance(request.auth, Token) else None)


def _not_allowed(token: Token, scope: Scope) -> str:
    if token.bot is not None:
        return f"This token belongs to the bot {token.bot.name} and can only play. Use an account token."
    return f"This token does not have the scope '{scope.value}'. Create a token with it on your account page."


# --- Limits ----------------------------------------------------------------------------------------------------------
#
# Guests are counted by IP address, because clients can create new guest secrets.

GUESSES: Final = "guesses"
"""Throttle scope of invalid tokens and sessions."""

STRANGER: Final = "address-"
"""Prefix of the identities of clients without a token or account."""


class PerMinute(BaseThrottle):
    """Allow ``settings.REQUESTS_PER_MINUTE[scope]`` requests per client and calendar minute.

    The scope is the ``throttle_scope`` of the view, by default ``read``.
    """

    quota: Quota

    def allow_request(self, request: Request, view: APIView) -> bool:
        scope: str = getattr(view, "throttle_scope", "read")
        self.quota = count_request(scope, identity(request._request, request.auth))
        view.headers.update(self.quota.headers)
        return not self.quota.wait_s

    def wait(self) -> float:
        return self.quota.wait_s


def count_guess(request: HttpRequest) -> None:
    """Count an invalid token or session. Raises ``Throttled`` after too many from one IP address."""
    wait = wait_s(GUESSES, address(request.META))
    if wait:
        raise Throttled(wait)


def identity(request: HttpRequest, auth: object) -> str:
    """Return the identity for which a request is counted: the user, the bot of a bot token, or the IP address.

    ``auth`` is the token or the browser session, if there is one.
    """
    if isinstance(auth, Token):
        return f"user-{auth.user_id}" if auth.bot_id is None else f"bot-{auth.bot_id}"
    if isinstance(auth, WorkerHost):
        return f"worker-{auth.pk}"
    if isinstance(auth, Browser) and auth.user_id is not None:
        return f"user-{auth.user_id}"
    return f"{STRANGER}{address(request.META)}"


# --- The bot of a token ----------------------------------------------------------------------------------------------

_SLUGS_NAMED: Final = 20

BOT_PARAMETER: Final = Text(
    "bot",
    "Slug of the remote bot. Required if the token belongs to your account and you have several remote bots that are "
    "not retired; if it is missing, the response is 400 (`bot_missing`). Otherwise optional.",
)
"""The parameter ``?bot=``, which ``player_of`` reads."""


def bot_missing(slugs: Iterable[str]) -> Refusal:
    """Return the error for a request that has to name one of several remote bots."""
    detail = f"You have several remote bots. Add the query parameter 'bot' with one of: {', '.join(slugs)}."
    return Refusal(HTTPStatus.BAD_REQUEST, "bot_missing", detail)


def player_of(token: Token, named: str) -> Bot:
    """Return the remote bot that a token plays, with its owner and ``remote``. ``named`` is the value of ``?bot=``.

    Raises ``Http404`` if the token cannot play the bot, and ``Refusal`` (400) if several bots are possible.
    """
    own = Bot.objects.filter(owner=token.user_id, kind=Bot.Kind.REMOTE).select_related("owner", "remote")
    if token.bot_id is not None:
        own = own.filter(pk=token.bot_id)
    if named:
        own = own.filter(slug=storable(named))
    elif token.bot_id is None:
        own = own.filter(retired=None)
    bots = list(own.order_by("slug")[:_SLUGS_NAMED])
    if len(bots) == 1:
        return bots[0]
    if bots:
        raise bot_missing(bot.slug for bot in bots)
    raise Http404(
        f"Remote bot not found: this token cannot play '{named}'. Use the slug of one of your remote bots."
        if named
        else "You have no remote bots. Register one with POST /api/v1/remote-bots."
    )
