"""Members of invitation-only ladders: invitations by username and by link."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import Final

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.members.memberships import leave
from ladder.models import Invitation, Ladder

_TOKEN_BYTES: Final = 32


def member_by_link(token: str, person: User) -> Ladder | None:
    """Make ``person`` a member of the ladder with this invitation ``token``; ``None`` if it is invalid. Idempotent."""
    if not token or "\0" in token:
        return None
    ladder = Ladder.objects.filter(invitation=token, by_invitation=True).first()
    if ladder is not None:
        Invitation.objects.get_or_create(ladder=ladder, person=person)
    return ladder


def invite(ladder: Ladder, people: Iterable[User]) -> int:
    """Make ``people`` members and return the number of new members. Raises ``Refused`` if the ladder is public."""
    if not ladder.by_invitation:
        raise Refused(f"{ladder} is open to everyone. No invitation is needed.", code="not_by_invitation")
    return sum(Invitation.objects.get_or_create(ladder=ladder, person=person)[1] for person in people)


def remove(ladder: Ladder, person: User) -> bool:
    """Remove the member ``person`` and return whether it was a member. The user's bots leave and keep their ratings.

    The member is removed first, so a bot that joins concurrently is refused or leaves with the others.
    """
    ended = Invitation.objects.filter(ladder=ladder, person=person).delete()[0]
    for bot in Bot.objects.filter(owner=person, memberships__ladder=ladder).order_by("pk"):
        leave(bot, ladder)
    return bool(ended)


def new_link(ladder: Ladder) -> str:
    """Replace the invitation link and return the new token. The old link stops working; members stay members."""
    token = new_token()
    Ladder.objects.filter(pk=ladder.pk, by_invitation=True).update(invitation=token)
    return token


def new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)
