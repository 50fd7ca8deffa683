"""Queued matches that nobody can or should play any more come to their end here.

A house bot's code was replaced, or an uploaded bot has left, is retired or on leave.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.programs import house_bot
from ladder.models import Match, Seat


def end_unplayable_matches() -> int:
    """Cancel queued matches with house code that is gone; void those of them that were tried before. How many.

    Gone is a version that is neither installed here nor the active one: an active one that is not here yet is another
    machine's, or comes with the next update of this one.
    """
    queued = Match.objects.filter(status=Match.Status.QUEUED)
    replaced = BotVersion.objects.filter(bot__owner=None, active=False, seats__match__in=queued)
    return sum(
        _end(
            queued.filter(pk__in=version.seats.values("match")),
            f"{version.bot} has a newer version than the one that was to play.",
        )
        for version in replaced.select_related("bot").distinct()
        if not house_bot(version)
    )


def cancel_untried(reason: str, **seats: Any) -> int:
    """Cancel the queued matches that nobody has tried and in which such a seat is; how many.

    What was tried already goes on: it would be void, and nobody should be able to have a match voided.
    """
    chosen = Seat.objects.filter(match__status=Match.Status.QUEUED, match__attempts_started=0, **seats).values("match")
    untried = Match.objects.filter(pk__in=chosen, status=Match.Status.QUEUED, attempts_started=0)
    return untried.update(status=Match.Status.CANCELLED, reason=reason, ended=Now())


def _end(matches: QuerySet[Match], reason: str) -> int:
    return sum(
        matches.filter(tried).update(status=status, reason=reason, ended=Now())
        for status, tried in (
            (Match.Status.CANCELLED, Q(attempts_started=0)),
            (Match.Status.VOID, ~Q(attempts_started=0)),
        )
    )
