"""Actions for races on orders. ``tests.services.races`` runs them."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from bots.models import Bot
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.creation import invite
from ladder.exhibitions.progress import feed
from ladder.exhibitions.requests import answer, cancel, order_test
from ladder.matches.candidates import freeze_all
from ladder.matches.leases import claim
from ladder.members.membership import activate
from ladder.models import Ladder, Match, Order
from tests.ladder import racing
from tests.ladder.racing import or_none
from tests.services.races import Act, Actions


def ordering(ladder: int, person: int, versions: list[int], tokens: list[str]) -> Act:
    """Order a test of one block with every token; the orders that this got."""
    its, by = Ladder.objects.get(pk=ladder), User.objects.get(pk=person)

    def act() -> list[int]:
        got = [or_none(partial(order_test, by, its, versions, 1, UUID(token))) for token in tokens]
        return [order.pk for order in got if order is not None]

    return act


def feeding(times: int) -> Act:
    return lambda: sum(feed() for _ in range(times))


def answering(order: int, person: int, agreed: bool) -> Act:
    """Answer; the state of the order afterwards, ``None`` if it was refused."""
    row, by = Order.objects.get(pk=order), User.objects.get(pk=person)

    def act() -> str | None:
        found = or_none(partial(answer, row, by, agreed))
        return None if found is None else str(found.state)

    return act


def cancelling(order: int, person: int) -> Act:
    """Cancel; whether this was the one that did."""
    row, by = Order.objects.get(pk=order), User.objects.get(pk=person)

    def act() -> bool:
        try:
            cancel(row, by)
        except Refused:
            return False
        return True

    return act


def claiming_ordered(order: int) -> Act:
    """Claim every game of the order; those that were had."""
    ids = list(Match.objects.filter(block__order=order).order_by("pk").values_list("pk", flat=True))
    return lambda: [match for match in ids if claim(match, "racing")]


def freezing(times: int) -> Act:
    return lambda: sum(freeze_all() for _ in range(times))


def activating(bot: int, numbers: list[int]) -> Act:
    """Let one version after the other play."""
    versions = {version.number: version for version in Bot.objects.get(pk=bot).versions.select_related("bot")}
    return lambda: [activate(versions[number]) for number in numbers]


def inviting(ladder: int, person: int) -> Act:
    its, who = Ladder.objects.get(pk=ladder), User.objects.get(pk=person)
    return lambda: invite(its, [who])


ACTIONS: Actions = {
    **racing.ACTIONS,
    "ordering": ordering,
    "feeding": feeding,
    "answering": answering,
    "cancelling": cancelling,
    "claiming_ordered": claiming_ordered,
    "freezing": freezing,
    "activating": activating,
    "inviting": inviting,
}
