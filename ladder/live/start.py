"""Start a live game: its deal, its table, a seat for each seat, and the first decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from types import MappingProxyType
from typing import Final
from uuid import uuid4

from django.db import transaction
from django.db.models.functions import Now

from bots.models import Bot
from bots.owners import is_guest
from bots.protocol import Limits
from bots.runner.spec import budget_ms
from ladder.live.game import LockedMatch, held
from ladder.live.notify import save_and_tell, tell
from ladder.live.position import begin_occupants
from ladder.matches.blocks import Player, schedule_block
from ladder.models import Attempt, Block, Ladder, LiveSeat, Match, Seat, Table

WORKER: Final = "table"
"""What stands in an attempt for the worker: nobody of them plays a live game."""

NOBODY: Final[Mapping[int, str]] = MappingProxyType({})

PATIENCE: Final = timedelta(hours=1)
"""What a game may last beside all the time of its seats: starting hosted programs, delays. Then it is broken."""


_KINDS: Final = {
    Bot.Kind.HOSTED: LiveSeat.Kind.HOSTED,
    Bot.Kind.REMOTE: LiveSeat.Kind.REMOTE,
    Bot.Kind.PERSON: LiveSeat.Kind.PERSON,
}


def open_table(
    ladder: Ladder,
    players: Sequence[Player],
    *,
    rated: bool = True,
    limits: Limits | None = None,
    guests: Mapping[int, str] = NOBODY,
) -> Match:
    """Begin a live game of ``ladder`` among ``players``, seated as given; without ``limits``, by the ladder's.

    A rated one is of memberships; a casual one counts nowhere. ``guests`` has for each seat of a guest the SHA-256 of
    their secret, hex: whoever knows it sits there. The row of the ladder is locked, so call it where that is allowed:
    before series, bots and memberships. Raises ``NoSeason`` where no season is open, ``ValueError`` for a wrong number
    of players, for a rated game with a player without a membership, for a ladder with wrong limits and for guests who
    are none, or of whom nothing would be known again.
    """
    if {seat for seat, player in enumerate(players) if is_guest(player.version.bot)} != set(guests):
        raise ValueError("every guest, and nobody else, is known by a secret")
    if rated and any(player.membership is None for player in players):
        raise ValueError("whoever plays a rated game has an entry on its ladder")
    limits = limits or Limits(**ladder.limits)
    purpose = Block.Purpose.LIVE if rated else Block.Purpose.CASUAL
    with transaction.atomic():
        locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
        block = schedule_block(locked, players, purpose=purpose, rotated=False)
        match = block.matches.get()
        _set(match, limits, guests)
        _claim(match, limits, len(players))
        table = held(match.pk)
        assert table is not None
        _begin(table)
    return table.match


def _claim(match: Match, limits: Limits, seats: int) -> None:
    """The match runs from the start: no worker ever sees it queued."""
    token = uuid4()
    longest = timedelta(milliseconds=budget_ms(seats, limits)) + PATIENCE
    Match.objects.filter(pk=match.pk).update(
        status=Match.Status.RUNNING, lease=token, lease_until=Now() + longest, started=Now(), attempts_started=1
    )
    Attempt.objects.create(match=match, number=1, token=token, worker=WORKER, started=Now(), heartbeat_at=Now())


def _set(match: Match, limits: Limits, guests: Mapping[int, str]) -> None:
    """People have just said that they want to play: they are here, though not later than the game begins.

    By that, ``presence.NEVER_CAME`` knows those who have not come to the table yet.
    """
    table = Table.objects.create(match=match, limits=asdict(limits))
    live_seats = LiveSeat.objects.bulk_create(
        LiveSeat(
            seat=seat,
            table=table,
            kind=_KINDS[Bot.Kind(seat.version.bot.kind)],
            bank_ms=limits.bank_ms,
            game_ms=limits.game_ms,
            guest=guests.get(seat.index, ""),
            seen_at=Now() if seat.version.bot.kind == Bot.Kind.PERSON else None,
        )
        for seat in Seat.objects.filter(match=match).select_related("version__bot").order_by("index")
    )
    begin_occupants(match, live_seats)


def _begin(table: LockedMatch) -> None:
    table.begin()
    bots = [
        live_seat.seat.version.bot_id
        for live_seat in table.position.live_seats
        if live_seat.kind == LiveSeat.Kind.REMOTE
    ]
    tell(table.match.pk, "began", bots)
    save_and_tell(table)
