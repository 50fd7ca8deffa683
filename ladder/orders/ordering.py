"""Somebody orders matches. Each function judges what was chosen and the person's limits, and writes one order.

Nothing is played here: ``ladder.orders.feeding`` does that from the row. ``token`` is the form's, so that a form sent
twice is one order. Every function raises ``Refused`` with a sentence for the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from bots.models import BotVersion
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from ladder.models import Agreement, Ladder, Order, OrderPlayer
from ladder.orders.allowances import MARGINS, SOONEST, allowances, require_blocks, require_room
from ladder.orders.opponents import chosen
from ladder.pairings.seatings import seatings

_Part = OrderPlayer.Part
_State = Order.State
Players = Sequence[tuple[OrderPlayer.Part, BotVersion]]


def order_test(by: User, ladder: Ladder, versions: Sequence[int], blocks: int, token: UUID) -> Order:
    """So many blocks at one table, in seat order; a challenge where other people's bots sit there."""
    require_blocks(blocks, allowances().blocks)
    table = _table(by, ladder, versions)
    strangers = any(version.bot.owner_id not in (None, by.pk) for version in table)
    return _placed(
        Order(
            kind=Order.Kind.CHALLENGE if strangers else Order.Kind.TEST,
            ladder=ladder,
            requested_by=by,
            token=token,
            blocks_wanted=blocks,
            games_wanted=blocks * len(seatings(ladder.seats)),
            state=_State.RUNNING,
        ),
        [(_Part.SEAT, version) for version in table],
    )


def order_comparison(
    by: User,
    ladder: Ladder,
    pair: tuple[int, int],
    gauntlet: Sequence[int],
    most_blocks: int,
    margin: int,
    token: UUID,
) -> Order:
    """Ask whether the first of ``pair`` is better than the second, both one's own, by ``margin`` (1/1000).

    Both play the same deals against the same ``gauntlet``, of at least as many versions as there are other seats; of
    more, blocks take the next ones in turn.
    """
    require_blocks(most_blocks, allowances().comparison_blocks)
    if margin not in MARGINS:
        raise Refused("Choose one of the differences that are offered.")
    candidate, baseline, *others = chosen(by, ladder, [*pair, *gauntlet])
    if {candidate.bot.owner_id, baseline.bot.owner_id} != {by.pk}:
        raise Refused("Compare two versions of your own.")
    if len(others) < ladder.seats - 1:
        raise Refused(f"At {ladder} they need {ladder.seats - 1} opponents at least. Tick more of them.")
    return _placed(
        Order(
            kind=Order.Kind.COMPARISON,
            ladder=ladder,
            requested_by=by,
            token=token,
            blocks_wanted=most_blocks,
            games_wanted=2 * most_blocks * len(seatings(ladder.seats)),
            margin=margin,
            state=_State.RUNNING,
        ),
        [(_Part.CANDIDATE, candidate), (_Part.BASELINE, baseline), *((_Part.GAUNTLET, other) for other in others)],
    )


def order_scheduled(
    by: User,
    ladder: Ladder,
    versions: Sequence[int],
    deals: int,
    due_at: datetime,
    token: UUID,
    rotated: bool = True,
) -> Order:
    """A match at ``due_at``: ``deals`` deals, each in all seatings or, without ``rotated``, once and seated as given.

    Staff's are fixed at once. Anybody else's wait until every other owner of a bot at the table has agreed.
    """
    require_blocks(deals, allowances().deals)
    _require_time(due_at)
    table = _table(by, ladder, versions)
    asked = set() if by.is_staff else {one.bot.owner_id for one in table} - {None, by.pk}
    if not by.is_staff and by.pk not in {one.bot.owner_id for one in table}:
        raise Refused("One of the bots has to be yours.")
    return _placed(
        Order(
            kind=Order.Kind.SCHEDULED,
            ladder=ladder,
            requested_by=by,
            token=token,
            blocks_wanted=deals,
            games_wanted=deals * (len(seatings(ladder.seats)) if rotated else 1),
            rotated=rotated,
            due_at=due_at,
            state=_State.INVITED if asked else _State.PLANNED,
        ),
        [(_Part.SEAT, version) for version in table],
        sorted(person for person in asked if person is not None),
    )


def _table(by: User, ladder: Ladder, versions: Sequence[int]) -> list[BotVersion]:
    if len(versions) != ladder.seats:
        raise Refused(f"{ladder} has {ladder.seats} seats: choose a bot for each.")
    return chosen(by, ladder, versions)


def _require_time(due_at: datetime) -> None:
    days = allowances().days_ahead
    if due_at < timezone.now() + SOONEST:
        raise Refused("Choose a time that is at least a minute from now.")
    if due_at > timezone.now() + timedelta(days=days):
        raise Refused(f"Choose a time within the next {days} days.")


def _placed(order: Order, players: Players, asked: Sequence[Any] = ()) -> Order:
    """Write the order with its players, or give the one that the same form has made before."""
    if not order.ladder.open:
        raise Refused(f"The ladder {order.ladder} is closed.")
    if order.ladder.live:
        raise Refused(f"Games on {order.ladder} are live ones: challenge somebody there, or choose another ladder.")
    with transaction.atomic():
        hold_acting(order.requested_by_id)
        known = Order.objects.filter(token=order.token).first()
        if known is not None:
            return _same(known, order)
        require_room(order.requested_by, order.games_wanted)
        order.save(force_insert=True)
        seen: dict[OrderPlayer.Part, int] = {}
        for part, version in players:
            OrderPlayer.objects.create(order=order, part=part, index=seen.get(part, 0), version=version)
            seen[part] = seen.get(part, 0) + 1
        Agreement.objects.bulk_create(Agreement(order=order, person_id=person) for person in asked)
    return order


def _same(known: Order, order: Order) -> Order:
    if known.requested_by_id != order.requested_by_id:
        raise Refused("This form was used before. Open it again.")
    return known
