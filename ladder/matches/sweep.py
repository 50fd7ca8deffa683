"""End queued matches that nobody can or should play.

A house bot's code was replaced, an uploaded bot went paused or was suspended, or no worker can begin what others
overtake. What was tried already goes on in the second case: it could only be voided, and nobody should be able to have
a match voided. Owners cannot end a match at all: neither by leaving a ladder nor by retiring a bot or letting another
version play (``ladder.members.memberships``).
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.programs import house_bot
from ladder.matches.blocks import end_if_over
from ladder.models import Block, Match, Seat

OVERTAKEN = timedelta(hours=1)
"""Far longer than bad luck: under kills and load a match was passed over for ten minutes and could be played."""

_OVERTAKEN = "The match could not be started for too long."

_PAUSED = "A bot in this match is paused or suspended."
"""Without its name, which staff may have to blank one day."""


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
            f"{version.bot} has a newer active version than the one scheduled for this match.",
        )
        for version in replaced.select_related("bot").distinct()
        if not house_bot(version)
    )


def end_overtaken_matches() -> int:
    """End rated matches that nobody can begin: those scheduled ``OVERTAKEN`` after them began as long ago. How many.

    Their code is on no machine that works, say, or needs a sandbox that none has. While nothing is begun at all,
    nothing is overtaken: workers that are down cost no match. Nor do those that are back and begin with a later one.
    A match also waits for the others of its block, so it is spared while a match of its block was begun lately.
    """
    later = Match.objects.filter(
        ladder=OuterRef("ladder"),
        pk__gt=OuterRef("pk"),
        status__in=[Match.Status.RUNNING, Match.Status.FINISHED],
        priority__lte=OuterRef("priority"),
        due_at__gt=OuterRef("due_at") + OVERTAKEN,
        started__lt=Now() - OVERTAKEN,
        block__purpose=Block.Purpose.LADDER,
    )
    begun = Match.objects.filter(block=OuterRef("block"), started__gt=Now() - OVERTAKEN)
    waiting = Match.objects.filter(~Exists(begun), status=Match.Status.QUEUED, block__purpose=Block.Purpose.LADDER)
    long = waiting.filter(due_at__lt=Now() - OVERTAKEN)
    ids = [pk for pk, overtaken in long.values_list("pk", Exists(later)) if overtaken]
    return _end(long.filter(pk__in=ids), _OVERTAKEN) if ids else 0


def cancel_matches_of_paused_bots(bot: Bot | None = None) -> int:
    """Cancel the queued, untried matches of bots that are paused or suspended, of ``bot`` or of all; how many.

    Matches of cups are left to ``ladder.cups.progress``, which also decides their tables.

    Call it when the change is committed, in no transaction. Losing a call harms nothing: the sweeper does the same.
    """
    away = Seat.objects.filter(
        version__bot__in=Bot.objects.filter(Q(paused__isnull=False) | Q(suspended__isnull=False))
    )
    if bot is not None:
        away = away.filter(version__bot=bot)
    untried = Match.objects.filter(
        status=Match.Status.QUEUED, attempts_started=0, block__cup_table=None, pk__in=away.values("match")
    )
    match_ids = list(untried.values_list("pk", flat=True))
    return _cancel(match_ids) if match_ids else 0


def _cancel(match_ids: list[int]) -> int:
    """Cancel those that are still queued and untried; a row that somebody holds now waits for the next time."""
    untried = Match.objects.filter(pk__in=match_ids, status=Match.Status.QUEUED, attempts_started=0)
    with transaction.atomic():
        free = untried.select_for_update(skip_locked=True, no_key=True).order_by("pk")
        held = dict(free.values_list("pk", "block"))
        cancelled = untried.filter(pk__in=held).update(status=Match.Status.CANCELLED, reason=_PAUSED, ended=Now())
        end_if_over(held.values())
    return cancelled


def _end(matches: QuerySet[Match], reason: str) -> int:
    with transaction.atomic():
        held = dict(matches.select_for_update(no_key=True, of=("self",)).order_by("pk").values_list("pk", "block"))
        queued = Match.objects.filter(pk__in=held, status=Match.Status.QUEUED)
        ended = sum(
            queued.filter(tried).update(status=status, reason=reason, ended=Now())
            for status, tried in (
                (Match.Status.CANCELLED, Q(attempts_started=0)),
                (Match.Status.VOID, ~Q(attempts_started=0)),
            )
        )
        end_if_over(held.values())
    return ended
