"""Keeps every open ladder's queue filled, and no fuller: what the workers cannot play yet is not scheduled.

Only who has never played on a ladder does not wait for room there: whoever has uploaded a bot is looking at its page.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from random import Random, SystemRandom

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from bots.models import Bot, BotVersion
from bots.programs import house_bot, plays
from games.chance import SEED_BYTES, commitment
from ladder.dispatching import send
from ladder.models import Entry, Ladder, Match, Seat
from ladder.pairings.tables import Candidate, tables

QUEUE_LENGTH = 8
"""Queued matches of a ladder of weight 1."""

FIRST = 1
"""The priority of the first match of somebody's bot on a ladder."""

_PENDING = (Match.Status.QUEUED, Match.Status.RUNNING)


def fill(random: Random | None = None) -> int:
    """Schedule what the queues have room for; how many matches. ``random`` draws the pairings, never a deal."""
    open_ladders = Ladder.objects.filter(open=True).values_list("pk", flat=True)
    return sum(_fill(ladder_id, random or SystemRandom()) for ladder_id in open_ladders)


def schedule(ladder: Ladder, table: list[Entry], versions: dict[int, BotVersion], priority: int = 0) -> Match:
    """Write one match with its seats and the commitment to its deal; ``versions`` are by bot. Call in a transaction."""
    seed = os.urandom(SEED_BYTES)
    public = {"commitment": commitment(seed), "priority": priority, "sent_at": Now()}
    match = Match.objects.create(ladder=ladder, seed=seed, **public)
    Seat.objects.bulk_create(
        Seat(match=match, index=index, entry=entry, version=versions[entry.bot_id]) for index, entry in enumerate(table)
    )
    return match


def _fill(ladder_id: int, random: Random) -> int:
    if _room(Ladder.objects.get(pk=ladder_id)) <= 0 and not _newcomers(ladder_id):
        return 0  # found out without a lock: mostly there is nothing to do
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=ladder_id)
        matches = _schedule_tables(ladder, _room(ladder), random)
        transaction.on_commit(partial(send, [match.pk for match in matches]))
    return len(matches)


def _room(ladder: Ladder) -> int:
    """How many matches the queue of the ladder has room for."""
    queued = Match.objects.filter(ladder=ladder, status=Match.Status.QUEUED).count()
    return QUEUE_LENGTH * ladder.weight - queued


def _newcomers(ladder_id: int) -> bool:
    """Whether somebody's bot has neither played nor is to play on the ladder."""
    pending = Seat.objects.filter(entry=OuterRef("pk"), match__status__in=_PENDING)
    fresh = Entry.objects.filter(ladder=ladder_id, active=True, games=0, bot__in=Bot.objects.playing())
    return fresh.filter(~Exists(pending), bot__owner__isnull=False).exists()


def _schedule_tables(ladder: Ladder, count: int, random: Random) -> list[Match]:
    entries = {entry.pk: entry for entry in Entry.objects.filter(ladder=ladder, active=True)}
    versions = _active_versions(ladder, (entry.bot_id for entry in entries.values()))
    waiting = _waiting(ladder)
    candidates = [
        Candidate(entry.pk, entry.rating, entry.games + waiting[entry.pk], _owner(versions[entry.bot_id]))
        for entry in entries.values()
        if entry.bot_id in versions
    ]
    new = {one.entry for one in candidates if one.owner is not None and not one.games}
    ordered = [replace(one, games=-1) if one.entry in new else one for one in candidates]  # before the house's new ones
    drawn = tables(ordered, ladder.seats, max(count, len(new)), random)
    matches = []
    for table in drawn:
        priority = FIRST if new.intersection(table) else 0
        new.difference_update(table)
        matches.append(schedule(ladder, [entries[pk] for pk in table], versions, priority))
    return matches


def _active_versions(ladder: Ladder, bots: Iterable[int]) -> dict[int, BotVersion]:
    """By bot, the active version, where it can be played at the ladder's tables now."""
    playing = Bot.objects.playing().filter(pk__in=list(bots))
    active = BotVersion.objects.filter(active=True, bot__in=playing).select_related("bot").defer("check_report")
    return {version.bot_id: version for version in active if plays(version, ladder.game, ladder.seats)}


def _waiting(ladder: Ladder) -> Counter[int]:
    """By entry, the matches that it has still to play."""
    pending = Seat.objects.filter(match__ladder=ladder, match__status__in=_PENDING)
    return Counter(pending.values_list("entry", flat=True))


def _owner(version: BotVersion) -> int | None:
    """Whose other bots may not sit at the same table; ``None`` for the house's."""
    return None if house_bot(version) else version.bot.owner_id
