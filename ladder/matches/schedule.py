"""Fill the queue of every hosted ladder, but do not schedule matches that workers cannot play yet.

A ladder gets whole blocks. A bot that has never played on the ladder does not wait for room in the queue, because its
owner is watching its page. But each owner has at most one block with priority per ladder at a time, regardless of the
number of uploads. The turns of the bots that have waited longest stay theirs (``ladder.pairings.turns``). Ladders on
which only house bots play get a few blocks per hour, and one for a new version at once (``ladder.matches.house_bots``).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from random import Random, SystemRandom

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.db.models.functions import Now

from bots.models import Bot
from bots.tournaments.seatings import seatings
from games.registry import GAMES
from ladder.matches.blocks import schedule_block
from ladder.matches.candidates import LadderCandidates, candidates_of
from ladder.matches.dispatch import dispatch
from ladder.matches.house_bots import house_blocks_left, resting_ladders
from ladder.matches.throughput import Throughput, recent
from ladder.models import Block, DealSeries, Ladder, Match, Membership, Seat
from ladder.pairings.draw import DrawnBlock, drawn
from ladder.pairings.turns import DrawReason

QUEUE_LENGTH = 8
"""Queued rated games of a ladder of weight 1, or as many as were begun there lately, if those are more.

Games of a block that is being played do not count: no other worker can begin them.
"""

PATIENCE = timedelta(seconds=60)
"""A game that nobody has begun for so long holds no place in the queue any more: others may be playable."""

MOST = 4
"""So many times its length a queue may hold, with what nobody has begun."""

PROBE = timedelta(minutes=15)
"""A full queue that nobody begins is given a block as often: by what comes later, ``ladder.matches.sweep`` tells what
nobody can play from workers that are down."""

FIRST = 1
"""The priority of the first games of somebody's new bot or version on a ladder."""


def fill(random: Random | None = None) -> int:
    """Schedule what the queues have room for; how many games. ``random`` draws the pairings, never a deal."""
    hosted = Ladder.objects.filter(open=True, paused=None, players=Ladder.Players.HOSTED)
    series = DealSeries.objects.filter(kind=DealSeries.Kind.LADDER, season__closing=None, season__ladder__in=hosted)
    open_series = list(series.select_related("season__ladder").order_by("pk"))
    rest = resting_ladders([ladder_series.season.ladder_id for ladder_series in open_series])
    awake = [ladder_series for ladder_series in open_series if ladder_series.season.ladder_id not in rest]
    if not awake:
        return 0
    throughput, random = recent(), random or SystemRandom()
    games = sum(_fill(ladder_series, throughput, random) for ladder_series in awake)
    if games:
        transaction.on_commit(dispatch)
    return games


