"""The words of the lobby: clocks, free seats, who else looks."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext, ngettext

from bots.protocol import Limits
from ladder.matchmaking.begin import CLOCKS
from ladder.pages.words import number, span


def clock_said(name: str) -> str:
    """``45 s a decision, 3 min bank``, of a clock by its name; empty for a name that is none any more."""
    its = CLOCKS.get(name)
    return "" if its is None else limits_said(its)


def limits_said(limits: Limits) -> str:
    """``45 s a decision, 3 min bank``."""
    said = {"move": span(limits.move_ms / 1000), "bank": span(limits.bank_ms / 1000)}
    return gettext("%(move)s a decision, %(bank)s bank") % said


def free_said(count: int) -> str:
    """``two seats free``."""
    return ngettext("%(number)s seat free", "%(number)s seats free", count) % {"number": number(count)}


def looking_said(count: int) -> str:
    """``two look``."""
    if not count:
        return gettext("nobody looks")
    return ngettext("%(number)s looks", "%(number)s look", count) % {"number": number(count)}


def others_said(count: int) -> str:
    """Who else looks, as a sentence."""
    if not count:
        return gettext("Nobody else looks at the moment; stay on this page.")
    said = ngettext("%(number)s other looks, too.", "%(number)s others look, too.", count) % {"number": number(count)}
    return said[:1].upper() + said[1:]


def left_said(until: datetime) -> str:
    """``45 s left``."""
    return gettext("%(span)s left") % {"span": span((until - timezone.now()).total_seconds())}
