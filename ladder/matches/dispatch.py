"""Tell the workers about queued matches.

A message is a hint: it does no harm if it is lost or arrives twice.

Only as many messages are under way as the workers will begin soon. New matches therefore do not wait behind long
queues, and each ladder, cup and user with unrated games has a share (``ladder.pairings.shares``). One match of a block
is sent at a time; its end sends the next one.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from statistics import fmean
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import Case, Count, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, When, Window
from django.db.models.functions import Coalesce, Now, RowNumber
from kombu.exceptions import OperationalError

from ladder.matches.blocks import CUP
from ladder.models import Attempt, Block, Cup, Match, Membership
from ladder.pairings.shares import HOUSE_ONLY, Flow, cup_shares, shared

logger = logging.getLogger(__name__)

TASK = "ladder.tasks.play_match"
QUEUE = "matches"
SOON = "soon"
ON_TIME = "on_time"
"""The queues of first matches and of matches at a set time. Workers take matches at a set time before all other work,
and from their other queues in turn (``esr_platform.celery.OnTimeFirst``). Matches of cups that have less than their
share of the workers go to the queue of first matches, too."""

AT_A_SET_TIME: Final = 2
"""From this priority on, a match has the queue of those at a set time; every other with priority is a first one."""

IN_TURN: Final = 0.5
"""The share of a queue, if workers take matches from two of them in turn."""

WINDOW: Final = 32
"""Matches that are on their way at a time, or as many as were begun in the last seconds, if those are more."""


def dispatch() -> int:
    """Send matches that are queued, due and not on their way, as many as the workers will begin soon; how many.

    All matches with priority are sent, higher priority first. Of the others, each ladder, cup and user has a share, and
    the one whose last message is oldest comes first.
    """
    if not Match.objects.filter(status=Match.Status.QUEUED).exists():
        return 0
    throughput = recent()
    queued = traffic(throughput)
    room = max(WINDOW, throughput.begun.total()) - queued.on_the_way
    ids = [*queued.soon, *queued.in_turn[: max(room, 0)]]
    marked = _marked(ids) if ids else set()
    priorities = {match.match_id: match.priority for match in queued.matches}
    return send({match_id: priorities[match_id] for match_id in ids if match_id in marked})


def send_next(match_id: int) -> int:
    """Send the next match of the same block, now that an attempt at ``match_id`` has ended; how many (0 or 1).

    Matches of a block never run at the same time (:func:`ladder.matches.leases.claim`), so :func:`dispatch` sends one
    of them.
    """
    block = Match.objects.filter(pk=match_id).values("block")
    due = Match.objects.filter(block__in=block, status=Match.Status.QUEUED, due_at__lte=Now())
    queued = due.filter(~Match.another_runs()).order_by("-priority", "pk")
    following = queued.values_list("pk", "priority").first()
    if following is None or not _unsent([following[0]]).update(sent_at=Now()):
        return 0
    return send(dict([following]))


def send(priorities: Mapping[int, int]) -> int:
    """Send matches to the workers, outside any transaction, and return how many were sent.

    ``priorities`` maps match ids to priorities. Without a broker nothing is lost: the next :func:`dispatch` sends the
    rest.
    """
    ids, sent = list(priorities), 0
    overtaking = _overtaking() if CUP in priorities.values() else 0
    try:
        for match_id, priority in priorities.items():
            queue = _queue(priority)
            if priority == CUP and overtaking > 0:
                queue, overtaking = SOON, overtaking - 1
            current_app.send_task(TASK, args=(match_id,), queue=queue, expires=SEND_AGAIN.total_seconds())
            sent += 1
    except (OperationalError, OSError) as error:
        logger.warning("broker unavailable, %s matches not sent: %s", len(ids) - sent, error)
        Match.objects.filter(pk__in=ids[sent:], status=Match.Status.QUEUED).update(sent_at=None)
    return sent


def _queue(priority: int) -> str:
    if priority >= AT_A_SET_TIME:
        return ON_TIME
    return SOON if priority > 0 else QUEUE


def _overtaking() -> int:
    """How many matches of cups may go before the others, because cups have begun fewer than their share of the latest.

    The matches of a block follow each other, and a round waits for its last table. So a cup with few tables would get
    far less than its share if each of its matches waited behind those of the ladders. Workers take matches from both
    queues in turn, so cups do not get more than half of the workers in this way.
    """
    running = list(Cup.objects.filter(state=Cup.State.RUNNING).values_list("pk", "reserved_percent", Cup.has_people()))
    reserved = {pk: (percent or 0) / 100 for pk, percent, _people in running}
    of_house = {pk for pk, _percent, people in running if not people}
    share, _of_cups = cup_shares(reserved, settings.CUP_SHARE, of_house)
    if share >= IN_TURN:
        return MATCHES_READ
    begun = list(Attempt.objects.of_workers().order_by("-pk").values_list("match__priority", flat=True)[:FEW_READ])
    return max(round(share * FEW_READ) - begun.count(CUP), 0)


def _marked(match_ids: list[int]) -> set[int]:
    """Mark the matches that are still to be sent, and return them. Rows that another process holds are skipped."""
    with transaction.atomic():
        free = _unsent(match_ids).select_for_update(skip_locked=True, no_key=True)
        ids = set(free.order_by("pk").values_list("pk", flat=True))
        Match.objects.filter(pk__in=ids, status=Match.Status.QUEUED).update(sent_at=Now())
    return ids


def _unsent(match_ids: list[int]) -> QuerySet[Match]:
    """Those that are queued and not on their way."""
    not_on_its_way = Q(sent_at__isnull=True) | Q(sent_at__lt=Now() - SEND_AGAIN)
    return Match.objects.filter(not_on_its_way, pk__in=match_ids, status=Match.Status.QUEUED)


# --- Queued matches that are due, by ladder and person ---------------------------------------------------------------

SEND_AGAIN: Final = timedelta(seconds=15)
"""A message is void after this time, and the match is sent again: so there is at most one valid message a match."""

OVERDUE: Final = timedelta(seconds=60)
"""Matches that wait longer are sent repeatedly, and do not count towards the messages under way."""

MATCHES_READ: Final = 2000
"""The most rows that are read; the rest has its turn later."""


class Kind(IntEnum):
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
    kind: Kind
    flow: int
    weight: float
    due_at: datetime
    sent_at: datetime | None
    on_its_way: bool
    block_runs: bool
    of_house: bool = False


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
        flows: dict[Kind, dict[int, Flow]] = {kind: {} for kind in Kind}
        ahead = Counter((match.kind, match.flow) for match in self._counting)
        by_flow = defaultdict[tuple[Kind, int, float], list[Waiting]](list)
        for match in matches:
            if match.priority <= 0:
                by_flow[match.kind, match.flow, match.weight].append(match)
        reserved = {flow: weight for kind, flow, weight in by_flow if kind is Kind.CUP}
        of_house = {match.flow for match in self.matches if match.of_house}
        share, of_cups = cup_shares(reserved, settings.CUP_SHARE, of_house)
        for (kind, flow, weight), waiting in by_flow.items():
            cost = self.throughput.cost(flow) if kind is Kind.RATED else 1.0
            ids, since = [match.match_id for match in waiting], min(_since(match) for match in waiting)
            own = of_cups[flow] if kind is Kind.CUP else weight
            flows[kind][flow] = Flow(ids, ahead[kind, flow], own, cost, since.timestamp())
        counts = Counter(match.kind for match in self._counting)
        rated, unrated, cups = (self.playing[kind] + counts[kind] for kind in Kind)
        costs = (*self.throughput.costs, self.throughput.costs[1])
        of_kind = flows[Kind.RATED], flows[Kind.UNRATED], flows[Kind.CUP]
        return shared(*of_kind, max(share, 0.01), (rated, unrated, cups), costs)

    @property
    def on_the_way(self) -> int:
        """Number of matches without priority whose messages are under way."""
        return len(self._counting)

    @property
    def line(self) -> list[int]:
        """Everything, in the order in which the workers will probably begin it."""
        sent = sorted((match for match in self.matches if match.on_its_way), key=_told)
        unsent = [match for match in self.matches if not match.on_its_way]
        soon = [match for match in unsent if match.priority > 0]
        return [*(match.match_id for match in [*sent, *soon]), *self._shared(unsent)]

    def waited(self, how_long: timedelta) -> bool:
        """Whether anything has waited for longer."""
        return any(self.now is not None and match.due_at < self.now - how_long for match in self.matches)

    @property
    def _counting(self) -> list[Waiting]:
        return [
            match
            for match in self.matches
            if match.on_its_way and match.priority <= 0 and self.now is not None and match.due_at > self.now - OVERDUE
        ]


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
            ordered_now=_playing(priority=-1),
            cups_now=_playing(priority=CUP),
        )
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
            "cup_people",
            "ladder",
            "ladder__weight",
            "block__purpose",
            "block__exhibition__requested_by",
            "block__cup_table__round__cup",
            "block__cup_table__round__cup__reserved_percent",
            "rated_now",
            "ordered_now",
            "cups_now",
        )
    )
    if not rows:
        return Traffic([], throughput, None)
    first = rows[0]
    playing = first["rated_now"], first["ordered_now"], first["cups_now"]
    return Traffic([_waiting(row) for row in rows], throughput, first["now"], playing)


def _first() -> QuerySet[Match, int]:
    """The ids of the queued matches that are due: higher priority first, then the next match of each block.

    Cups take turns, so a large round leaves room for the others. Matches on their way come before the rest.
    """
    queued = Match.objects.filter(status=Match.Status.QUEUED, due_at__lte=Now())
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
    kind, flow = _kind_and_flow(row)
    return Waiting(
        match_id=row["pk"],
        block_id=row["block"],
        block_runs=row["block_runs"],
        priority=row["priority"],
        kind=kind,
        flow=flow,
        weight=_weight(kind, row),
        due_at=row["due_at"],
        sent_at=row["sent_at"],
        on_its_way=row["sent_at"] is not None and row["sent_at"] >= row["now"] - SEND_AGAIN,
        of_house=kind is Kind.CUP and not row["cup_people"],
    )


def _weight(kind: Kind, row: Mapping[str, Any]) -> float:
    if kind is Kind.CUP:
        return (row["block__cup_table__round__cup__reserved_percent"] or 0) / 100
    return max(row["ladder__weight"], 1) * (1 if row["people"] else HOUSE_ONLY) if kind is Kind.RATED else 1.0


def _kind_and_flow(row: Mapping[str, Any]) -> tuple[Kind, int]:
    if row["block__purpose"] in Block.RATED:
        return Kind.RATED, row["ladder"]
    if row["block__purpose"] == Block.Purpose.CUP:
        return Kind.CUP, row["block__cup_table__round__cup"]
    return Kind.UNRATED, row["block__exhibition__requested_by"] or 0


def _since(match: Waiting) -> datetime:
    """The time of its last message, or its due time."""
    return match.sent_at or match.due_at


def _told(match: Waiting) -> tuple[int, datetime, int]:
    return -match.priority, _since(match), match.match_id


# --- What the workers did in the last minutes ------------------------------------------------------------------------

LATELY = timedelta(seconds=10)
LOOKED_BACK = timedelta(minutes=5)
FEW_READ = 20
MOST_READ = 1000
"""Attempts that are looked at; on a busy site they reach back less far."""

_COLUMNS = ("match__ladder", "started", "ended", "ending", "now", "match__block__purpose")


@dataclass(frozen=True)
class Throughput:
    """Games by ladder: ``begun`` in the last ``LATELY``, ``finished`` within ``span_s`` seconds of the last minutes.

    ``mean_s`` is the mean duration of rated games in seconds, for ladders with any. Unrated games do not count, so that
    requests for long games cannot make a ladder's own games rare. ``costs`` are the mean durations of rated and unrated
    games on all ladders.
    """

    begun: Counter[int] = field(default_factory=Counter)
    finished: Counter[int] = field(default_factory=Counter)
    span_s: float = 0.0
    mean_s: Mapping[int, float] = field(default_factory=dict)
    costs: tuple[float, float] = (1.0, 1.0)

    @property
    def per_s(self) -> float:
        """Games a second on all ladders; 0 where nothing is known."""
        return self.finished.total() / self.span_s if self.span_s else 0.0

    def per_s_on(self, ladder_id: int) -> float:
        """Games a second on a ladder; 0 where nothing is known."""
        return self.finished[ladder_id] / self.span_s if self.span_s else 0.0

    def cost(self, ladder_id: int) -> float:
        """How long a game lasts on a ladder, in seconds; where none was played lately, as on the others."""
        known = self.mean_s.get(ladder_id) or fmean(self.mean_s.values() or [1.0])
        return max(known, 0.001)


def recent() -> Throughput:
    """One query of the latest attempts, and a second one if there were many."""
    rows = Attempt.objects.of_workers().order_by("-pk").annotate(now=Now()).values_list(*_COLUMNS)
    latest = [row for row in rows[:FEW_READ] if row[1] > row[4] - LOOKED_BACK]
    if len(latest) == FEW_READ:
        latest = [row for row in rows[:MOST_READ] if row[1] > row[4] - LOOKED_BACK]
    begun, finished, ends = Counter[int](), Counter[int](), list[datetime]()
    lasted, ordered = defaultdict[int, list[float]](list), list[float]()
    for ladder_id, started, ended, ending, now, purpose in latest:
        begun[ladder_id] += started > now - LATELY
        if ended is not None and ending == Attempt.Ending.FINISHED:
            finished[ladder_id] += 1
            ends.append(ended)
            if purpose in Block.RATED:
                lasted[ladder_id].append((ended - started).total_seconds())
            else:
                ordered.append((ended - started).total_seconds())
    means = {ladder_id: fmean(times) for ladder_id, times in lasted.items()}
    span = (max(ends) - min(row[1] for row in latest)).total_seconds() if ends else 0.0
    rated = [seconds for times in lasted.values() for seconds in times]
    return Throughput(+begun, finished, max(span, 0.0), means, _costs(rated, ordered))


def _costs(rated: list[float], ordered: list[float]) -> tuple[float, float]:
    """The mean durations of rated and unrated games. An unknown one is taken from the other kind."""
    rated_s = fmean(rated or ordered or [1.0])
    return max(rated_s, 0.001), max(fmean(ordered or [rated_s]), 0.001)
