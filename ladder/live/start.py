"""Start a live game: its deal, its table, its seats and the first decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
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
from ladder.live.game import LockedMatch, lock_match
from ladder.live.notify import tell
from ladder.live.position import begin_occupants
from ladder.live.publish import save_and_publish
from ladder.matches.blocks import BlockPlayer, schedule_block
from ladder.models import Attempt, Block, Ladder, LiveSeat, Match, Seat, Table

WORKER: Final = "table"
"""The name of the worker in attempts at live games, which no worker plays."""


@dataclass(frozen=True)
class Guest:
    """A visitor without an account who plays.

    ``secret_hash`` is the SHA-256 of their secret, hex, and ``address`` a keyed hash of their IP address.
    """

    secret_hash: str
    address: str
    name: str = ""


NOBODY: Final[Mapping[int, Guest]] = MappingProxyType({})

PATIENCE: Final = timedelta(hours=1)
"""How much longer than the time of its seats a game may take, for starts of hosted bots and delays."""


_KINDS: Final = {
    Bot.Kind.HOSTED: LiveSeat.Kind.HOSTED,
    Bot.Kind.REMOTE: LiveSeat.Kind.REMOTE,
    Bot.Kind.PERSON: LiveSeat.Kind.PERSON,
}


def open_table(
    ladder: Ladder,
    players: Sequence[BlockPlayer],
    *,
    rated: bool = True,
    limits: Limits | None = None,
    guests: Mapping[int, Guest] = NOBODY,
) -> Match:
    """Start a live game of ``players`` on ``ladder``, seated as given. By default the ladder's ``limits`` apply.

    In a rated game, all players have a membership. ``guests`` has the guest for each seat of one. The row of the ladder
    is locked, so call this before series, bots and memberships are locked. Raises ``NoSeason`` if no season is open,
    and ``ValueError`` for a wrong number of players, wrong limits, a rated game with a player without a membership, and
    ``guests`` that do not match the players.
    """
    if {seat for seat, player in enumerate(players) if is_guest(player.version.bot)} != set(guests):
        raise ValueError("guests must name a guest for each seat of one, and for no other seat")
    if rated and any(player.membership is None for player in players):
        raise ValueError("every player of a rated game needs a membership of its ladder")
    limits = limits or Limits(**ladder.limits)
    purpose = Block.Purpose.LIVE if rated else Block.Purpose.CASUAL
    with transaction.atomic():
        locked = Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)
        block = schedule_block(locked, players, purpose=purpose, rotated=False)
        match = block.matches.get()
        _set(match, limits, guests)
        _claim(match, limits, len(players))
        table = lock_match(match.pk)
        assert table is not None
        _begin(table)
    return table.match


def _claim(match: Match, limits: Limits, seats: int) -> None:
    """Mark the match as running from the start, so that no worker takes it."""
    token = uuid4()
    longest = timedelta(milliseconds=budget_ms(seats, limits)) + PATIENCE
    Match.objects.filter(pk=match.pk).update(
        status=Match.Status.RUNNING, lease=token, lease_until=Now() + longest, started=Now(), attempts_started=1
    )
    Attempt.objects.create(match=match, number=1, token=token, worker=WORKER, started=Now(), heartbeat_at=Now())


def _set(match: Match, limits: Limits, guests: Mapping[int, Guest]) -> None:
    """Create the table and its seats, with the names of guests.

    People count as seen when the game starts, so that ``presence.NEVER_CAME`` finds those who have not opened it yet.
    """
    table = Table.objects.create(match=match, limits=asdict(limits))
    for index, guest in guests.items():
        Seat.objects.filter(match=match, index=index).update(guest_name=guest.name)
    live_seats = LiveSeat.objects.bulk_create(
        LiveSeat(
            seat=seat,
            table=table,
            kind=_KINDS[Bot.Kind(seat.version.bot.kind)],
            bank_ms=limits.bank_ms,
            game_ms=limits.game_ms,
            guest=guests[seat.index].secret_hash if seat.index in guests else "",
            guest_address=guests[seat.index].address if seat.index in guests else "",
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
    save_and_publish(table)
