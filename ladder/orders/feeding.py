"""Orders become blocks, a few at a time, until they have what was wanted or are decided.

The order's row is locked first, before the ladder's and before anything of a match, here and wherever an order ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from bots.models import BotVersion
from ladder.blocks import Player, schedule_block
from ladder.dispatching import AT_A_SET_TIME, dispatch
from ladder.ledger import NoSeason
from ladder.models import Block, Ladder, Order, OrderPlayer
from ladder.orders.ending import cancelled, ended
from ladder.orders.opponents import unable
from ladder.orders.reckoning import walk_of
from ladder.ratings.sprt import Verdict

AHEAD: Final = 4
"""Blocks of an order that are not over at a time: enough to keep workers busy, few enough to stop early."""

READY_BEFORE: Final = timedelta(seconds=30)
"""So long before its time a scheduled match is written, with its time as the moment from which it may be played."""

ORDERED: Final = -1
"""The priority of tests, challenges and comparisons: below the ladder's, with a share of their own in dispatching."""

_NOT_AGREED: Final = "Not everybody had agreed when its time came."
_State = Order.State


def feed() -> int:
    """Go on with every order that is open and due; how many blocks were written. Safe to run twice at once."""
    _end_without_agreement()
    due = Q(state=_State.RUNNING) | Q(state=_State.PLANNED, due_at__lte=Now() + READY_BEFORE)
    first = Order.objects.filter(due).order_by(F("due_at").asc(nulls_last=True), "pk")
    return sum(_feed(order_id) for order_id in first.values_list("pk", flat=True))


def _feed(order_id: int) -> int:
    if _pending(order_id) >= AHEAD:
        return 0  # found out without a lock: mostly there is nothing to do
    with transaction.atomic():
        held = Order.objects.select_for_update(no_key=True, of=("self",)).select_related("ladder", "requested_by")
        order = held.get(pk=order_id)
        if order.state not in (_State.PLANNED, _State.RUNNING):
            return 0
        return 0 if _is_over(order) else _write(order)


def _is_over(order: Order) -> bool:
    """End the order if it has what it wanted or cannot go on; whether that is so."""
    pending, written = _pending(order.pk), order.blocks.count()
    verdict = walk_of(order).verdict if order.kind == Order.Kind.COMPARISON else Verdict.OPEN
    if verdict is not Verdict.OPEN or (written >= order.blocks_wanted and not pending):
        ended(order, verdict)
        return True
    if written >= order.blocks_wanted:
        return False
    problem = unable([player.version for player in _players(order)], order.ladder)
    if not order.requested_by.is_active:
        problem = "Whoever ordered it has no account any more."
    if problem:
        cancelled(order, problem)
    return bool(problem)


def _write(order: Order) -> int:
    """Write the next blocks; how many. Without an open season they wait for the next one."""
    written = order.blocks.count()
    scheduled = order.kind == Order.Kind.SCHEDULED
    most = order.blocks_wanted if scheduled else AHEAD - _pending(order.pk)
    count = min(most, order.blocks_wanted - written)
    ladder = Ladder.objects.select_for_update(no_key=True).get(pk=order.ladder_id)
    try:
        with transaction.atomic():
            blocks = [_block(order, ladder, number) for number in range(written, written + count)]
    except NoSeason:
        return 0
    Order.objects.filter(pk=order.pk, state=_State.PLANNED).update(state=_State.RUNNING)
    if not scheduled:
        transaction.on_commit(dispatch)
    return len(blocks)


def _block(order: Order, ladder: Ladder, number: int) -> Block:
    """Block ``number`` of the order, from 0."""
    players, others = lineups(order, ladder.seats, number)
    return schedule_block(
        ladder,
        players,
        others=others,
        purpose=Block.Purpose(order.kind),
        priority=_priority(order, number),
        due_at=order.due_at,
        sent=False,
        order=order,
        rotated=order.rotated,
    )


def _priority(order: Order, number: int) -> int:
    """Staff's matches at a set time go before everything, of everybody's the first deal.

    The other deals take turns with what else was ordered: else naming a time would be a way past all ladders.
    """
    at_once = order.kind == Order.Kind.SCHEDULED and (number == 0 or order.requested_by.is_staff)
    return AT_A_SET_TIME if at_once else ORDERED


def lineups(order: Order, seats: int, number: int) -> tuple[list[Player], list[Player]]:
    """Who plays block ``number`` of ``order`` (from 0); the second line-up is empty but in a comparison."""
    parts: Mapping[str, list[BotVersion]] = {part: [] for part in OrderPlayer.Part}
    for player in _players(order):
        parts[player.part].append(player.version)
    if order.kind != Order.Kind.COMPARISON:
        return [Player(version) for version in parts[OrderPlayer.Part.SEAT]], []
    gauntlet, others = parts[OrderPlayer.Part.GAUNTLET], seats - 1
    opponents = [Player(gauntlet[(number * others + place) % len(gauntlet)]) for place in range(others)]
    (candidate,), (baseline,) = parts[OrderPlayer.Part.CANDIDATE], parts[OrderPlayer.Part.BASELINE]
    return [Player(candidate), *opponents], [Player(baseline), *opponents]


def _players(order: Order) -> list[OrderPlayer]:
    players = order.players.select_related("version__bot").defer("version__check_report")
    return list(players.order_by("part", "index"))


def _pending(order_id: int) -> int:
    return Block.objects.filter(order=order_id, ended=None).count()


def _end_without_agreement() -> None:
    late = Order.objects.filter(state=_State.INVITED, due_at__lte=Now())
    late.update(state=_State.CANCELLED, reason=_NOT_AGREED, ended=Now())
