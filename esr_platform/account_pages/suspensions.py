"""Moderation of accounts: suspend an account, lift the suspension, remove a username. Each action is logged.

Moderators moderate users who are not staff. Only site admins moderate staff, and no one their own account.
"""

from __future__ import annotations

from typing import Final

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from bots.models import StaffAction
from bots.owners import rename_player
from esr_platform.account_pages.forms import remove_name
from esr_platform.accounts import mail, sessions
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import require_over
from esr_platform.accounts.models import FormerName, Role, User
from esr_platform.accounts.roles import reason_of_staff
from esr_platform.commits import after_commit
from ladder.exhibitions.requests import replace_username_in_reasons
from ladder.matchmaking.proposals import leave_lobby
from ladder.members.suspensions import READ_BY, cancel_exhibitions_of, lift_bots_of, suspend_bots_of

_What: Final = StaffAction.What
_SUBJECTS: Final = {
    "suspended": gettext_lazy("your account was suspended"),
    "lifted": gettext_lazy("your account is no longer suspended"),
    "blanked": gettext_lazy("your username was removed"),
}


def suspend(person: User, by: User, reason: str) -> None:
    """Suspend the account of ``person`` and notify them by email. Raises ``Refused``.

    Sessions and tokens end, bots leave their ladders and exhibition matches are canceled. Running games are finished.
    """
    with transaction.atomic():
        reason = _may(by, person, reason)
        open_ = User.objects.filter(pk=person.pk, suspended=None, deleted=None)
        if not open_.update(suspended=Now(), suspension_reason=reason, is_active=False):
            raise Refused(
                _("%(name)s is already suspended. Nothing was changed.") % {"name": person.username},
                code="already_suspended",
            )
        sessions.end_all(person)
        suspend_bots_of(person)
        leave_lobby(person)
        StaffAction.objects.create(by=by, person=person, what=_What.SUSPENDED_PERSON, reason=reason)
        after_commit(cancel_exhibitions_of, person)
        after_commit(_tell, person, "suspended", reason)
    person.refresh_from_db()


def lift(person: User, by: User, reason: str) -> None:
    """Lift the suspension of ``person``. Bots rejoin their ladders; sessions and tokens stay revoked."""
    with transaction.atomic():
        reason = _may(by, person, reason)
        closed = User.objects.filter(pk=person.pk, suspended__isnull=False, deleted=None)
        if not closed.update(suspended=None, suspension_reason="", is_active=True):
            raise Refused(
                _("%(name)s is not suspended. Nothing was changed.") % {"name": person.username}, code="not_suspended"
            )
        lift_bots_of(person)
        StaffAction.objects.create(by=by, person=person, what=_What.LIFTED_PERSON, reason=reason)
        after_commit(_tell, person, "lifted", reason)
    person.refresh_from_db()


def remove_name_of(person: User, by: User, reason: str) -> None:
    """Remove and reserve the username of ``person``, who chooses another one. Raises ``Refused``."""
    with transaction.atomic():
        reason = _may(by, person, reason)
        person.refresh_from_db()
        blank = remove_name(person.pk)
        if person.deleted is not None or person.username == blank:
            raise Refused(
                _("This account is deleted, or its username was already removed. Nothing was changed."),
                code="no_name_to_remove",
            )
        former = person.username
        FormerName.objects.get_or_create(digest=FormerName.digest_of(former))
        replace_username_in_reasons(person, former, blank)
        User.objects.filter(pk=person.pk).update(username=blank)
        StaffAction.objects.create(by=by, person=person, what=_What.BLANKED_PERSON, reason=reason)
        person.refresh_from_db()
        rename_player(person)
        after_commit(_tell, person, "blanked", reason, former)


def choose_name(person: User, name: str) -> None:
    """Give the valid ``name`` to ``person``, whose username was removed. Raises ``Refused``."""
    blanked = User.objects.filter(pk=person.pk, username=remove_name(person.pk))
    try:
        with transaction.atomic():
            changed = blanked.update(username=name)
            person.refresh_from_db()
            if changed:
                replace_username_in_reasons(person, remove_name(person.pk), name)
                rename_player(person)
    except IntegrityError:
        raise Refused(_("This username is taken. Choose another name."), code="username_taken") from None
    if not changed:
        raise Refused(
            _("You can choose a new username only if a moderator has removed yours."), code="username_not_removed"
        )


def _may(by: User, person: User, reason: str) -> str:
    """Return the reason to store, or raise ``Refused`` if ``by`` may not moderate ``person``.

    Both rows stay locked until the end of the transaction, so that two users cannot suspend each other.
    """
    by, person = lock_users(by.pk, person.pk)
    reason = reason_of_staff(by, reason, Role.MODERATOR, READ_BY)
    require_over(by, person)
    return reason


def lock_users(*people: int) -> list[User]:
    """Lock the rows in the order of their ids and return the users as stored now."""
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=people).order_by("pk")
    by_id = {row.pk: row for row in rows}
    return [by_id[person] for person in people]


def _tell(person: User, what: str, reason: str, name: str = "") -> None:
    """Notify the person by email."""
    values = {"what": what, "reason": reason, "name": name or person.username}
    mail.notify(person.email_address, _SUBJECTS[what], "accounts/email/moderated.txt", values)
