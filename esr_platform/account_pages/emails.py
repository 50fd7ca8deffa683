"""The daily email: what happened to a person's bots, exhibition matches and ladders. At most one a day.

Nothing is queued. Each email tells the news (``esr_platform.account_pages.notifications``) since the last one. So
nothing is forgotten when a process or the broker dies, and the news of one day come in one email.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from datetime import datetime, timedelta
from smtplib import SMTPConnectError, SMTPResponseException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.signing import BadSignature, Signer
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from esr_platform.account_pages.notifications import News, may_have_news, news_of
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User

logger = logging.getLogger(__name__)

PAUSE: Final = timedelta(days=1)
SOON: Final = timedelta(minutes=10)
"""After this an email is tried again that has certainly not left."""

IN_A_ROUND: Final = 10
OLDEST: Final = timedelta(days=7)
"""Older news are not told: without this, a first email would tell everything since the person signed up."""

SETTLED: Final = timedelta(minutes=2)
"""News this old are complete: every transaction that began before has ended, so no news appear before told ones."""

_SIGNER: Final = Signer(salt="esr.letters")


class NotSent(Exception):
    """The mail server did not take an email, or did not say so; when it is tried again has been noted."""


def write_all() -> int:
    """Write to people whose email is due; how many were sent. Safe to call at any time, by several at once.

    The first failure ends the round: a mail server that is away must not keep a worker waiting again and again.
    """
    sent = 0
    try:
        for person in _due(timezone.now() - SETTLED)[:IN_A_ROUND]:
            sent += write(person)
    except NotSent as failure:
        logger.warning("%s", failure)
    return sent


def write(person: User) -> bool:
    """Write to ``person`` if there are news; whether an email was sent.

    It takes the day before it sends, by a conditional update: of two workers one writes. An email that the server did
    not take is tried again soon; one of which that is not known, tomorrow, with whatever has happened by then. Raises
    ``NotSent``.
    """
    address, row = person.email_address, User.objects.filter(pk=person.pk)
    taken = _quiet().filter(pk=person.pk)
    if not may_act(person) or address is None or not taken.update(next_digest=Now() + PAUSE):
        return False
    until = timezone.now() - SETTLED
    told = news_of(person, _since(person, until), until)
    if not told:
        row.update(next_digest=None, told_until=until)
        return False
    try:
        _email(person, address, told).send()
    except (OSError, ValueError) as failure:
        if _has_not_left(failure):
            row.update(next_digest=Now() + SOON)
        raise NotSent(f"no email for person {person.pk}: {failure}") from failure
    row.update(told_until=until)
    return True


def _since(person: User, until: datetime) -> datetime:
    """The start of the period that the next email to ``person`` covers."""
    told = User.objects.values_list("told_until", flat=True).get(pk=person.pk) or person.date_joined
    return max(told, until - OLDEST)


def turn_off(signed: str) -> bool:
    """Send no more emails to the person that a link of :func:`address_to_turn_off` names; whether it names one."""
    try:
        person = int(_SIGNER.unsign(signed))
    except BadSignature:
        return False
    return bool(User.objects.filter(pk=person).update(wants_digests=False))


def unsubscribe_url(owner: User) -> str:
    """The link that ends the emails to ``owner`` without signing in; it does nothing else and never expires."""
    return f"{settings.SITE_URL}{reverse('accounts:digests_off', args=(_SIGNER.sign(str(owner.pk)),))}"


def _email(person: User, address: str, told: Sequence[News]) -> EmailMessage:
    off = unsubscribe_url(person)
    subject = told[0].headline if len(told) == 1 else f"{len(told)} updates on your bots and matches"
    text = render_to_string("accounts/letter.txt", {"person": person, "news": told, "off": off, "settings": settings})
    headers = {  # RFC 8058
        "List-Unsubscribe": f"<{off}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return EmailMessage(f"{settings.SITE_NAME}: {subject}", text, None, [address], headers=headers)


def _quiet() -> QuerySet[User]:
    """People who want emails and have had none within a day."""
    pause_over = Q(next_digest=None) | Q(next_digest__lte=Now())
    return User.objects.filter(pause_over, is_active=True, wants_digests=True)


def _due(until: datetime) -> QuerySet[User]:
    """People to whom there may be something to write, those who have waited longest first."""
    due = _quiet().filter(may_have_news(until - OLDEST, until))
    return due.filter(emailaddress__verified=True, emailaddress__primary=True).order_by("next_digest", "pk")


def _has_not_left(failure: Exception) -> bool:
    """Whether the mail server has certainly not taken the email, and may take it later."""
    if isinstance(failure, SMTPResponseException) and not isinstance(failure, SMTPConnectError):
        return 400 <= failure.smtp_code < 500
    return isinstance(failure, SMTPConnectError | ConnectionRefusedError | socket.gaierror)
