"""What is queued and due, in the order in which it is due to the ladders and persons that it belongs to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Exists, OuterRef, Subquery
from django.db.models.functions import Coalesce, Now

from ladder.models import Block, Entry, Match
from ladder.pairings.shares import Flow, shared
from ladder.throughput import Throughput

SEND_AGAIN: Final = timedelta(seconds=15)
"""A message is void after this time, and the match is sent again: so there is at most one valid message a match."""

OVERDUE: Final = timedelta(seconds=60)
"""What waits for longer is told of again and again, and takes no place on the way from what can be played."""

HOUSE_ONLY: Final = 1 / 4
"""What the weight of a ladder is worth on which nobody's bot plays, as long as others want the workers."""

AT_ONCE: Final = 2000
"""The most rows that are read; the rest has its turn later."""


@dataclass(frozen=True)
class Waiting:
    """A queued match that is due. Its ``flow`` is its ladder if it is rated, else the user who ordered it.

    ``block_runs`` says that another match of its block is running, so no worker can claim this one yet.
    """

    match_id: int
    block_id: int
    priority: int
    rated: bool
    flow: int
    weight: float
    due_at: datetime
    sent_at: datetime | None
    on_its_way: bool
    block_runs: bool


@dataclass(frozen=True)
class Traffic:
    """``matches`` are in the order in which they became due or were told of last, the higher priority first.

    ``playing`` are the rated and the unrated games without priority that workers have begun.
    """

    matches: Sequence[Waiting]
    throughput: Throughput
    now: datetime | None
    playing: tuple[int, int] = (0, 0)

    @property
    def startable(self) -> list[Waiting]:
        """The matches to send: one per block, of the blocks with no match that runs or is on its way."""
        taken = {one.block_id for one in self.matches if one.on_its_way or one.block_runs}
        first: dict[int, Waiting] = {}
        for one in self.matches:
            if one.block_id not in taken:
                first.setdefault(one.block_id, one)
        return list(first.values())

    @property
    def soon(self) -> list[int]:
        """The matches with priority that are sent however many others wait."""
        return [one.match_id for one in self.startable if one.priority > 0]

    @property
    def in_turn(self) -> list[int]:
        """The other matches to send, in an order in which each ladder and user has its share."""
        return self._shared(self.startable)

    def _shared(self, matches: Iterable[Waiting]) -> list[int]:
        flows: dict[bool, dict[int, Flow]] = {True: {}, False: {}}
        ahead = Counter((one.rated, one.flow) for one in self._counting)
        by_flow = defaultdict[tuple[bool, int, float], list[Waiting]](list)
        for one in matches:
            if one.priority <= 0:
                by_flow[one.rated, one.flow, one.weight].append(one)
        for (rated, flow, weight), waiting in by_flow.items():
            cost = self.throughput.cost(flow) if rated else 1.0
            ids, since = [one.match_id for one in waiting], min(_since(one) for one in waiting)
            flows[rated][flow] = Flow(ids, ahead[rated, flow], weight, cost, since.timestamp())
        told = Counter(one.rated for one in self._counting)
        in_hand = self.playing[0] + told[True], self.playing[1] + told[False]
        return shared(flows[True], flows[False], in_hand, self.throughput.costs)

    @property
    def on_the_way(self) -> int:
        """How many of those without priority the workers were told of and will begin soon."""
        return len(self._counting)

    @property
    def line(self) -> list[int]:
        """Everything, in the order in which the workers will probably begin it."""
        sent = sorted((one for one in self.matches if one.on_its_way), key=_told)
        unsent = [one for one in self.matches if not one.on_its_way]
        soon = [one for one in unsent if one.priority > 0]
        return [*(one.match_id for one in [*sent, *soon]), *self._shared(unsent)]

    def waited(self, how_long: timedelta) -> bool:
        """Whether anything has waited for longer."""
        return any(self.now is not None and one.due_at < self.now - how_long for one in self.matches)

    @property
    def _counting(self) -> list[Waiting]:
        return [
            one
            for one in self.matches
            if one.on_its_way and one.priority <= 0 and self.now is not None and one.due_at > self.now - OVERDUE
        ]


def traffic(throughput: Throughput) -> Traffic:
    """One query, which reads of what is not queued only how much it is."""
    people = Entry.objects.filter(ladder=OuterRef("ladder"), active=True, bot__owner__isnull=False)
    queued = Match.objects.filter(status=Match.Status.QUEUED, due_at__lte=Now())
    queued = queued.annotate(now=Now(), block_runs=Match.another_runs())
    rows = list(
        queued.annotate(people=Exists(people), rated_now=_playing(priority=0), ordered_now=_playing(priority__lt=0))
        .order_by("-priority", Coalesce("sent_at", "due_at"), "pk")
        .values(
            "pk",
            "block",
            "block_runs",
            "priority",
            "due_at",
            "sent_at",
            "now",
            "people",
            "ladder",
            "ladder__weight",
            "block__purpose",
            "block__order__requested_by",
            "rated_now",
            "ordered_now",
        )[:AT_ONCE]
    )
    if not rows:
        return Traffic([], throughput, None)
    first = rows[0]
    playing = first["rated_now"], first["ordered_now"]
    return Traffic([_waiting(row) for row in rows], throughput, first["now"], playing)


def _playing(**wanted: int) -> Coalesce:
    """How many such matches workers play; live games are not theirs."""
    running = Match.objects.filter(status=Match.Status.RUNNING, **wanted).order_by().values("status")
    running = running.exclude(block__purpose__in=Block.DRIVEN_BY_REQUESTS)
    return Coalesce(Subquery(running.annotate(number=Count("pk")).values("number")), 0)


def _waiting(row: Mapping[str, Any]) -> Waiting:
    rated = row["block__purpose"] in Block.RATED
    return Waiting(
        match_id=row["pk"],
        block_id=row["block"],
        block_runs=row["block_runs"],
        priority=row["priority"],
        rated=rated,
        flow=row["ladder"] if rated else row["block__order__requested_by"] or 0,
        weight=max(row["ladder__weight"], 1) * (1 if row["people"] else HOUSE_ONLY) if rated else 1.0,
        due_at=row["due_at"],
        sent_at=row["sent_at"],
        on_its_way=row["sent_at"] is not None and row["sent_at"] >= row["now"] - SEND_AGAIN,
    )


def _since(one: Waiting) -> datetime:
    """When it became due, or was told of last."""
    return one.sent_at or one.due_at


def _told(one: Waiting) -> tuple[int, datetime, int]:
    return -one.priority, _since(one), one.match_id
