"""Issuing, finding and revoking tokens."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from secrets import token_urlsafe
from typing import Final

from django.db import transaction
from django.utils import timezone

from bots.people import hold_acting
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import Scope, Token, User, digest_of

PREFIX: Final = "esr_"
"""What every secret begins with, so that one that leaks into a repository is recognised."""

HINT_LENGTH: Final = 8
MOST_TOKENS: Final = 20
"""So many live tokens a person may have."""


class TooManyTokens(ValueError):
    """The person has as many live tokens as one may have; the message says what to do."""


def issue(user: User, name: str, scopes: Collection[Scope], lifetime: timedelta | None) -> tuple[Token, str]:
    """A new token and its secret, which is kept nowhere. Raises ``TooManyTokens``."""
    with transaction.atomic():
        hold_acting(user.pk)
        if Token.objects.live().filter(user=user).count() >= MOST_TOKENS:
            raise TooManyTokens(f"You have {MOST_TOKENS} tokens. Revoke one that you no longer use.")
        secret = PREFIX + token_urlsafe(32)
        token = Token.objects.create(
            user=user,
            name=name,
            hint=secret[:HINT_LENGTH],
            digest=digest_of(secret),
            scopes=sorted(scope.value for scope in scopes),
            expires=_end(lifetime),
        )
    return token, secret


def find(secret: str) -> Token | None:
    """The live token of a secret; its use is noted. What it may do is said by ``Token.allows``."""
    token = Token.objects.live().select_related("user").filter(digest=digest_of(secret)).first()
    if token is None or not may_act(token.user):
        return None
    token.note_use()
    return token


def revoke(user: User, token_id: int) -> bool:
    """End one of the person's tokens; whether there was such a live one."""
    return Token.objects.filter(user=user, pk=token_id, revoked=None).update(revoked=timezone.now()) == 1


def _end(lifetime: timedelta | None) -> datetime | None:
    return None if lifetime is None else timezone.now() + lifetime
