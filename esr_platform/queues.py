"""What waits in the queues of the site. The metrics, the health checks and the page of operators show these figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db.models import Count, F, Min, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from bots.models import BotVersion
from bots.uploads.queue import undecided, waiting
from esr_platform import figures
from esr_platform.leases import FREE
from ladder.models import Block, Exhibition, LiveSeat, Match

MESSAGES: Final = ("on_time", "soon", "matches", "validations", "estimates", "live", "seats", "default")
"""The queues of ``CELERY_TASK_ROUTES`` and of ``ladder.matches.dispatch``."""


@dataclass(frozen=True)
class Queue:
    """``waiting`` items that can begin now, ``running`` ones, and how long the ``oldest`` of the waiting ones waits.

    ``later`` items must not begin yet: their time has not come, or their ladder is paused.
    """

    waiting: int = 0
    running: int = 0
    oldest: timedelta | None = None
    later: int = 0


def matches() -> dict[str, Queue]:
    """The pending matches by the purpose of their block. One query.

    Those of paused ladders do not wait. The partial indexes of pending matches make this cheap.
    """
    queued = Q(status=Match.Status.QUEUED, due_at__lte=Now(), ladder__paused=None)
    pending = Match.objects.filter(status__in=Match.PENDING).order_by().values("block__purpose")
    rows = pending.annotate(
        waiting=Count("pk", filter=queued),
        running=Count("pk", filter=Q(status=Match.Status.RUNNING)),
        pending=Count("pk"),
        oldest=Min("due_at", filter=queued),
        now=Now(),
    )
    return {
        row["block__purpose"]: Queue(
            row["waiting"],
            row["running"],
            None if row["oldest"] is None else _passed(row["oldest"], row["now"]),
            row["pending"] - row["waiting"] - row["running"],
        )
        for row in rows
    }


def validations() -> Queue:
    """The versions that wait for their validation, and those that are being validated."""
    running = BotVersion.objects.filter(state=BotVersion.State.VALIDATING, lease_until__gt=Now())
    return _queue_of(waiting(), F("created"), running)


def undecided_validations() -> int:
    """The number of versions that could not be validated and are tried again later."""
    return undecided().count()


def decisions() -> Queue:
    """The decisions of hosted bots in live games, which workers ask for."""
    owed = LiveSeat.objects.filter(owes=True, kind__in=LiveSeat.ASKED_BY_WORKERS, table__over=False)
    return _queue_of(owed.filter(FREE, due_at__lte=Now()), F("due_at"), owed.filter(lease_until__gt=Now()))


def exhibitions() -> Queue:
    """The match requests whose time has come but that have no match yet, and those that have."""
    due = Exhibition.objects.filter(Q(due_at=None) | Q(due_at__lte=Now()), state=Exhibition.State.PLANNED)
    running = Exhibition.objects.filter(state=Exhibition.State.RUNNING)
    return _queue_of(due, Coalesce("due_at", "created"), running)


def is_live(purpose: str) -> bool:
    """Whether matches of this purpose are live games, which no worker plays."""
    return purpose in Block.DRIVEN_BY_REQUESTS


def ages() -> dict[str, timedelta]:
    """How long the oldest due match and the oldest version to validate have waited; none for empty queues."""
    oldest = {
        "matches": max((queue.oldest for queue in matches().values() if queue.oldest is not None), default=None),
        "validations": validations().oldest,
    }
    return {name: age for name, age in oldest.items() if age is not None}


def messages() -> dict[str, int]:
    """The number of messages in each queue of Celery that no worker has taken. Raises ``RedisError``."""
    redis = figures.client(settings.REDIS_URL)
    return {queue: int(redis.llen(queue)) for queue in MESSAGES}


def _queue_of(waits: QuerySet[Any], since: Any, running: QuerySet[Any]) -> Queue:
    """The rows that wait ``since`` a time, and the ``running`` ones. Three queries."""
    first = waits.annotate(since=since, now=Now()).order_by("since").values_list("since", "now").first()
    return Queue(waits.count(), running.count(), None if first is None else _passed(*first))


def _passed(since: datetime, now: datetime) -> timedelta:
    return max(now - since, timedelta(0))
