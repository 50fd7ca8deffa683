"""Queued matches that nobody can or should play any more come to their end here.

A house bot's code was replaced, or an uploaded bot has left the ladder, is retired or on leave. What was tried already
goes on in the second case: it could only be voided, and nobody should be able to have a match voided.
"""

from __future__ import annotations

from collections import defaultdict

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.programs import house_bot
from ladder.models import Entry, Match, Seat

_AWAY = (Q(entry__active=False) | Q(entry__bot__retired__isnull=False) | Q(entry__bot__on_leave__isnull=False)) & Q(
    entry__bot__owner__isnull=False
)


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


def cancel_unwanted(bot: Bot | None = None) -> int:
    """Cancel the queued, untried matches of bots that should not play them, of ``bot`` or of all; how many.

    Call it when the change is committed, in no transaction. Losing a call harms nothing: the sweeper does the same.
    """
    away = Seat.objects.filter(_AWAY, match__status=Match.Status.QUEUED, match__attempts_started=0)
    if bot is not None:
        away = away.filter(entry__bot=bot)
    reasons: dict[str, list[int]] = defaultdict(list)
    for seat in away.select_related("entry__bot").order_by("match", "index"):
        reasons[_why(seat.entry)].append(seat.match_id)
    return sum(_cancel(matches, reason) for reason, matches in reasons.items())


def _why(entry: Entry) -> str:
    """The reason without the bot's name, which staff may have to blank one day."""
    if entry.bot.retired is not None:
        return "A bot at the table is retired."
    if entry.bot.on_leave is not None:
        return "A bot at the table is on leave."
    if entry.declined:
        return "A bot at the table has left the ladder."
    return "The new version of a bot at the table does not claim such tables."


def _cancel(match_ids: list[int], reason: str) -> int:
    """Cancel those that are still queued and untried; a row that somebody holds now waits for the next time."""
    untried = Match.objects.filter(pk__in=match_ids, status=Match.Status.QUEUED, attempts_started=0)
    with transaction.atomic():
        free = untried.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        return untried.filter(pk__in=list(free.values_list("pk", flat=True))).update(
            status=Match.Status.CANCELLED, reason=reason, ended=Now()
        )


def _end(matches: QuerySet[Match], reason: str) -> int:
    return sum(
        matches.filter(tried).update(status=status, reason=reason, ended=Now())
        for status, tried in (
            (Match.Status.CANCELLED, Q(attempts_started=0)),
            (Match.Status.VOID, ~Q(attempts_started=0)),
        )
    )
