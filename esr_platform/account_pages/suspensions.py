"""What staff do to an account: suspend it and lift that, and take a user name away. Kept with who, when and why.

Staff act on people who are not staff; on staff, only who may do everything does, and nobody on their own account.
"""

from __future__ import annotations

import logging
from functools import partial
from smtplib import SMTPException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.template.loader import render_to_string

from bots.models import StaffAction
from bots.owners import rename_player
from esr_platform.account_pages.forms import fingerprint, remove_name
from esr_platform.accounts import sessions
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import require_over
from esr_platform.accounts.models import FormerName, User
from ladder.corrections import by_staff
from ladder.exhibitions.requests import call_otherwise
from ladder.matchmaking.proposals import leave_lobby
from ladder.members.suspensions import READ_BY, cancel_exhibitions_of, lift_bots_of, suspend_bots_of

logger = logging.getLogger(__name__)

_What: Final = StaffAction.What


def suspend(person: User, by: User, reason: str) -> None:
    """Close the account of ``person``: sessions and tokens end now, bots leave their ladders, exhibitions are
    cancelled.

    What is being played is played out. The person is told by a letter. Raises ``Refused``.
    """
    with transaction.atomic():
        reason = _may(by, person, reason)
        open_ = User.objects.filter(pk=person.pk, suspended=None, deleted=None)
        if not open_.update(suspended=Now(), suspension_reason=reason, is_active=False):
            raise Refused(f"{person.username} is suspended already.")
        sessions.end_all(person)
        suspend_bots_of(person)
        leave_lobby(person)
        StaffAction.objects.create(by=by, person=person, what=_What.SUSPENDED_PERSON, reason=reason)
        transaction.on_commit(partial(cancel_exhibitions_of, person), robust=True)
        transaction.on_commit(partial(_tell, person, "suspended", reason), robust=True)
    person.refresh_from_db()


def lift(person: User, by: User, reason: str) -> None:
    """Open the account again: its bots are back on their ladders; tokens and sessions have to be made anew."""
    with transaction.atomic():
        reason = _may(by, person, reason)
        closed = User.objects.filter(pk=person.pk, suspended__isnull=False, deleted=None)
        if not closed.update(suspended=None, suspension_reason="", is_active=True):
            raise Refused(f"{person.username} is not suspended.")
        lift_bots_of(person)
        StaffAction.objects.create(by=by, person=person, what=_What.LIFTED_PERSON, reason=reason)
        transaction.on_commit(partial(_tell, person, "lifted", reason), robust=True)
    person.refresh_from_db()


def remove_name_of(person: User, by: User, reason: str) -> None:
    """Take the user name away: nobody gets it again, and the person chooses another one. Raises ``Refused``."""
    with transaction.atomic():
        reason = _may(by, person, reason)
        person.refresh_from_db()
        blank = remove_name(person.pk)
        if person.deleted is not None or person.username == blank:
            raise Refused("There is no name that could be taken away.")
        FormerName.objects.get_or_create(digest=fingerprint(person.username))
        call_otherwise(person.username, blank)
        User.objects.filter(pk=person.pk).update(username=blank)
        StaffAction.objects.create(by=by, person=person, what=_What.BLANKED_PERSON, reason=reason)
        person.refresh_from_db()
        rename_player(person)
        transaction.on_commit(partial(_tell, person, "blanked", reason), robust=True)


def choose_name(person: User, name: str) -> None:
    """Give another name to ``person``, whose name was taken away; ``name`` is valid. Raises ``Refused``."""
    blanked = User.objects.filter(pk=person.pk, username=remove_name(person.pk))
    try:
        with transaction.atomic():
            changed = blanked.update(username=name)
            person.refresh_from_db()
            if changed:
                rename_player(person)
    except IntegrityError:
        raise Refused("Somebody has this name. Choose another one.") from None
    if not changed:
        raise Refused("Your name was not taken away, so it stays.")


def _may(by: User, person: User, reason: str) -> str:
    """The reason as it is kept, if ``by`` may do something to the account of ``person``. Raises ``Refused``.

    Both rows are held until the end of the transaction: of two who suspend each other at once, one does.
    """
    by, person = _held(by.pk, person.pk)
    reason = by_staff(by, reason, READ_BY)
    require_over(by, person)
    return reason


def _held(*people: int) -> list[User]:
    """The people as they are now, their rows held by id."""
    rows = User.objects.select_for_update(no_key=True).filter(pk__in=people).order_by("pk")
    by_id = {row.pk: row for row in rows}
    return [by_id[person] for person in people]


def _tell(person: User, what: str, reason: str) -> None:
    """Write to the person; a mail server that is away changes nothing of what was done."""
    address = person.email_address
    if address is None:
        return
    words = {"person": person, "what": what, "reason": reason, "settings": settings}
    subject = f"{settings.SITE_NAME}: {render_to_string('accounts/moderated_subject.txt', words).strip()}"
    try:
        EmailMessage(subject, render_to_string("accounts/moderated.txt", words), None, [address]).send()
    except (OSError, SMTPException) as failure:
        logger.warning("email to user %s (account %s) not sent: %s", person.pk, what, failure)
