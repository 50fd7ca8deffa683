"""How much one person may order. The numbers are settings; pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from esr_platform.accounts.errors import Refused, TooMany
from esr_platform.accounts.models import User
from ladder.models import Order

DAY: Final = timedelta(days=1)
SOONEST: Final = timedelta(minutes=1)
MARGINS: Final = (20, 50, 100)
"""What a comparison may look for, in 1/1000 of a score: 2, 5 or 10 points of 100."""


@dataclass(frozen=True)
class Allowances:
    """What may be ordered: at once and a day by one person, and in one order."""

    at_once: int
    orders_a_day: int
    games_a_day: int
    blocks: int
    comparison_blocks: int
    deals: int
    days_ahead: int


def allowances() -> Allowances:
    """The limits as the settings have them."""
    return Allowances(
        at_once=settings.ORDERS_AT_ONCE,
        orders_a_day=settings.ORDERS_A_DAY,
        games_a_day=settings.ORDERED_GAMES_A_DAY,
        blocks=settings.ORDER_BLOCKS,
        comparison_blocks=settings.COMPARISON_BLOCKS,
        deals=settings.SCHEDULED_DEALS,
        days_ahead=settings.SCHEDULED_DAYS_AHEAD,
    )


def games_left(person: User) -> int:
    """How many games ``person`` may still order today.

    An order that is open counts with all its games, one that has ended with those that were begun: what a comparison
    did not need and what was cancelled comes back.
    """
    recent = Order.objects.filter(requested_by=person, created__gt=timezone.now() - DAY)
    begun = Count("blocks__matches", filter=Q(blocks__matches__attempts_started__gt=0))
    open_games = recent.filter(ended=None).aggregate(sum=Coalesce(Sum("games_wanted"), 0))["sum"]
    played = sum(recent.filter(ended__isnull=False).order_by().annotate(begun=begun).values_list("begun", flat=True))
    return max(0, allowances().games_a_day - int(open_games) - played)


def require_room(person: User, games: int) -> None:
    """Raises ``TooMany`` where ``person``, whose row the caller holds, has ordered all that one may."""
    limits = allowances()
    if Order.objects.filter(requested_by=person, state__in=Order.OPEN).count() >= limits.at_once:
        raise TooMany(f"{limits.at_once} of your orders are open, which is the most. Wait for one, or cancel one.", 60)
    if Order.objects.filter(requested_by=person, created__gt=timezone.now() - DAY).count() >= limits.orders_a_day:
        raise TooMany(
            f"You have ordered {limits.orders_a_day} times within 24 hours, which is the most: cancelled orders count,"
            " since their deals are used up. Come back later."
        )
    left = games_left(person)
    if games > left:
        raise TooMany(
            f"That would be {games} games, and you have {left} left of the {limits.games_a_day} that one person may"
            " order within 24 hours. Order fewer blocks, or come back later."
        )


def require_blocks(blocks: int, most: int) -> None:
    """Raises ``Refused`` for a number of blocks that is none, or above ``most``."""
    if not 1 <= blocks <= most:
        raise Refused(f"An order has 1 to {most} blocks, not {blocks}.")
