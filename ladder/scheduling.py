"""Keeps every open ladder's queue filled, and no fuller: what the workers cannot play yet is not scheduled."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from functools import partial
from random import Random, SystemRandom

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.programs import house_bot, plays
from games.chance import SEED_BYTES, commitment
from ladder.dispatching import send
from ladder.models import Entry, Ladder, Match, Seat
from ladder.pairings.tables import Candidate, tables

QUEUE_LENGTH = 8
"""Queued matches of a ladder of weight 1."""


def fill(random: Random | None = None) -> int:
    """Schedule what the queues have room for; how many matches. ``random`` draws the pairings, never a deal."""
    open_ladders = Ladder.objects.filter(open=True).values_list("pk", flat=True)
    return sum(_fill(ladder_id, random or SystemRandom()) for ladder_id in open_ladders)


def schedule(ladder: Ladder, table: list[Entry], versions: dict[int, BotVersion]) -> Match:
    """Write one match with its seats and the commitment to its deal; ``versions`` are by bot. Call in a transaction."""
    seed = os.urandom(SEED_BYTES)
    match = Match.objects.create(ladder=ladder, seed=seed, commitment=commitment(seed), sent_at=Now())
    Seat.objects.bulk_create(
        Seat(match=match, index=index, entry=entry, version=versions[entry.bot_id]) for index, entry in enumerate(table)
    )
    return match


def _fill(ladder_id: int, random: Random) -> int:
    if _room(Ladder.objects.get(pk=ladder_id)) <= 0:  # without a lock first: mostly there is nothing to do
        return 0
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=ladder_id)
        matches = _schedule_tables(ladder, _room(ladder), random)
        transaction.on_commit(partial(send, [match.pk for match in matches]))
    return len(matches)


def _room(ladder: Ladder) -> int:
    """How many matches the queue of the ladder has room for."""
    queued = Match.objects.filter(ladder=ladder, status=Match.Status.QUEUED).count()
    return QUEUE_LENGTH * ladder.weight - queued


def _schedule_tables(ladder: Ladder, count: int, random: Random) -> list[Match]:
    entries = {entry.pk: entry for entry in Entry.objects.filter(ladder=ladder, active=True)}
    versions = _active_versions(ladder, (entry.bot_id for entry in entries.values()))
    waiting = _waiting(ladder)
    candidates = [
        Candidate(entry.pk, entry.rating, entry.games + waiting[entry.pk], _owner(versions[entry.bot_id]))
        for entry in entries.values()
        if entry.bot_id in versions
    ]
    drawn = tables(candidates, ladder.seats, count, random)
    return [schedule(ladder, [entries[pk] for pk in table], versions) for table in drawn]


def _active_versions(ladder: Ladder, bots: Iterable[int]) -> dict[int, BotVersion]:
    """By bot, the active version, where it can be played at the ladder's tables now."""
    playing = Bot.objects.playing().filter(pk__in=list(bots))
    active = BotVersion.objects.filter(active=True, bot__in=playing).select_related("bot")
    return {version.bot_id: version for version in active if plays(version, ladder.game, ladder.seats)}


def _waiting(ladder: Ladder) -> Counter[int]:
    """By entry, the matches that it has still to play."""
    pending = (Match.Status.QUEUED, Match.Status.RUNNING)
    return Counter(Seat.objects.filter(match__ladder=ladder, match__status__in=pending).values_list("entry", flat=True))


def _owner(version: BotVersion) -> int | None:
    """Whose other bots may not sit at the same table; ``None`` for the house's."""
    return None if house_bot(version) else version.bot.owner_id
