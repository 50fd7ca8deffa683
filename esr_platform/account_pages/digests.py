"""The digest: at most one email per day about a user's bots, exhibition matches, ladders and cups.

Nothing is queued. Each email contains the news since the last one (``esr_platform.account_pages.notifications``), so
nothing is lost if a worker or the broker fails.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from smtplib import SMTPConnectError, SMTPResponseException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.core.signing import BadSignature, Signer
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import ngettext

from esr_platform.account_pages.notifications import News, may_have_news, news_of
from esr_platform.accounts import mail
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User

PAUSE: Final = timedelta(days=1)
SOON: Final = timedelta(minutes=10)
"""Delay before a retry of an email that the mail server certainly did not accept."""

IN_A_ROUND: Final = 10
OLDEST: Final = timedelta(days=7)
"""Older news are left out. Otherwise the first email would contain everything since the user signed up."""

SETTLED: Final = timedelta(minutes=2)
"""News of this age are complete: all transactions that could add earlier news have ended."""

_SIGNER: Final = Signer(salt="esr.letters")


def write_all() -> int:
    """Send the digests that are due and return their number. Safe to call at any time and concurrently.

    The first failure ends the round, so that a mail server that does not respond blocks a worker only once.
    """
    sent = 0
    with suppress(mail.NotSent):
        for person in _due(timezone.now() - SETTLED)[:IN_A_ROUND]:
            sent += write(person)
    return sent


def write(person: User) -> bool:
    """Send ``person`` a digest if there are news. Returns whether it was sent.

    A conditional update reserves the day first, so only one of several workers sends. If the server did not accept the
    email, the next attempt follows soon; if that is unknown, the next day. Raises
    ``mail.NotSent``.
    """
    address, row = person.email_address, User.objects.filter(pk=person.pk)
    taken = _quiet().filter(pk=person.pk)
    if not may_act(person) or address is None or not taken.update(next_digest=Now() + PAUSE):
        return False
    until = timezone.now() - SETTLED
    news = news_of(person, _since(person, until), until)
    if not news:
        row.update(next_digest=None, told_until=until)
        return False
    try:
        mail.send(_email(person, address, news))
    except mail.NotSent as failure:
        if _has_not_left(failure.__cause__):
            row.update(next_digest=Now() + SOON)
        raise
    row.update(told_until=until)
    return True


def _since(person: User, until: datetime) -> datetime:
    """The start of the period that the next digest of ``person`` covers."""
    last = User.objects.values_list("told_until", flat=True).get(pk=person.pk) or person.date_joined
    return max(last, until - OLDEST)


def turn_off(signed: str) -> bool:
    """Turn off digests for the user whose :func:`unsubscribe_url` was signed. Returns whether it is valid."""
    try:
        person = int(_SIGNER.unsign(signed))
    except BadSignature:
        return False
    return bool(User.objects.filter(pk=person).update(wants_digests=False))


def unsubscribe_url(owner: User) -> str:
    """The URL that turns off digests for ``owner`` without signing in. It never expires."""
    return f"{settings.SITE_URL}{reverse('accounts:digests_off', args=(_SIGNER.sign(str(owner.pk)),))}"


def _email(person: User, address: str, news: Sequence[News]) -> EmailMultiAlternatives:
    with translation.override(settings.LANGUAGE_CODE):
        count = len(news)
        several = ngettext("%(count)s new notification", "%(count)s new notifications", count) % {"count": count}
        subject = news[0].headline if count == 1 else several
        values = {"person": person, "news": news}
        return mail.message(address, subject, "accounts/email/digest.txt", values, unsubscribe_url(person))


def _quiet() -> QuerySet[User]:
    """Users who want digests and have received none within a day."""
    pause_over = Q(next_digest=None) | Q(next_digest__lte=Now())
    return User.objects.filter(pause_over, is_active=True, wants_digests=True)


def _due(until: datetime) -> QuerySet[User]:
    """Users who may have news, in the order of their last digest."""
    due = _quiet().filter(may_have_news(until - OLDEST, until))
    return due.filter(emailaddress__verified=True, emailaddress__primary=True).order_by("next_digest", "pk")


def _has_not_left(failure: BaseException | None) -> bool:
    """Whether the mail server certainly did not accept the email, and may accept it later."""
    if isinstance(failure, SMTPResponseException) and not isinstance(failure, SMTPConnectError):
        return 400 <= failure.smtp_code < 500
    return isinstance(failure, SMTPConnectError | ConnectionRefusedError | socket.gaierror)
