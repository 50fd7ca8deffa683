"""What demo people order and found: a test, a comparison, a match at a set time, a class of their own, a season's end.

Each function does only what has not been done, and says whether it is done now.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.utils import timezone

from bots.models import Bot, BotVersion
from bots.owners import owner_of
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from esr_platform.demonstrating.people import person
from ladder.creation import Plan, found_ladder, invite
from ladder.exhibitions.requests import order_comparison, order_scheduled, order_test
from ladder.members.membership import CannotJoin, join
from ladder.models import Ladder, Order
from ladder.seasons import WrongMoment, close

_CLASS: Final = "Thursday class"
_MEMBERS: Final = ("ruth", "tomas", "marek", "demo")


def found_class() -> bool:
    """A ladder for four that members alone know of; their bots join it as soon as they have passed their checks."""
    ladder = Ladder.objects.filter(name=_CLASS).first()
    if ladder is None:
        teacher = person("ruth")
        house = ("greedy", "haggler", "kontor")
        plan = Plan(_CLASS, "edel-stein-reich", 4, house=house, by_invitation=True, private=True)
        ladder = found_ladder(plan, teacher)
    invite(ladder, [person(name) for name in _MEMBERS])
    theirs = Bot.objects.of_code().filter(owner__username__in=_MEMBERS, versions__active=True)
    theirs = theirs.exclude(entries__ladder=ladder)
    for bot in theirs.distinct():
        try:
            join(bot, ladder)
        except CannotJoin:
            continue
    return ladder.entries.filter(active=True, bot__owner__isnull=False).count() >= len(_MEMBERS)


def order_a_test() -> bool:
    """Jackdaw against three of the house, two deals."""
    table = _versions("Jackdaw", "greedy", "haggler", "kontor")
    ids = [version.pk for version in table]
    return bool(ids) and _placed("test", lambda token: order_test(_owner(table), _ladder(), ids, 2, token))


def order_a_comparison() -> bool:
    """Whether Tulip's newest version is better than its first one."""
    both = BotVersion.objects.filter(bot__name="Tulip", state=BotVersion.State.READY).order_by("number")
    table = _versions("Tulip", "greedy", "miser", "haggler")
    if both.count() < 2 or not table:
        return False
    pair = (both.reverse()[0].pk, both[0].pk)
    others = [version.pk for version in table[1:]]
    return _placed("comparison", lambda token: order_comparison(_owner(table), _ladder(), pair, others, 12, 100, token))


def order_a_match() -> bool:
    """Ledger plays the house on the coming Saturday at eight in the evening."""
    table = _versions("Ledger", "kontor", "stickler", "magpie")
    ids, at = [version.pk for version in table], _saturday_evening()
    return bool(ids) and _placed("match", lambda token: order_scheduled(_owner(table), _ladder(), ids, 2, at, token))


def end_a_season(slug: str) -> bool:
    """Close the first season of a ladder, so that it has a final table and a second one."""
    ladder = Ladder.objects.get(slug=slug)
    first = ladder.seasons.get(number=1)
    if first.closing is None and first.closed is None:
        try:
            close(first)
        except WrongMoment:
            return False
    return True


def _placed(name: str, place: Callable[[UUID], Order]) -> bool:
    """Whether the order is there, which has the same token in every run."""
    token = uuid5(NAMESPACE_URL, f"demo:{name}")
    try:
        return Order.objects.filter(token=token).exists() or bool(place(token))
    except Refused:
        return False


def _versions(name: str, *house: str) -> list[BotVersion]:
    """What plays for the demo bot and for those of the house; nothing while one of them has no version that plays."""
    playing = BotVersion.objects.select_related("bot__owner").filter(active=True)
    found = [playing.filter(bot__name=name, bot__owner__isnull=False).first()]
    found += [playing.filter(bot__house_name=one).first() for one in house]
    return [version for version in found if version is not None] if None not in found else []


def _owner(table: list[BotVersion]) -> User:
    return owner_of(table[0].bot)


def _ladder() -> Ladder:
    return Ladder.objects.get(slug="edel-stein-reich-4")


def _saturday_evening() -> datetime:
    now = timezone.now()
    day = now + timedelta(days=(5 - now.weekday()) % 7 or 7)
    return day.replace(hour=20, minute=0, second=0, microsecond=0)
