"""Members of invitation-only ladders: invitations by username and by link, and the bots that organizers add.

Members who accept the invitation, with its link or on the page of the ladder, let the organizers add their bots.
Members who were invited by username have not agreed to that yet. A bot that has ever been on the ladder is never added
again by organizers, because its owner may have removed it.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable
from typing import Final

from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.members.memberships import join, leave, may_sit
from ladder.models import Invitation, Ladder
from ladder.models.ladders import Viewer

_TOKEN_BYTES: Final = 32


def member_by_link(token: str, person: User) -> Ladder | None:
    """Make ``person`` a member who lets organizers add bots; ``None`` if the ``token`` is invalid. Idempotent."""
    if not token or "\0" in token:
        return None
    ladder = Ladder.objects.filter(invitation=token, by_invitation=True).first()
    if ladder is not None:
        Invitation.objects.get_or_create(ladder=ladder, person=person)
        accept(ladder, person)
    return ladder


def accept(ladder: Ladder, person: User) -> bool:
    """Let organizers add the bots of the member ``person``. Returns whether it is a member. Idempotent."""
    own = Invitation.objects.filter(ladder=ladder, person=person)
    own.filter(agreed=None).update(agreed=Now())
    return own.exists()


def is_asked(ladder: Ladder, person: Viewer) -> bool:
    """Whether ``person`` was invited to ``ladder`` by username and has not accepted the invitation."""
    if not ladder.by_invitation or not person.is_authenticated:
        return False
    return Invitation.objects.filter(ladder=ladder, person=person.pk, agreed=None).exists()


def enrollable(ladder: Ladder) -> list[Bot]:
    """Return the bots that organizers can add to ``ladder`` now, by owner and name. Two queries."""
    agreed = Invitation.objects.filter(ladder=ladder, agreed__isnull=False).values("person")
    versions = BotVersion.objects.filter(active=True, bot__owner__in=agreed).exclude(bot__memberships__ladder=ladder)
    versions = versions.filter(bot__retired=None, bot__suspended=None).select_related("bot__owner")
    ordered = versions.defer("validation_report").order_by("bot__owner__username", "bot__name", "pk")
    return [version.bot for version in ordered if may_sit(version, ladder)]


def enroll(ladder: Ladder, bots: Collection[int]) -> list[Bot]:
    """Add those of :func:`enrollable` whose ids are in ``bots``, and return them. Raises ``CannotJoin``."""
    added = [bot for bot in enrollable(ladder) if bot.pk in bots]
    for bot in added:
        join(bot, ladder)
    return added


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
