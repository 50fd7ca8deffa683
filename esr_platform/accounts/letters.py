"""What owners are told by e-mail: a version was refused, a bot is on leave. One letter a day at most, or none.

Nobody orders a letter. What has happened since the last one is read from the bots themselves, so nothing is forgotten
when a process or the broker dies, and news of one day come in one letter.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from smtplib import SMTPConnectError, SMTPResponseException
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.signing import BadSignature, Signer
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.template.loader import render_to_string
from django.urls import reverse

from bots.models import Bot, BotVersion
from esr_platform.accounts.demo import may_act
from esr_platform.accounts.models import User
from ladder.pages.words import visible

logger = logging.getLogger(__name__)

PAUSE: Final = timedelta(days=1)
SOON: Final = timedelta(minutes=10)
"""After this a letter is tried again that has certainly not left."""

IN_A_ROUND: Final = 10
_SIGNER: Final = Signer(salt="esr.letters")


@dataclass(frozen=True)
class News:
    """Something that happened to a bot at ``moment``, in a sentence for its owner; ``what`` is the short form."""

    bot: Bot
    moment: datetime
    what: str
    sentence: str

    @property
    def url(self) -> str:
        """The page where the owner sees more and does something about it."""
        return f"{settings.SITE_URL}{reverse('pages:bot', args=(self.bot.slug,))}"


class NotSent(Exception):
    """The mail server did not take a letter, or did not say so; when it is tried again has been noted."""


def write_all() -> int:
    """Write to people whose letter is due; how many were sent. Safe to call at any time, by several at once.

    The first failure ends the round: a mail server that is away must not keep a worker waiting again and again.
    """
    sent = 0
    try:
        for owner in _due()[:IN_A_ROUND]:
            sent += write(owner)
    except NotSent as failure:
        logger.warning("%s", failure)
    return sent


def write(owner: User) -> bool:
    """Write to ``owner`` if there are news; whether a letter was sent.

    It takes the day before it sends, by a conditional update: of two workers one writes. A letter that the server did
    not take is tried again soon; one of which that is not known, tomorrow, with whatever has happened by then. Raises
    ``NotSent``.
    """
    address, taken = owner.letter_address, _quiet().filter(pk=owner.pk)
    if not may_act(owner) or address is None or not taken.update(next_letter=Now() + PAUSE):
        return False
    told = news_of(owner)
    if not told:
        User.objects.filter(pk=owner.pk).update(next_letter=None)
        return False
    try:
        _letter(owner, address, told).send()
    except (OSError, ValueError) as failure:
        if _has_not_left(failure):
            User.objects.filter(pk=owner.pk).update(next_letter=Now() + SOON)
        raise NotSent(f"no letter for person {owner.pk}: {failure}") from failure
    User.objects.filter(pk=owner.pk).update(told_until=max(one.moment for one in told))
    return True


def news_of(owner: User) -> list[News]:
    """What the letters to ``owner`` have not told yet and still holds, the oldest first."""
    since = User.objects.values_list("told_until", flat=True).get(pk=owner.pk) or owner.date_joined
    found = [_of_refusal(version) for version in _refused().filter(bot__owner=owner).select_related("bot")]
    found += [_of_leave(bot) for bot in _on_leave().filter(owner=owner)]
    return sorted((one for one in found if one.moment > since), key=lambda one: one.moment)


def turn_off(signed: str) -> bool:
    """No more letters for the person that a link of :func:`address_to_turn_off` names; whether it names one."""
    try:
        person = int(_SIGNER.unsign(signed))
    except BadSignature:
        return False
    return bool(User.objects.filter(pk=person).update(wants_letters=False))


def address_to_turn_off(owner: User) -> str:
    """The link that ends the letters to ``owner`` without signing in; it does nothing else and works for ever."""
    return f"{settings.SITE_URL}{reverse('accounts:letters_off', args=(_SIGNER.sign(str(owner.pk)),))}"


def _letter(owner: User, address: str, told: Sequence[News]) -> EmailMessage:
    off = address_to_turn_off(owner)
    subject = told[0].what if len(told) == 1 else f"{len(told)} news of your bots"
    text = render_to_string("accounts/letter.txt", {"owner": owner, "news": told, "off": off, "settings": settings})
    headers = {  # RFC 8058
        "List-Unsubscribe": f"<{off}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
    }
    return EmailMessage(f"{settings.SITE_NAME}: {subject}", text, None, [address], headers=headers)


def _of_refusal(version: BotVersion) -> News:
    assert version.checked is not None
    sentence = f"Version {version.number} of {version.bot.name} was refused. {version.reason}"
    return News(version.bot, version.checked, f"{version.bot.name} was refused", visible(sentence))


def _of_leave(bot: Bot) -> News:
    assert bot.on_leave is not None
    sentence = f"{bot.name} is on leave. {bot.leave_reason} You put it back with one click on its page."
    return News(bot, bot.on_leave, f"{bot.name} is on leave", sentence)


def _refused() -> QuerySet[BotVersion]:
    """Refused versions with no later one: whoever has uploaded another knows."""
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by("-number").values("pk")[:1]
    return BotVersion.objects.filter(
        pk=Subquery(newest), state=BotVersion.State.REFUSED, checked__isnull=False, bot__retired=None
    )


def _on_leave() -> QuerySet[Bot]:
    return Bot.objects.filter(on_leave__isnull=False, retired=None)


def _quiet() -> QuerySet[User]:
    """People who want letters and have had none within a day."""
    pause_over = Q(next_letter=None) | Q(next_letter__lte=Now())
    return User.objects.filter(pause_over, is_active=True, wants_letters=True)


def _due() -> QuerySet[User]:
    """People to whom there may be something to write, whoever has waited longest first."""
    refused = _refused().filter(checked__gt=Coalesce("bot__owner__told_until", "bot__owner__date_joined"))
    on_leave = _on_leave().filter(on_leave__gt=Coalesce("owner__told_until", "owner__date_joined"))
    mine = Q(pk__in=refused.values("bot__owner")) | Q(pk__in=on_leave.values("owner"))
    return _quiet().filter(mine, emailaddress__verified=True, emailaddress__primary=True).order_by("next_letter", "pk")


def _has_not_left(failure: Exception) -> bool:
    """Whether the mail server has certainly not taken the letter, and may take it later."""
    if isinstance(failure, SMTPResponseException) and not isinstance(failure, SMTPConnectError):
        return 400 <= failure.smtp_code < 500
    return isinstance(failure, SMTPConnectError | ConnectionRefusedError | socket.gaierror)
