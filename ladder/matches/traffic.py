"""The queued matches that are due, and the order in which workers will begin them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any, Final

from django.conf import settings
from django.db.models import Case, Count, Exists, IntegerField, OuterRef, QuerySet, Subquery, When, Window
from django.db.models.functions import Coalesce, Now, RowNumber

from ladder.matches.blocks import CUP_PRIORITY, UNRATED_PRIORITY
from ladder.matches.throughput import Throughput
from ladder.models import Block, Cup, Match, Membership
from ladder.pairings.shares import HOUSE_ONLY, Flow, cup_shares, shared

SEND_AGAIN: Final = timedelta(seconds=15)
"""A message is void after this time, and the match is sent again: so there is at most one valid message a match."""

OVERDUE: Final = timedelta(seconds=60)
"""Matches that wait longer are sent repeatedly, and do not count towards the messages under way."""

MATCHES_READ: Final = 2000
"""The most rows that are read; the rest has its turn later."""


class TrafficKind(IntEnum):
    """The kinds of games that share the workers (``ladder.pairings.shares.shared``)."""

    RATED = 0
    UNRATED = 1
    CUP = 2


@dataclass(frozen=True)
class Waiting:
    """A queued match that is due. Its ``flow`` is its ladder, the user who requested it, or its cup, by its ``kind``.

    ``weight`` is that of the flow among its kind; for a cup, the share of the workers that is reserved for it, or 0.
    ``of_house`` says that only house bots play in the cup.
    ``block_runs`` says that another match of its block is running, so no worker can claim this one yet.
    """

    match_id: int
    block_id: int
    priority: int
    kind: TrafficKind
    flow: int
    weight: float
    due_at: datetime
    sent_at: datetime | None
    on_its_way: bool
    block_runs: bool
    of_house: bool = False

    @property
    def since(self) -> datetime:
        """The time of its last message, or its due time."""
        return self.sent_at or self.due_at


@dataclass(frozen=True)
class Traffic:
    """``matches`` are sorted by priority, and then by the time of their last message, or by their due time.

    ``playing`` are the games without priority that workers have begun, by kind.
    """

    matches: Sequence[Waiting]
    throughput: Throughput
    now: datetime | None
    playing: tuple[int, int, int] = (0, 0, 0)

    @property
    def startable(self) -> list[Waiting]:
        """The matches to send: one per block, of the blocks with no match that runs or is on its way."""
        taken = {match.block_id for match in self.matches if match.on_its_way or match.block_runs}
        first: dict[int, Waiting] = {}
        for match in self.matches:
            if match.block_id not in taken:
                first.setdefault(match.block_id, match)
        return list(first.values())

    @property
    def soon(self) -> list[int]:
        """The matches with priority that are sent however many others wait."""
        return [match.match_id for match in self.startable if match.priority > 0]

    @property
    def in_turn(self) -> list[int]:
        """The other matches to send, in an order in which each ladder, user and cup has its share."""
        return self._shared(self.startable)

    def _shared(self, matches: Iterable[Waiting]) -> list[int]:
        flows: dict[TrafficKind, dict[int, Flow]] = {kind: {} for kind in TrafficKind}
        ahead = Counter((match.kind, match.flow) for match in self.on_the_way)
        by_flow = defaultdict[tuple[TrafficKind, int, float], list[Waiting]](list)
        for match in matches:
            if match.priority <= 0:
                by_flow[match.kind, match.flow, match.weight].append(match)
        reserved = {flow: weight for kind, flow, weight in by_flow if kind is TrafficKind.CUP}
        of_house = {match.flow for match in self.matches if match.of_house}
        share, of_cups = cup_shares(reserved, settings.CUP_SHARE, of_house)
        for (kind, flow, weight), waiting in by_flow.items():
            cost = self.throughput.cost(flow) if kind is TrafficKind.RATED else 1.0
            ids, since = [match.match_id for match in waiting], min(match.since for match in waiting)
            own = of_cups[flow] if kind is TrafficKind.CUP else weight
            flows[kind][flow] = Flow(ids, ahead[kind, flow], own, cost, since.timestamp())
        counts = Counter(match.kind for match in self.on_the_way)
        rated, unrated, cups = (self.playing[kind] + counts[kind] for kind in TrafficKind)
        costs = (*self.throughput.costs, self.throughput.costs[1])
        of_kind = flows[TrafficKind.RATED], flows[TrafficKind.UNRATED], flows[TrafficKind.CUP]
        return shared(*of_kind, max(share, 0.01), (rated, unrated, cups), costs)

    @property
    def on_the_way(self) -> Sequence[Waiting]:
        """The matches without priority whose messages are under way, without overdue ones."""
        oldest = self.now and self.now - OVERDUE
        sent = [match for match in self.matches if match.on_its_way and match.priority <= 0]
        return [match for match in sent if oldest is not None and match.due_at > oldest]

    @property
    def line(self) -> list[int]:
        """Everything, in the order in which the workers will probably begin it."""
        sent = sorted(
            (match for match in self.matches if match.on_its_way),
            key=lambda match: (-match.priority, match.since, match.match_id),
        )
        unsent = [match for match in self.matches if not match.on_its_way]
        soon = [match for match in unsent if match.priority > 0]
        return [*(match.match_id for match in [*sent, *soon]), *self._shared(unsent)]

    def waited(self, how_long: timedelta) -> bool:
        """Whether anything has waited for longer."""
        return any(self.now is not None and match.due_at < self.now - how_long for match in self.matches)


_COLUMNS: Final = (
    *("pk", "block", "block_runs", "priority", "due_at", "sent_at", "now", "people", "cup_people"),
    *("ladder", "ladder__weight", "block__purpose", "block__exhibition__requested_by"),
    *("block__cup_table__round__cup", "block__cup_table__round__cup__reserved_percent"),
    *("rated_now", "unrated_now", "cups_now"),
)


def traffic(throughput: Throughput) -> Traffic:
    """Read the queued matches that are due, and the numbers of running ones, in one query."""
    people = Membership.objects.filter(ladder=OuterRef("ladder"), active=True, bot__owner__isnull=False)
    queued = Match.objects.filter(pk__in=_first()[:MATCHES_READ])
    queued = queued.annotate(now=Now(), block_runs=Match.another_runs())
    rows = list(
        queued.annotate(
            people=Exists(people),
            cup_people=Cup.has_people("block__cup_table__round__cup"),
            rated_now=_playing(priority=0),
            unrated_now=_playing(priority=UNRATED_PRIORITY),
            cups_now=_playing(priority=CUP_PRIORITY),
        )
        .order_by("-priority", Coalesce("sent_at", "due_at"), "pk")
        .values(*_COLUMNS)
    )
    if not rows:
        return Traffic([], throughput, None)
    first = rows[0]
    playing = first["rated_now"], first["unrated_now"], first["cups_now"]
    return Traffic([_waiting(row) for row in rows], throughput, first["now"], playing)


def _first() -> QuerySet[Match, int]:
    """The ids of the queued matches that are due: higher priority first, then the next match of each block.

    Cups take turns, so a large round leaves room for the others. Matches on their way come before the rest.
    """
    queued = Match.objects.filter(~Match.on_hold(), status=Match.Status.QUEUED, due_at__lte=Now())
    waits = Case(When(sent_at__gte=Now() - SEND_AGAIN, then=0), default=1, output_field=IntegerField())
    order = ["waits", "since", "pk"]
    placed = queued.annotate(waits=waits, since=Coalesce("sent_at", "due_at")).annotate(
        place=Window(RowNumber(), partition_by="block", order_by=order),
        turn=Window(RowNumber(), partition_by="block__cup_table__round__cup", order_by=order),
    )
    return placed.order_by("-priority", "place", "turn").values_list("pk", flat=True)


def _playing(**wanted: int) -> Coalesce:
    """How many such matches workers play; live games are not theirs."""
    running = Match.objects.filter(status=Match.Status.RUNNING, **wanted).order_by().values("status")
    running = running.exclude(block__purpose__in=Block.DRIVEN_BY_REQUESTS)
    return Coalesce(Subquery(running.annotate(number=Count("pk")).values("number")), 0)


def _waiting(row: Mapping[str, Any]) -> Waiting:
    if row["block__purpose"] in Block.RATED:
        kind, flow = TrafficKind.RATED, row["ladder"]
        weight = max(row["ladder__weight"], 1) * (1 if row["people"] else HOUSE_ONLY)
    elif row["block__purpose"] == Block.Purpose.CUP:
        kind, flow = TrafficKind.CUP, row["block__cup_table__round__cup"]
        weight = (row["block__cup_table__round__cup__reserved_percent"] or 0) / 100
    else:
        kind, flow, weight = TrafficKind.UNRATED, row["block__exhibition__requested_by"] or 0, 1.0
    return Waiting(
        match_id=row["pk"],
        block_id=row["block"],
        block_runs=row["block_runs"],
        priority=row["priority"],
        kind=kind,
        flow=flow,
        weight=weight,
        due_at=row["due_at"],
        sent_at=row["sent_at"],
        on_its_way=row["sent_at"] is not None and row["sent_at"] >= row["now"] - SEND_AGAIN,
        of_house=kind is TrafficKind.CUP and not row["cup_people"],
    )
