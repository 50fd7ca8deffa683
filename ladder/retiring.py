"""Queued matches that nobody can play any more, since a house bot's code was replaced, come to their end here."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.programs import house_bot
from ladder.models import Match


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


def _end(matches: QuerySet[Match], reason: str) -> int:
    return sum(
        matches.filter(tried).update(status=status, reason=reason, ended=Now())
        for status, tried in (
            (Match.Status.CANCELLED, Q(attempts_started=0)),
            (Match.Status.VOID, ~Q(attempts_started=0)),
        )
    )