def _fill(series: DealSeries, throughput: Throughput, random: Random) -> int:
    if _room(series.season.ladder, throughput)[0] <= 0 and not _newcomers(series.season.ladder_id):
        return 0  # found out without a lock: mostly there is nothing to do
    with transaction.atomic():
        ladder = Ladder.objects.select_for_update(no_key=True).get(pk=series.season.ladder_id)
        current = DealSeries.objects.filter(pk=series.pk, season__closing=None).first()
        if current is None or not ladder.plays:
            return 0
        games = len(seatings(ladder.seats))
        room, most = (-(-free // games) for free in _room(ladder, throughput))
        left = house_blocks_left(ladder)
        ready, served = candidates_of(ladder), _served(ladder.pk)
        if left == 0:
            at_once = _new_house_versions(ready)[: max(room, 0)]
        else:
            at_once = _at_once(ready, served)[: max(most, 0)]
        room = room if left is None else min(room, left)
        blocks = drawn(ready.candidates, ladder.seats, room, current.next_number, random, at_once)
        _write(ready, blocks, at_once, served)
    return len(blocks) * games


def house_blocks_for(matches: int) -> int:
    """How many blocks per hour every ladder of house bots needs so that a new site plays ``matches`` at once."""
    round_ = sum(len(seatings(seats)) for game in GAMES.values() for seats in game.seat_counts)
    usual: int = settings.MAX_HOUSE_BLOCKS_PER_HOUR
    return max(usual, -(-matches // round_) + 1)


def _room(ladder: Ladder, throughput: Throughput) -> tuple[int, int]:
    """How many games the queue of ``ladder`` has room for, and how many with what does not wait for room."""
    length = max(QUEUE_LENGTH * ladder.weight, throughput.begun[ladder.pk])
    rated = Match.objects.filter(ladder=ladder, status=Match.Status.QUEUED, block__purpose=Block.Purpose.LADDER)
    queued = rated.filter(~Match.another_runs()).aggregate(
        fresh=Count("pk", filter=Q(due_at__gt=Now() - PATIENCE)),
        late=Count("pk", filter=Q(due_at__lt=Now() - PROBE)),
        number=Count("pk"),
    )
    most = MOST * length - queued["number"]
    if most <= 0 and queued["late"] == queued["number"]:
        return 1, 0
    return min(length - queued["fresh"], most), most


def _newcomers(ladder_id: int) -> bool:
    """Whether somebody's bot has never had a seat on the ladder, and its owner has no other that goes first."""
    unseated = Membership.objects.filter(_NEVER_SEATED, ladder=ladder_id, active=True, bot__in=Bot.objects.playing())
    return unseated.filter(bot__owner__isnull=False).exclude(bot__owner__in=_served(ladder_id)).exists()


_NEVER_SEATED = Q(games=0) & (Q(last_seat=None) | Q(last_seat__version=None))


def _served(ladder_id: int) -> set[int]:
    """The owners who have a bot in a game with priority, on the ladder, that is still to be played."""
    first = Seat.objects.filter(match__ladder=ladder_id, match__status__in=Match.PENDING, match__priority__gte=FIRST)
    owners = first.filter(membership__isnull=False, version__bot__owner__isnull=False)
    return set(owners.order_by().values_list("version__bot__owner", flat=True))


def _at_once(ready: LadderCandidates, served: Collection[int]) -> list[int]:
    """Who does not wait for room: of each owner's bots that have never had a seat here one, in the order they came."""
    by_owner: dict[int, int] = {}
    for candidate in sorted(ready.candidates, key=lambda candidate: (candidate.since, candidate.membership)):
        unseated = not candidate.games and ready.last_seats[candidate.membership].version_id is None
        if candidate.owner is not None and unseated and candidate.owner not in served:
            by_owner.setdefault(candidate.owner, candidate.membership)
    return list(by_owner.values())


def _new_house_versions(ready: LadderCandidates) -> list[int]:
    """Where only house bots play: those whose version had neither a seat nor an estimate, in the order they came."""
    if settings.MAX_HOUSE_BLOCKS_PER_HOUR < 1:
        return []
    return [
        candidate.membership
        for candidate in sorted(ready.candidates, key=lambda candidate: (candidate.since, candidate.membership))
        if candidate.width is None
        and ready.last_seats[candidate.membership].version_id != ready.players[candidate.membership].version.pk
    ]


def _write(ready: LadderCandidates, blocks: Collection[DrawnBlock], at_once: Collection[int], served: set[int]) -> None:
    """Schedule what was drawn; ``served`` are the owners who have a block with priority already."""
    owners = {candidate.membership: candidate.owner for candidate in ready.candidates if candidate.owner is not None}
    written = []
    for block in blocks:
        new = {membership for membership in block.memberships if membership in at_once}
        if block.turn is DrawReason.NEW_VERSION:
            new.add(block.first)
        first = {owners[membership] for membership in new if membership in owners} - served
        served |= first
        players = [ready.players[membership] for membership in block.memberships]
        row = schedule_block(ready.ladder, players, priority=FIRST if first else 0, sent=False)
        written.append((row, block.memberships))
    ready.remember(written)
