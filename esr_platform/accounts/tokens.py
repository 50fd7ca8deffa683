"""Issuing, finding and revoking tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Final, Protocol

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from esr_platform.accounts.demo import may_act
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import Limit, lock_active_user
from esr_platform.accounts.models import Scope, Token, User, digest_of
from esr_platform.prepared import Prepared

PREFIX: Final = "esr_"
"""The prefix of every secret, by which scanners recognize leaked tokens."""

HINT_LENGTH: Final = 8
MOST_TOKENS: Final = 20
"""Maximum number of valid tokens per user."""

_TOKENS: Final = Limit(
    "tokens",
    "You have %(most)s API tokens (the maximum). Revoke a token that you no longer use.",
    count=MOST_TOKENS,
    code="tokens_per_user",
)

LISTED: Final = 100


class OwnBot(Protocol):
    """The bot of a token. Only remote bots can have tokens."""

    pk: int
    name: str
    kind: str
    owner_id: int | None
    retired: datetime | None


def issue(
    user: User, name: str, scopes: Collection[Scope], lifetime: timedelta | None, bot: OwnBot | None = None
) -> tuple[Token, str]:
    """Create a token and return it with its secret, which is not stored. With ``bot`` it can only play as that bot.

    Raises ``TooMany``, and ``Refused`` if ``bot`` is not a remote bot of ``user`` or is retired.
    """
    if bot is not None:
        _require_own_remote(user, bot)
        scopes = [Scope.PLAY]
    with transaction.atomic():
        lock_active_user(user.pk)
        _TOKENS.require(Token.objects.live().filter(user=user))
        secret = PREFIX + token_urlsafe(32)
        token = Token.objects.create(
            user=user,
            name=name,
            hint=secret[:HINT_LENGTH],
            digest=digest_of(secret),
            scopes=sorted({scope.value for scope in scopes}),
            bot_id=None if bot is None else bot.pk,
            expires=_end(lifetime),
        )
    return token, secret


def find(secret: str) -> Token | None:
    """The valid token of a secret, with its user and bot, or ``None``. Stores the time of use."""
    token = next(iter(_issued(digest=digest_of(secret))), None)
    if token is None or not may_act(token.user):
        return None
    token.note_use()
    return token


def _of_digest(digest: str) -> QuerySet[Token]:
    return Token.objects.live().select_related("user", "bot").filter(digest=digest).order_by()


_issued: Final = Prepared(_of_digest)


def listed(user: User) -> Sequence[Token]:
    """Up to ``LISTED`` tokens of the user, valid tokens first, then newest first."""
    newest = user.tokens.select_related("bot").order_by("-created", "-pk")
    return sorted(newest[:LISTED], key=lambda token: not token.live)


def revoke(user: User, token_id: int) -> bool:
    """Revoke a token of the user. Returns whether it existed and was not revoked."""
    return Token.objects.filter(user=user, pk=token_id, revoked=None).update(revoked=timezone.now()) == 1


def revoke_all(user: User) -> int:
    """Revoke all tokens of the user. Returns how many were valid."""
    now = timezone.now()
    return Token.objects.filter(user=user, revoked=None).exclude(expires__lte=now).update(revoked=now)


def still_live(ids: Collection[int]) -> set[int]:
    """The ids of tokens that are still valid, for open connections that check repeatedly."""
    return set(Token.objects.live().filter(pk__in=ids).values_list("pk", flat=True))


def _require_own_remote(user: User, bot: OwnBot) -> None:
    if bot.owner_id != user.pk or bot.kind != "remote":
        raise Refused(
            _("This is not one of your remote bots. Choose one of them, or create a token without a bot."),
            code="not_own_remote_bot",
        )
    if bot.retired is not None:
        raise Refused(_("%(name)s is retired. Restore the bot first.") % {"name": bot.name}, code="bot_retired")


def _end(lifetime: timedelta | None) -> datetime | None:
    return None if lifetime is None else timezone.now() + lifetime
