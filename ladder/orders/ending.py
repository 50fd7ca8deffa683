"""An order comes to its end: it has what it wanted, is decided, or is cancelled. What has begun is played out."""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from ladder.blocks import end_if_over
from ladder.models import Match, Order
from ladder.ratings.sprt import Verdict

_State = Order.State
CANCELLED_BY: Final = "Cancelled by {}."
DISAGREED: Final = "{} did not agree."
_DECIDED: Final = "The comparison was decided without it."


def cancel(order: Order, by: User) -> None:
    """End an order: what nobody has begun is not played. Raises ``Refused``.

    Who may ask for that is the page's to say; but once it has begun, only who ordered it, and staff.
    """
    with transaction.atomic():
        now = hold_acting(by.pk)
        locked = held(order)
        if not locked.open:
            raise Refused("It has ended already.")
        if locked.state == _State.RUNNING and locked.requested_by_id != by.pk and not by.is_staff:
            raise Refused("It has begun. Now only who ordered it can cancel it.")
        cancelled(locked, CANCELLED_BY.format(now.username))


def held(order: Order) -> Order:
    """The order, its row held until the end of the transaction."""
    return Order.objects.select_for_update(no_key=True, of=("self",)).get(pk=order.pk)


def cancelled(order: Order, reason: str) -> None:
    """Cancel the order, whose row the caller's transaction holds."""
    _end(order, _State.CANCELLED, reason)
    _drop(order, reason)


def call_otherwise(name: str, called: str) -> None:
    """Write ``called`` for the user name ``name`` where it is said why orders and their games were cancelled."""
    for sentence in (CANCELLED_BY, DISAGREED):
        before, after = sentence.format(name), sentence.format(called)
        orders = list(Order.objects.filter(reason=before).values_list("pk", flat=True))
        Order.objects.filter(pk__in=orders).update(reason=after[:1].upper() + after[1:])
        Match.objects.filter(block__order__in=orders, reason=before).update(reason=after[:1].upper() + after[1:])


def ended(order: Order, verdict: Verdict) -> None:
    """Finish the order, whose row the caller's transaction holds; ``verdict`` is that of a comparison."""
    if order.kind == Order.Kind.COMPARISON:
        Order.objects.filter(pk=order.pk).update(verdict=verdict.value)
    _end(order, _State.FINISHED, "")
    _drop(order, _DECIDED)


def _end(order: Order, state: Order.State, reason: str) -> None:
    Order.objects.filter(pk=order.pk, state__in=Order.OPEN).update(state=state, reason=reason, ended=Now())


def _drop(order: Order, reason: str) -> None:
    """Cancel the games that nobody has begun, and end the blocks that are over by that."""
    untried = Match.objects.filter(block__order=order, status=Match.Status.QUEUED, attempts_started=0)
    rows = untried.select_for_update(no_key=True, of=("self",)).order_by("pk")
    found = dict(rows.values_list("pk", "block"))
    Match.objects.filter(pk__in=found, status=Match.Status.QUEUED, attempts_started=0).update(
        status=Match.Status.CANCELLED, reason=reason, ended=Now()
    )
    end_if_over(found.values())
