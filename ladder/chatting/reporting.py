"""Somebody finds that a line should not stand there; staff hides it, or leaves it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from bots.models import Bot
from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from ladder.chatting.telling import tell_said
from ladder.models import ChatLine, ChatReport, Seat

_DAY: Final = timedelta(days=1)


def report(match_id: int, line_id: int, by: User) -> ChatReport:
    """Tell staff of a line at a table at which ``by`` plays; twice is once. Raises ``Refused``."""
    with transaction.atomic():
        person = hold_acting(by.pk)
        line = ChatLine.objects.filter(pk=line_id, match=match_id, hidden_at=None).first()
        mine = Seat.objects.filter(match=match_id, version__bot__owner=person, version__bot__kind=Bot.Kind.PERSON)
        if line is None or not mine.exists():
            raise Refused(_("There is no such line at a table at which you play."))
        if line.by_id == person.pk:
            raise Refused(_("That is what you have said yourself."))
        known = ChatReport.objects.filter(line=line, by=person).first()
        if known is not None:
            return known
        if person.chat_reports.filter(created__gt=Now() - _DAY).count() >= settings.CHAT_REPORTS_A_DAY:
            most = settings.CHAT_REPORTS_A_DAY
            raise TooMany(_("You have reported %(most)s lines within 24 hours, which is the most.") % {"most": most})
        return ChatReport.objects.create(line=line, by=person)


def settle(line: ChatLine, by: User, *, hide: bool) -> None:
    """Decide what was reported of a line, for staff: take it away for good, or leave it. Raises ``Refused``."""
    with transaction.atomic():
        if not hold_acting(by.pk).is_staff:
            raise Refused(_("Only staff decides that."))
        ChatReport.objects.filter(line=line, settled_at=None).update(settled_at=Now(), settled_by=by)
        if hide and ChatLine.objects.filter(pk=line.pk, hidden_at=None).update(hidden_at=Now(), hidden_by=by):
            tell_said(line.match_id)
