"""Orders of a person with bots, and their blocks played by random legal games, with losers where a test wants them."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import uuid4

from bots.models import Bot, BotVersion
from esr_platform.accounts.models import User
from ladder.exhibitions.progress import feed
from ladder.exhibitions.requests import order_comparison, order_test
from ladder.matches.leases import claim
from ladder.matches.results import record_result
from ladder.models import Block, Ladder, Match, Order
from tests.ladder.reports import report_of, variety_of


def active(bot: Bot) -> BotVersion:
    version = bot.active_version
    assert version is not None
    return version


def house(name: str) -> BotVersion:
    return active(Bot.objects.get(house_name=name))


def a_test(by: User, ladder: Ladder, versions: Sequence[BotVersion], blocks: int = 2) -> Order:
    return order_test(by, ladder, [version.pk for version in versions], blocks, uuid4())


def a_comparison(
    by: User, ladder: Ladder, pair: tuple[BotVersion, BotVersion], gauntlet: Sequence[BotVersion], most: int = 40
) -> Order:
    others = [version.pk for version in gauntlet]
    return order_comparison(by, ladder, (pair[0].pk, pair[1].pk), others, most, 100, uuid4())


def play_all(order: Order, loser: BotVersion | None = None, rounds: int = 100) -> Order:
    """Feed and play the order to its end; ``loser`` forfeits every game."""
    for _ in range(rounds):
        feed()
        order.refresh_from_db()
        if not order.open:
            break
        for match in Match.objects.filter(block__order=order, status="queued").order_by("pk"):
            finish(match, loser)
    return order


def finish(match: Match, loser: BotVersion | None = None) -> None:
    lease = claim(match.pk, "a test")
    assert lease is not None
    seats = match.seats.filter(version=loser) if loser else match.seats.none()
    report = report_of(match, forfeits={seat.index: "resign" for seat in seats}, variety=variety_of(match))
    assert record_result(lease, report) is not None


def blocks_of(order: Order) -> list[Block]:
    return list(Block.objects.filter(order=order).order_by("pk"))
