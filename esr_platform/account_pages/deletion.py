"""Delete an account at its owner's request. Results and game records stay, under "deleted user".

One transaction closes the account and deletes its personal data: name, email addresses, password, passkeys, tokens and
sessions. After that nothing can be done with the account. Then its matches on ladders end, in the order in which rows
are locked: exhibition matches are canceled, cups lose their organizer, validations stop, and bots are retired. Paired
games are still played, as for any retired bot, but open cups withdraw it (``ladder.cups.progress``). The code is
deleted when no game needs it any more (``erase``). If a process dies in between, a task continues.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.models import Bot, BotVersion, Upload
from bots.owners import rename_player
from bots.uploads.storage import KEPT
from esr_platform.account_pages.forms import deleted_name
from esr_platform.accounts import mail
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import FormerName, Role, User, flags_of
from ladder import chat
from ladder.exhibitions.requests import replace_username_in_reasons
from ladder.matchmaking.proposals import leave_lobby
from ladder.members.memberships import retire, retire_player
from ladder.members.suspensions import cancel_exhibitions_of
from ladder.models import Cup, Invitation, Ladder, Match, Seat

logger = logging.getLogger(__name__)

_STOPPED: Final = "The account of its owner was deleted."
_SOMEBODY: Final = "deleted user"
IN_A_ROUND: Final = 500


def delete(person: User) -> None:
    """Delete the account of ``person``, who has just reauthenticated. Raises ``Refused`` for the last superuser."""
    address = person.email_address
    with transaction.atomic():
        name = _held(person).username
        if not _close(person):
            return
        _forget(person, name)
    logger.info("account of user %s deleted by its owner", person.pk)
    person.refresh_from_db()
    erase(person)
    subject = gettext_lazy("your account was deleted")
    mail.notify(address, subject, "accounts/email/deleted.txt", {"name": name})


def erase_all() -> int:
    """Continue with deleted accounts of which data is left. Returns how many are now erased. Safe concurrently."""
    waiting = User.objects.filter(deleted__isnull=False, erased=None).order_by("deleted")[:IN_A_ROUND]
    return sum(erase(person) for person in waiting)


def erase(person: User) -> bool:
    """End the matches and bots of a deleted account as far as possible. Returns whether nothing is left."""
    cancel_exhibitions_of(person)
    _leave_cups(person)
    for bot in Bot.objects.filter(owner=person).order_by("pk"):
        _stop_checks(bot)
        if bot.retired is None:
            (retire_player if bot.kind == Bot.Kind.PERSON else retire)(bot)
    forgotten = [chat.forget(person), _forget_code(person)]
    if not all(forgotten):
        return False
    return bool(User.objects.filter(pk=person.pk, erased=None).update(erased=Now()))


def _leave_cups(person: User) -> None:
    """Leave the cups that ``person`` organizes. Descriptions that no co-organizer can change become empty."""
    organized = Cup.objects.filter(organizer=person)
    organized.exclude(state__in=Cup.OPEN, co_organizers__isnull=False).update(about="")
    organized.update(organizer=None, repeat_days=None)
    person.cups_once_helped.add(*person.cups_helped.all())
    person.cups_helped.clear()


def _held(person: User) -> User:
    """Lock and return the row of ``person``, with all site admins, so that two of them cannot leave at once."""
    mighty = Q(role=Role.ADMIN, is_active=True)
    rows = User.objects.select_for_update(no_key=True).filter(mighty | Q(pk=person.pk)).order_by("pk")
    others = {row.pk: row for row in rows}
    now = others.pop(person.pk)
    if now.gives_roles and not others:
        raise Refused(
            _("You are the only site admin, so you cannot delete your account. Make someone else a site admin first."),
            code="last_superuser",
        )
    return now


def _close(person: User) -> bool:
    """Clear the row of personal data and rights. Returns ``False`` if that was done before."""
    unusable = User()
    unusable.set_unusable_password()
    blank = dict.fromkeys(("email", "first_name", "last_name", "suspension_reason", "terms_version"), "")
    rights = {"role": "", **flags_of(""), "is_active": False, "wants_digests": False}
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
    """Delete personal data and credentials, and reserve the username so that no one else gets it."""
    FormerName.objects.get_or_create(digest=FormerName.digest_of(name))
    replace_username_in_reasons(person, name, _SOMEBODY)
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
    """Reject versions in validation. Workers lose their leases and store nothing (``esr_platform.leases``)."""
    with transaction.atomic():
        Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
        bot.versions.filter(state__in=BotVersion.UNVALIDATED).update(
            state=BotVersion.State.REJECTED,
            reason=_STOPPED,
            lease=None,
            lease_until=None,
            retry_at=None,
            validated=Now(),
        )


def _forget_code(person: User) -> bool:
    """Release code that no game needs. The files are deleted within days (``bots.uploads.storage``).

    This waits until every upload that began before the deletion, and may share a file, has named it.
    """
    versions = BotVersion.objects.filter(bot__owner=person).exclude(archive="")
    if person.deleted is None or person.deleted > timezone.now() - KEPT:
        return not versions.exists()
    needed = Seat.objects.filter(version__in=versions, match__status__in=Match.PENDING).values("version")
    versions.exclude(pk__in=needed).update(archive="", filename="", notices=[], validation_report=None)
    return not versions.exists()
