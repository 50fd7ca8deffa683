"""Issuing, finding and revoking tokens."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Final, Protocol

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from esr_platform.accounts.demo import may_act
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import Limit, hold_acting
from esr_platform.accounts.models import Scope, Token, User, digest_of
from esr_platform.prepared import Prepared

PREFIX: Final = "esr_"
"""What every secret begins with, so that one that leaks into a repository is recognised."""

HINT_LENGTH: Final = 8
MOST_TOKENS: Final = 20
"""Maximum valid tokens of a person."""

_TOKENS: Final = Limit("tokens", "You have %(most)s tokens. Revoke one that you no longer use.", count=MOST_TOKENS)

LISTED: Final = 100


class OwnBot(Protocol):
    """The bot that a token plays. Only a remote one can have a token."""

    pk: int
    name: str
    kind: str
    owner_id: int | None
    retired: datetime | None


def issue(
    user: User, name: str, scopes: Collection[Scope], lifetime: timedelta | None, bot: OwnBot | None = None
) -> tuple[Token, str]:
    """A new token and its secret, which is kept nowhere; one of a remote ``bot`` plays that bot and does nothing else.

    Raises ``TooMany``, and ``Refused`` for a bot that is not the person's own remote one, or that is retired.
    """
    if bot is not None:
        _require_own_remote(user, bot)
        scopes = [Scope.PLAY]
    with transaction.atomic():
        hold_acting(user.pk)
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
    """The live token of a secret, with its person and bot; its use is noted. What it may do says ``Token.allows``."""
    token = next(iter(_issued(digest=digest_of(secret))), None)
    if token is None or not may_act(token.user):
        return None
    token.note_use()
    return token


def _of_digest(digest: str) -> QuerySet[Token]:
    return Token.objects.live().select_related("user", "bot").filter(digest=digest).order_by()


_issued: Final = Prepared(_of_digest)


def listed(user: User) -> Sequence[Token]:
    """The person's tokens, those that still work first, then the newest; ``LISTED`` at most."""
    newest = user.tokens.select_related("bot").order_by("-created", "-pk")
    return sorted(newest[:LISTED], key=lambda token: not token.live)


def revoke(user: User, token_id: int) -> bool:
    """End one of the person's tokens; whether there was such a live one."""
    return Token.objects.filter(user=user, pk=token_id, revoked=None).update(revoked=timezone.now()) == 1


def revoke_all(user: User) -> int:
    """End every token of the person; how many were live."""
    now = timezone.now()
    return Token.objects.filter(user=user, revoked=None).exclude(expires__lte=now).update(revoked=now)


def still_live(ids: Collection[int]) -> set[int]:
    """Those of the tokens that still open something: whoever holds a connection open asks again and again."""
    return set(Token.objects.live().filter(pk__in=ids).values_list("pk", flat=True))


def _require_own_remote(user: User, bot: OwnBot) -> None:
    if bot.owner_id != user.pk or bot.kind != "remote":
        raise Refused("Only a remote bot of yours can have a token of its own.")
    if bot.retired is not None:
        raise Refused(f"{bot.name} is retired: it plays no more.")


def _end(lifetime: timedelta | None) -> datetime | None:
    return None if lifetime is None else timezone.now() + lifetime
