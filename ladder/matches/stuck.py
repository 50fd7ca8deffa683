"""Matches that do not proceed as they should, with the reason, for operators.

The scheduler handles each of these cases by itself if it and the workers run. What is listed here has waited for much
longer than that takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from ladder.models import Attempt, LiveSeat, Match

LATE: Final = timedelta(minutes=30)
"""From when on a match that no worker has begun is listed."""

LATE_AFTER_A_FAILURE: Final = timedelta(minutes=5)
LONG: Final = timedelta(minutes=10)
"""From when on a running match is listed. Most take seconds."""

OVERDUE: Final = timedelta(minutes=5)
"""From when on an open decision of a live game is listed. The scheduler ends its game earlier."""


class Why(Enum):
    """Why a match is listed."""

    LEASE_LOST = "its worker is lost, and the scheduler has not queued it again"
    LONG = "it is played for unusually long"
    FAILED = "an attempt failed, and no worker has begun another one"
    NOT_BEGUN = "no worker has begun it"
    OVERDUE = "a decision of the live game is overdue"


@dataclass(frozen=True)
class StuckMatch:
    """A match with its ladder, since when it is stuck, why, and its last attempt, if there was one."""

    match: Match
    since: datetime
    why: Why
    attempt: Attempt | None


def stuck_matches(most: int) -> list[StuckMatch]:
    """The ``most`` matches that have been stuck for longest. Four queries."""
    found = sorted(_found(most), key=lambda pair: (pair[1], pair[0].pk))[:most]
    attempts = _last_attempts([match for match, _, _ in found])
    return [StuckMatch(match, since, why, attempts.get(match.pk)) for match, since, why in found]


def _found(most: int) -> Iterator[tuple[Match, datetime, Why]]:
    rows = Match.objects.select_related("ladder")
    running = rows.filter(status=Match.Status.RUNNING, table=None)
    running = running.filter(Q(lease_until__lt=Now() - timedelta(minutes=1)) | Q(started__lt=Now() - LONG))
    for match in running.annotate(lost=Q(lease_until__lt=Now())).order_by("started")[:most]:
        assert match.started is not None
        yield match, match.started, Why.LEASE_LOST if match.lost else Why.LONG
    late = Q(due_at__lt=Now() - LATE) | Q(due_at__lt=Now() - LATE_AFTER_A_FAILURE, attempts_started__gt=0)
    queued = rows.filter(late, ~Match.another_runs(), ladder__paused=None, status=Match.Status.QUEUED)
    for waiting in queued.order_by("due_at", "pk")[:most]:
        yield waiting, waiting.due_at, Why.FAILED if waiting.attempts_started else Why.NOT_BEGUN
    for live_seat in _overdue().select_related("table__match__ladder")[:most]:
        since = live_seat.due_at or live_seat.table.settled_at
        yield live_seat.table.match, since, Why.OVERDUE


def _overdue() -> QuerySet[LiveSeat]:
    """One seat per live game with an open decision that should have ended."""
    owing = LiveSeat.objects.filter(owes=True, table__over=False, table__match__status=Match.Status.RUNNING)
    expired = Q(deadline__lt=Now() - OVERDUE)
    unasked = Q(kind__in=LiveSeat.ASKED_BY_WORKERS, due_at__lt=Now() - OVERDUE, deadline=None)
    first = {
        table: pk for pk, table in owing.filter(expired | unasked).order_by("-due_at").values_list("pk", "table")[:500]
    }
    return LiveSeat.objects.filter(pk__in=first.values()).order_by(F("due_at").asc(nulls_last=True))


def _last_attempts(matches: Sequence[Match]) -> Mapping[int, Attempt]:
    attempts = Attempt.objects.filter(match__in=matches).order_by("number")
    return {attempt.match_id: attempt for attempt in attempts}
