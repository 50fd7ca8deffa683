"""Opens the live tables that can be opened now. The beat's task; safe to run twice at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from random import Random, SystemRandom
from time import monotonic, sleep
from typing import Final

from django.db import connection, transaction

from bots.models import Bot, BotVersion, RemoteBot
from ladder.blocks import Player
from ladder.ledger import NoSeason
from ladder.models import Block, Entry, Ladder, LastSeat, Match
from ladder.pairings.live import Sitting, seated
from ladder.seating.capacity import held_free, hosted_room
from ladder.seating.offering import Offer, offer
from ladder.tables.opening import open_table
from ladder.tables.telling import seat_later, seating_begins

PAUSE_S: Final = 0.05
"""For others to write, as long as a table took to open, but at most this."""

_MARGIN_S: Final = 0.05
"""So that the patience of a bot has ended when it is looked at again, and not a moment later."""


def seat(random: Random | None = None) -> int:
    """Give the remote bots that are here their games; how many tables were opened. ``random`` draws no deal.

    A bot that waits for others on one of its ladders is looked at again when its patience ends.
    """
    seating_begins()
    here = offer()
    if not here.guests:
        return 0
    drawn = seated(here.ladders, here.guests, hosted_room(), random or SystemRandom())
    _pass(drawn.passed)
    if drawn.again_s is not None:
        seat_later(drawn.again_s + _MARGIN_S)
    return _open_in_turn(here, drawn.tables)


def still_there(players: Collection[Player]) -> bool:
    """Whether all of ``players`` still stand on their ladder, and what is to play for them still is what plays."""
    entries = [one.entry.pk for one in players if one.entry is not None]
    there = Entry.objects.filter(pk__in=entries, active=True, bot__in=Bot.objects.playing())
    unpinned = [one.version.pk for one in players if one.entry is not None and one.entry.frozen_id is None]
    current = BotVersion.objects.filter(pk__in=unpinned, active=True)
    return there.count() == len(players) and current.count() == len(unpinned)


def _open_in_turn(here: Offer, tables: Iterable[Sitting]) -> int:
    """Open one after the other, so that answers find their way in between; how many were opened.

    SQLite has one writer, and keeps no line: who waits would not be let in as long as somebody else writes on and on.
    """
    opened = 0
    for sitting in tables:
        before = monotonic()
        opened += _open(here, sitting) is not None
        if connection.vendor == "sqlite":
            sleep(min(monotonic() - before, PAUSE_S))
    return opened


def _open(here: Offer, sitting: Sitting) -> Match | None:
    """Open the table if everybody still is there, in a transaction of its own: results wait for the ladder's row."""
    players = [here.players[entry] for entry in sitting.entries]
    guests = {one.version.bot_id for one in players if one.version.bot.kind == Bot.Kind.REMOTE}
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=sitting.ladder)
        if not ladder.open or held_free(guests) != guests or not still_there(players):
            return None
        try:
            match = open_table(ladder, players)
        except NoSeason:
            return None
        RemoteBot.objects.filter(pk__in=guests).update(waits_since=None)
        _remember(players, match.block_id)
    return match


def _remember(players: Collection[Player], block: int) -> None:
    """Write down that they were given seats: whose turn it is next follows from that."""
    seats = [(one.entry.pk, one.version) for one in players if one.entry is not None]
    _write([LastSeat(entry_id=entry, since=block, version=version) for entry, version in seats], "since", "version")


def _pass(entries: Collection[int]) -> None:
    """The turn of these entries has passed in vain: as if they had been given a seat in the newest block."""
    newest = Block.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    _write([LastSeat(entry_id=entry, since=newest) for entry in set(entries)], "since")


def _write(rows: Collection[LastSeat], *fields: str) -> None:
    """In the order of the entries, whoever else writes them now."""
    in_order = sorted(rows, key=lambda one: one.entry_id)
    LastSeat.objects.bulk_create(in_order, update_conflicts=True, unique_fields=["entry"], update_fields=fields)
