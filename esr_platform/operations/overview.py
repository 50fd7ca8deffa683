"""What operators see: checks, queues, workers, stuck matches, pauses, failed emails and slow queries.

The page and ``manage.py operations`` show the same object. It uses the figures of ``esr_platform.queues`` and the
findings of ``esr_platform.health``, like ``/metrics`` and ``/readyz``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeVar

from django.db import connection
from django.db.models import Max
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

from bots.machines import GONE_AFTER
from bots.models import Drain, Machine, WorkerHost
from bots.worker_hosts import host_of
from esr_platform import figures, queues
from esr_platform.accounts.models import Intake, IntakePause
from esr_platform.health import HEALTH, Finding
from esr_platform.queues import Queue
from ladder.matches.machines import trouble
from ladder.matches.stuck import StuckMatch, stuck_matches
from ladder.models import Attempt, Block, Ladder

MOST_STUCK: Final = 20
MOST_EVENTS: Final = 20
MOST_QUERIES: Final = 10

T = TypeVar("T")

# --- Queues ----------------------------------------------------------------------------------------------------------

_Purpose: Final = Block.Purpose
_QUEUES: Final[Sequence[tuple[str, str | Promise, Sequence[str]]]] = (
    ("rated", _("Rated matches"), (_Purpose.LADDER, _Purpose.EARLY)),
    ("cups", _("Matches of cups"), (_Purpose.CUP,)),
    (
        "exhibitions",
        _("Exhibition matches"),
        (_Purpose.TEST, _Purpose.CHALLENGE, _Purpose.COMPARISON, _Purpose.SCHEDULED),
    ),
    ("live", _("Live games"), Block.DRIVEN_BY_REQUESTS),
)


@dataclass(frozen=True)
class NamedQueue:
    """A queue with its name for programs and for people."""

    name: str
    label: str | Promise
    queue: Queue


def _queues() -> list[NamedQueue]:
    by_purpose = queues.matches()
    return [
        *(
            NamedQueue(name, label, _together([by_purpose[purpose] for purpose in purposes if purpose in by_purpose]))
            for name, label, purposes in _QUEUES
        ),
        NamedQueue("decisions", _("Decisions of hosted bots in live games"), queues.decisions()),
        NamedQueue("validations", _("Validations"), queues.validations()),
        NamedQueue("requests", _("Match requests"), queues.exhibitions()),
    ]


def _together(some: Sequence[Queue]) -> Queue:
    return Queue(
        sum(queue.waiting for queue in some),
        sum(queue.running for queue in some),
        max((queue.oldest for queue in some if queue.oldest is not None), default=None),
        sum(queue.later for queue in some),
    )


# --- Workers ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Host:
    """A machine of the site with Celery workers, or a worker host.

    ``name`` is as in the names of workers, and ``state`` describes it. ``is_bad`` says that it needs attention.
    ``seen`` is when it last reported its sandbox or asked for work. ``playing`` is the number of its leases of matches.
    """

    name: str
    label: str
    is_worker_host: bool
    state: str | Promise
    is_bad: bool
    message: str
    seen: datetime | None
    playing: int
    last_match: datetime | None
    release: str
    drain: Drain | None


def hosts() -> list[Host]:
    """The machines of the site, and the worker hosts whose token is not revoked or that still have a lease.

    Machines that have neither reported nor played for a day are left out, unless all have: then the site is idle.
    """
    drains = {drain.host: drain for drain in Drain.objects.select_related("by")}
    playing = Counter(
        host_of(worker)
        for worker in Attempt.objects.of_workers()
        .filter(ending=Attempt.Ending.OPEN, match__lease_until__gt=Now())
        .values_list("worker", flat=True)
    )
    lately = Attempt.objects.filter(started__gt=Now() - timedelta(days=1)).order_by().values("worker")
    last: dict[str, datetime] = {}
    for worker, started in lately.annotate(last=Max("started")).values_list("worker", "last"):
        last[host_of(worker)] = max(started, last.get(host_of(worker), started))
    known = list(Machine.objects.order_by("host"))
    recent = [
        machine
        for machine in known
        if machine.told > timezone.now() - GONE_AFTER or machine.host in {*last, *playing, *drains}
    ]
    machines = [_machine(machine, playing, last, drains) for machine in recent or known]
    named = [
        _worker_host(host, playing, last, drains)
        for host in WorkerHost.objects.order_by("name")
        if host.revoked is None or playing[host.worker]
    ]
    return [*machines, *named]


def _machine(
    machine: Machine, playing: Mapping[str, int], last: Mapping[str, datetime], drains: Mapping[str, Drain]
) -> Host:
    works, rated = machine.sandbox.get("ok"), machine.sandbox.get("rated")
    drain = drains.get(machine.host)
    state, is_bad, message = _("Works"), True, ""
    if drain is not None:
        state, is_bad = _("Drained"), False
    elif not works or not rated:
        state = _("Its sandbox allows only unrated games") if works else _("Its sandbox does not work")
        message = f"{machine.sandbox.get('problem', '')} {machine.sandbox.get('remedy', '')}".strip()
    elif failure := trouble(machine.host):
        state, message = _("Rests for a minute, because several matches failed"), failure
    else:
        is_bad = False
    return Host(
        machine.host,
        machine.host,
        is_worker_host=False,
        state=state,
        is_bad=is_bad,
        message=message,
        seen=machine.told,
        playing=playing.get(machine.host, 0),
        last_match=last.get(machine.host),
        release="",
        drain=drain,
    )


ASKS_WITHIN: Final = timedelta(minutes=2)
"""A worker host that has not asked for work for longer is away, unless it plays."""

_STATES: Final = {
    WorkerHost.State.NEW: _("Has never asked for work"),
    WorkerHost.State.READY: _("Works"),
    WorkerHost.State.NO_SANDBOX: _("Its sandbox does not work, so it plays only some matches"),
    WorkerHost.State.CLOCK_OFF: _("Works, but its clock is wrong"),
    WorkerHost.State.OTHER_RELEASE: _("Runs another release, so it gets no work"),
    WorkerHost.State.RESTING: _("Rests for a minute, because several matches failed"),
    WorkerHost.State.DRAINED: _("Drained"),
}


def _worker_host(
    host: WorkerHost, playing: Mapping[str, int], last: Mapping[str, datetime], drains: Mapping[str, Drain]
) -> Host:
    state, is_bad = _STATES[WorkerHost.State(host.state)], host.state not in (WorkerHost.State.READY, "new", "drained")
    drain = drains.get(host.worker)
    if host.revoked is not None:
        state, is_bad = _("Its token is revoked"), False
    elif drain is not None:
        state, is_bad = _("Drained"), False
    elif host.state == WorkerHost.State.DRAINED:
        state = _("Resumed, asks for work soon")
    elif host.asked is not None and host.asked < timezone.now() - ASKS_WITHIN and not playing.get(host.worker):
        state, is_bad = _("Does not ask for work"), True
    return Host(
        host.worker,
        host.name,
        is_worker_host=True,
        state=state,
        is_bad=is_bad,
        message=host.message if is_bad else "",
        seen=host.asked,
        playing=playing.get(host.worker, 0),
        last_match=last.get(host.worker),
        release=host.release,
        drain=drain,
    )


# --- Intake ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IntakeState:
    """A kind of intake, and its pause if it is paused."""

    kind: Intake
    pause: IntakePause | None


def _intake() -> list[IntakeState]:
    pauses = {pause.kind: pause for pause in IntakePause.objects.all()}
    return [IntakeState(kind, pauses.get(kind.value)) for kind in Intake]


# --- Emails and queries ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Event:
    """A failed email or a slow query: its time, and its values (``figures.SharedLog``)."""

    at: datetime
    values: Mapping[str, Any]


def _events(log: figures.SharedLog) -> list[Event] | None:
    entries = _from_redis(lambda: log.latest(MOST_EVENTS))
    if entries is None:
        return None
    return [Event(datetime.fromtimestamp(entry["at_s"], UTC), entry) for entry in entries]


@dataclass(frozen=True)
class RunningQuery:
    """A statement that PostgreSQL has been executing, or a transaction that has been idle, for ``seconds``."""

    pid: int
    seconds: float
    state: str
    waits_for: str
    sql: str


_RUNNING: Final = """
    SELECT pid, extract(epoch FROM clock_timestamp() - coalesce(state_change, query_start)), state,
           coalesce(wait_event_type, ''), left(query, 600)
    FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      AND state <> 'idle' AND clock_timestamp() - coalesce(state_change, query_start) > interval '1 second'
    ORDER BY 2 DESC LIMIT %s
