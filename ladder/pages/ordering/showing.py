"""What the pages of orders show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Case, Prefetch, Q, QuerySet, Value, When
from django.utils.translation import gettext as _

from bots.models import BotVersion
from games.words import listing
from ladder.access import found, is_staff
from ladder.exhibitions.progress import Row, Scores, differences, hypotheses, over_in_turn, rows, scores
from ladder.models import Agreement, Block, Ladder, Match, Order, OrderPlayer
from ladder.models.ladders import Viewer
from ladder.pages.matches import listed_part
from ladder.pages.ordering.chart import Chart, chart
from ladder.pages.paging import Part, part
from ladder.ratings.means import Mean, mean_of
from ladder.ratings.sprt import Verdict, Walk, walk

ROWS = 20
SOON = 20
_Part = OrderPlayer.Part
_PLACES = Case(*(When(part=part, then=Value(place)) for place, part in enumerate(_Part)))
"""The parts in the order of a page: the table; the two that are compared, then their opponents."""


@dataclass(frozen=True)
class Comparison:
    """How a comparison stands."""

    order: Order
    candidate: BotVersion
    baseline: BotVersion
    walk: Walk
    difference: Mean | None

    @property
    def chart(self) -> Chart:
        return chart(self.walk.ratios, hypotheses(self.order), self.order.blocks_wanted)

    @property
    def bound(self) -> float:
        """The bound above; the one below is as far from 0."""
        return hypotheses(self.order).upper

    @property
    def margin_points(self) -> float:
        """The difference that is asked for, in points of 100."""
        return (self.order.margin or 0) / 10

    @property
    def verdict(self) -> Verdict:
        """As it was decided; a release with another prior does not change what an ended comparison has found."""
        return Verdict(self.order.verdict) if self.order.verdict else self.walk.verdict

    @property
    def better(self) -> bool:
        return self.verdict is Verdict.BETTER

    @property
    def not_better(self) -> bool:
        return self.verdict is Verdict.NOT_BETTER


@dataclass(frozen=True)
class OrderPage:
    """One order: who plays, what came out so far, and what the viewer may do about it."""

    order: Order
    players: Sequence[OrderPlayer]
    agreements: Sequence[Agreement]
    found: Scores
    over: Sequence[int]
    written: int
    ended: int
    matches: Part[Match]
    viewer: Viewer

    @property
    def title(self) -> str:
        return title(self.order, [player.version for player in self.players])

    @property
    def counted(self) -> int:
        """Blocks that count: every game of theirs is finished."""
        return len(self.found)

    @property
    def dropped(self) -> int:
        """Blocks that have ended and do not count."""
        return max(0, self.ended - self.counted)

    @property
    def rows(self) -> list[Row]:
        return rows(self.order, self.found, self.players)

    @property
    def gauntlet(self) -> list[BotVersion]:
        return [player.version for player in self.players if player.part == _Part.GAUNTLET]

    @cached_property
    def comparison(self) -> Comparison | None:
        """How it stands; ``None`` for other kinds of orders."""
        if self.order.kind != Order.Kind.COMPARISON:
            return None
        by_part = {player.part: player.version for player in self.players}
        taken = differences(self.order, self.over, self.found)
        walked = walk(taken, hypotheses(self.order))
        mean = mean_of(taken[: len(walked.ratios)])
        return Comparison(self.order, by_part[_Part.CANDIDATE], by_part[_Part.BASELINE], walked, mean)

    @property
    def may_cancel(self) -> bool:
        """Whether the viewer may end it: who ordered it, staff, and before it begins who agreed to it."""
        return self.order.open and may_cancel(self.order, self.viewer)

    @property
    def asked(self) -> bool:
        """Whether the viewer has still to say whether their bot will be there."""
        return self.order.state == Order.State.INVITED and any(
            agreement.person_id == self.viewer.pk and agreement.agreed is None for agreement in self.agreements
        )


@dataclass(frozen=True)
class OrdersPage:
    """What waits for the viewer's word, what will begin, and what the viewer has ordered."""

    asked: Sequence[Order]
    planned: Sequence[Order]
    own: Part[Order]
    ladders: Sequence[Ladder]


def order_seen_by(user: Viewer, order_id: int) -> Order:
    """The order at an address, with its ladder. Raises ``Http404``."""
    orders = Order.objects.visible_to(user).select_related("ladder", "requested_by")
    return found(orders, _("There is no order %(number)s.") % {"number": order_id}, pk=order_id)


def may_cancel(order: Order, user: Viewer) -> bool:
    """Whether ``user`` may end ``order`` while it is open."""
    if order.requested_by_id == user.pk or is_staff(user):
        return True
    agreed = Agreement.objects.filter(order=order, person=user.pk, agreed=True)
    return order.state in (Order.State.INVITED, Order.State.PLANNED) and user.pk is not None and agreed.exists()


def order_page(order: Order, parameters: Callable[[str], str | None], user: Viewer) -> OrderPage:
    """All that is to be said of ``order``; eight queries, and one more for a comparison."""
    blocks = list(Block.objects.filter(order=order).values_list("ended", flat=True))
    over = over_in_turn(order)
    return OrderPage(
        order=order,
        players=list(players_of(order)),
        agreements=list(order.agreements.select_related("person")),
        found=scores(order),
        over=over,
        written=len(blocks),
        ended=sum(ended is not None for ended in blocks),
        matches=listed_part(Match.objects.filter(block__order=order), parameters),
        viewer=user,
    )


def orders_page(parameters: Callable[[str], str | None], user: Viewer) -> OrdersPage:
    """The page of all that is on demand, for ``user``; at most eight queries."""
    seen = _listed(Order.objects.visible_to(user))
    planned = seen.filter(state=Order.State.PLANNED) | seen.filter(kind=Order.Kind.SCHEDULED, state=Order.State.RUNNING)
    mine = Q(state=Order.State.INVITED, agreements__person=user.pk, agreements__agreed=None)
    own = seen.filter(requested_by=user.pk) if user.pk is not None else seen.none()
    return OrdersPage(
        asked=list(seen.filter(mine).order_by("due_at")) if user.pk is not None else [],
        planned=list(planned.order_by("due_at", "pk")[:SOON]),
        own=part(own, parameters, ROWS),
        ladders=list(Ladder.objects.visible_to(user).filter(open=True, players=Ladder.Players.HOSTED).order_by("pk")),
    )


def title(order: Order, versions: Sequence[BotVersion]) -> str:
    """``Mine v7 or Mine v6?``, ``Mine v7, Greedy and Haggler``."""
    names = [version.bot.name if version.bot.owner_id is None else str(version) for version in versions]
    if order.kind == Order.Kind.COMPARISON:
        return _("Is %(candidate)s better than %(baseline)s?") % {"candidate": names[0], "baseline": names[1]}
    return listing(names)


def players_of(order: Order) -> QuerySet[OrderPlayer]:
    """Who plays in ``order``, with their bots and owners, in the order of its page."""
    return listed_players().filter(order=order)


def listed_players() -> QuerySet[OrderPlayer]:
    """Players of any orders with their bots and owners, each order's in the order of its page."""
    players = OrderPlayer.objects.select_related("version__bot__owner").defer("version__check_report")
    return players.order_by("order", _PLACES, "index")


def _listed(orders: QuerySet[Order]) -> QuerySet[Order]:
    shown = orders.select_related("ladder", "requested_by")
    return shown.prefetch_related(Prefetch("players", queryset=listed_players()))
