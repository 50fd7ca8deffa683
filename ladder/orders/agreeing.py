"""Owners agree to a match at a set time, or do not."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.locks import hold_acting
from esr_platform.accounts.models import User
from ladder.models import Agreement, Order
from ladder.orders.ending import DISAGREED, cancelled, held


def answer(order: Order, person: User, agreed: bool) -> Order:
    """Say for ``person`` whether their bot will be there; the last to agree fixes the match, one refusal ends it.

    The same answer given twice is one. Raises ``Refused``.
    """
    with transaction.atomic():
        now = hold_acting(person.pk)
        locked = held(order)
        asked = Agreement.objects.filter(order=locked, person=person).first()
        if asked is None:
            raise Refused("You were not asked: no bot of yours is at that table.")
        if asked.agreed == agreed:
            return locked
        if locked.state != Order.State.INVITED:
            raise Refused("It is fixed already, or has ended. Who agreed may cancel it until it begins.")
        Agreement.objects.filter(pk=asked.pk).update(agreed=agreed, answered=Now())
        if not agreed:
            cancelled(locked, DISAGREED.format(now.username))
        elif not Agreement.objects.filter(order=locked).exclude(agreed=True).exists():
            Order.objects.filter(pk=locked.pk).update(state=Order.State.PLANNED)
    return Order.objects.get(pk=order.pk)
