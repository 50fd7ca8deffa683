"""Keeps every open ladder's queue filled, and no fuller: what the workers cannot play yet is not scheduled.

Only who has never played on a ladder does not wait for room there: whoever has uploaded a bot is looking at its page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from random import Random, SystemRandom

from django.db import transaction
from django.db.models import Exists, OuterRef

from bots.models import Bot, BotVersion
from bots.programs import house_bot, plays
from ladder.blocks import Player, schedule_block
from ladder.dispatching import send
from ladder.models import Block, Entry, Ladder, Match, Season, Seat
from ladder.pairings.seatings import seatings
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


def _fill(ladder_id: int, random: Random) -> int:
    if _room(Ladder.objects.get(pk=ladder_id)) <= 0 and not _newcomers(ladder_id):
        return 0  # found out without a lock: mostly there is nothing to do
    if not Season.objects.filter(ladder=ladder_id, closing=None).exists():
        return 0
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=ladder_id)
        blocks = _schedule_tables(ladder, _room(ladder), random)
        ids = list(Match.objects.filter(block__in=blocks).order_by("pk").values_list("pk", flat=True))
        transaction.on_commit(partial(send, ids))
    return len(ids)


def _room(ladder: Ladder) -> int:
    """How many matches the queue of the ladder has room for."""
    queued = Match.objects.filter(ladder=ladder, status=Match.Status.QUEUED).count()
    return QUEUE_LENGTH * ladder.weight - queued


def _newcomers(ladder_id: int) -> bool:
    """Whether somebody's bot has neither played nor is to play on the ladder."""
    pending = Seat.objects.filter(entry=OuterRef("pk"), match__status__in=_PENDING)
    fresh = Entry.objects.filter(ladder=ladder_id, active=True, games=0, bot__in=Bot.objects.playing())
    return fresh.filter(~Exists(pending), bot__owner__isnull=False).exists()


def _schedule_tables(ladder: Ladder, count: int, random: Random) -> list[Block]:
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
    rounds = -(-count // len(seatings(ladder.seats)))
    drawn = tables(ordered, ladder.seats, max(rounds, len(new)), random)
    blocks = []
    for table in drawn:
        priority = FIRST if new.intersection(table) else 0
        new.difference_update(table)
        players = [Player(versions[entries[pk].bot_id], entries[pk]) for pk in table]
        blocks.append(schedule_block(ladder, players, priority=priority))
    return blocks


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
