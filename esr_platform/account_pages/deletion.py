"""A person deletes the account. What was played stays, under "deleted user"; who it was does not.

First, in one transaction, the account is closed and forgotten: name, address, password, keys, tokens, sessions. Nobody
acts for it from then on. Then what it had on the ladders ends, row by row and in the order in which rows are locked:
exhibitions are cancelled, checks stop, bots are retired. What is paired is played, as when any bot is retired; the code
goes when no game can need it any more (``erase``). A process that dies in between loses nothing: a task goes on with
it.
"""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.module_loading import import_string

from bots.models import Bot, BotVersion, Upload
from bots.owners import rename_player
from bots.uploads.storage import KEPT
from esr_platform.account_pages.forms import deleted_name, fingerprint
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import FormerName, User
from ladder import chat
from ladder.exhibitions.requests import call_otherwise
from ladder.matchmaking.proposals import leave_lobby
from ladder.members.memberships import retire, retire_player
from ladder.members.suspensions import cancel_exhibitions_of
from ladder.models import Invitation, Ladder, Match, Seat

logger = logging.getLogger(__name__)

_STOPPED: Final = "The account of its owner was deleted."
_SOMEBODY: Final = "deleted user"
IN_A_ROUND: Final = 500


def delete(person: User) -> None:
    """Delete the account of ``person``, who has just shown that it is theirs. Raises ``Refused`` for the last one who
    may do everything: nobody could look after the site.
    """
    address = person.email_address
    with transaction.atomic():
        name = _held(person).username
        if not _close(person):
            return
        _forget(person, name)
    logger.info("user %s deleted their account", person.pk)
    person.refresh_from_db()
    erase(person)
    if address is not None:
        _say_goodbye(name, address)


def erase_all() -> int:
    """Go on with accounts that were deleted and are not erased yet; how many are erased now. Safe twice at once."""
    waiting = User.objects.filter(deleted__isnull=False, erased=None).order_by("deleted")[:IN_A_ROUND]
    return sum(erase(person) for person in waiting)


def erase(person: User) -> bool:
    """End what a deleted account had on the ladders, as far as can be now; whether nothing is left."""
    cancel_exhibitions_of(person)
    for bot in Bot.objects.filter(owner=person).order_by("pk"):
        _stop_checks(bot)
        if bot.retired is None:
            (retire_player if bot.kind == Bot.Kind.PERSON else retire)(bot)
    forgotten = [chat.forget(person), _forget_code(person)]
    if not all(forgotten):
        return False
    return bool(User.objects.filter(pk=person.pk, erased=None).update(erased=Now()))


def _held(person: User) -> User:
    """The person as of now, the row held with those of all superusers: of two who leave at once, one is the last."""
    mighty = Q(is_superuser=True, is_active=True)
    rows = User.objects.select_for_update(no_key=True).filter(mighty | Q(pk=person.pk)).order_by("pk")
    others = {row.pk: row for row in rows}
    now = others.pop(person.pk)
    if now.is_superuser and not others:
        raise Refused("You are the last one who may do everything here. Make somebody else a superuser first.")
    return now


def _close(person: User) -> bool:
    """Make the row one that opens nothing and says nothing; whether it was not that already."""
    unusable = User()
    unusable.set_unusable_password()
    blank = dict.fromkeys(("email", "first_name", "last_name", "suspension_reason", "terms_version"), "")
    rights = dict.fromkeys(("is_active", "is_staff", "is_superuser", "wants_digests"), False)
    none = dict.fromkeys(("last_login", "suspended", "terms_accepted", "next_digest", "told_until"), None)
    return bool(
        User.objects.filter(pk=person.pk, deleted=None).update(
            **blank,
            **rights,
            **none,
            username=deleted_name(person.pk),
            password=unusable.password,
            session_epoch=F("session_epoch") + 1,
            deleted=Now(),
        )
    )


def _forget(person: User, name: str) -> None:
    """Delete whatever says who it was, or opens the account; nobody gets the name again."""
    FormerName.objects.get_or_create(digest=fingerprint(name))
    call_otherwise(name, _SOMEBODY)
    EmailAddress.objects.filter(user=person).delete()
    Authenticator.objects.filter(user=person).delete()
    person.tokens.all().delete()
    if apps.is_installed("allauth.socialaccount"):
        accounts: Any = import_string("allauth.socialaccount.models.SocialAccount")
        accounts.objects.filter(user=person).delete()
    Upload.objects.filter(owner=person).delete()
    Invitation.objects.filter(person=person).delete()
    Ladder.objects.filter(opened_by=person).update(opened_by=None)
    Bot.objects.filter(owner=person).update(description="", public_source=False)
    chat.forget(person)
    leave_lobby(person)
    rename_player(User.objects.get(pk=person.pk))
    person.groups.clear()
    person.user_permissions.clear()


def _stop_checks(bot: Bot) -> None:
    """Whoever is at a check finds it taken away, and brings nothing (``bots.uploads.queue.Claim``)."""
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
        bot.versions.filter(state__in=BotVersion.UNCHECKED).update(
            state=BotVersion.State.REFUSED, reason=_STOPPED, lease=None, lease_until=None, checked=Now()
        )


def _forget_code(person: User) -> bool:
    """Let go of the code that no game needs any more; the files themselves go within days (``bots.uploads.storage``).

    Not before an upload that shares a file must have named it: it was begun before the account was deleted.
    """
    versions = BotVersion.objects.filter(bot__owner=person).exclude(archive="")
    if person.deleted is None or person.deleted > timezone.now() - KEPT:
        return not versions.exists()
    needed = Seat.objects.filter(version__in=versions, match__status__in=Match.PENDING).values("version")
    versions.exclude(pk__in=needed).update(archive="", filename="", check_report=None)
    return not versions.exists()


def _say_goodbye(name: str, address: str) -> None:
    """The last letter: so whoever did not mean it, or was not asked, learns of it."""
    words = {"name": name, "settings": settings}
    subject = f"{settings.SITE_NAME}: {render_to_string('accounts/deleted_subject.txt', words).strip()}"
    try:
        EmailMessage(subject, render_to_string("accounts/deleted.txt", words), None, [address]).send()
    except (OSError, SMTPException) as failure:
        logger.warning("email about a deleted account not sent: %s", failure)