"""
_VALUE: Final = re.compile(r"'(?:[^']|'')*'?")


def _running_queries() -> list[RunningQuery]:
    """What PostgreSQL has been doing for more than a second, without the values in texts; nothing on SQLite."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(_RUNNING, [MOST_QUERIES])
        rows = cursor.fetchall()
    return [
        RunningQuery(pid, float(seconds), state, waits_for, _VALUE.sub("'…'", sql))
        for pid, seconds, state, waits_for, sql in rows
    ]


# --- All -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Overview:
    """Everything that operators see. The numbers of messages, emails and queries are ``None`` without Redis."""

    findings: Sequence[Finding]
    queues: Sequence[NamedQueue]
    undecided: int
    messages: Mapping[str, int] | None
    hosts: Sequence[Host]
    stuck: Sequence[StuckMatch]
    paused: Sequence[Ladder]
    intake: Sequence[IntakeState]
    emails: Sequence[Event] | None
    slow: Sequence[Event] | None
    running: Sequence[RunningQuery]


def overview() -> Overview:
    """Read everything. About 20 queries, whatever the size of the site."""
    return Overview(
        findings=HEALTH.findings(),
        queues=_queues(),
        undecided=queues.undecided_validations(),
        messages=_from_redis(queues.messages),
        hosts=hosts(),
        stuck=stuck_matches(MOST_STUCK),
        paused=list(Ladder.objects.filter(paused__isnull=False).order_by("paused")),
        intake=_intake(),
        emails=_events(figures.FAILED_EMAILS),
        slow=_events(figures.SLOW_QUERIES),
        running=_running_queries(),
    )


def _from_redis(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except (RedisError, OSError):
        return None
