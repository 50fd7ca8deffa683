"""Leases of matches (``esr_platform.leases``), with the attempts that they belong to.

Rows are locked in the order match, attempt, block, ladder, bots, memberships, here and in ``ladder.matches.results``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Q
from django.db.models.functions import Now

from bots import worker_hosts
from bots.models import Drain
from bots.runner.leased import GIVEN_UP_BEFORE_S
from bots.worker_hosts import host_of
from esr_platform import figures, leases
from esr_platform.heartbeats import Heartbeat, beating
from esr_platform.leases import EXPIRED, RELEASED, RENEW_EVERY_S, Lease, on_database
from esr_platform.prepared import ConditionalUpdate, Prepared, PreparedInsert
from ladder.matches.blocks import end_if_over
from ladder.models import Attempt, LiveSeat, Match, Rerun, Seat

LEASE = timedelta(seconds=30)
RETRY_AFTER = timedelta(seconds=5)
MOST_FAILURES = 3

_FAILURES = (Attempt.Ending.FAILED, Attempt.Ending.EXPIRED)
REASON_LENGTH = 400

_CLAIM: Final = ConditionalUpdate(
    lambda pk, token, host: (
        Match.objects.filter(
            ~Match.another_runs(),
            ~Match.on_hold(),
            ~Exists(Drain.objects.filter(host=host)),
            pk=pk,
            status=Match.Status.QUEUED,
            due_at__lte=Now(),
        ),
        {
            "status": Match.Status.RUNNING,
            "started": Now(),
            "attempts_started": F("attempts_started") + 1,
            **leases.claimed(token, LEASE),
        },
    )
)
_BEGIN_ATTEMPT: Final = PreparedInsert(Attempt, now=["started", "heartbeat_at"])
_FINISH: Final = ConditionalUpdate(
    lambda pk, token: (
        Match.objects.filter(pk=pk, lease=token),
        {"status": Match.Status.FINISHED, "ended": Now(), **RELEASED},
    )
)
_FINISH_ATTEMPT: Final = ConditionalUpdate(
    lambda token: (Attempt.objects.filter(token=token), {"ending": Attempt.Ending.FINISHED, "ended": Now()})
)
_ENDINGS: Final = Prepared(
    lambda match: Attempt.objects.filter(match__pk=match).order_by().values_list("ending", flat=True)
)


def claim(match_id: int, worker: str) -> Lease[Match] | None:
    """Take a queued, due match for ``worker``; ``None`` if it is not available. One of several claims gets it.

    Only the matches of one block share a deal, and they never run at the same time. Otherwise a bot could pass
    information to another seating of the same deal. The database enforces this (``Match.Meta.constraints``). A match
    that is refused for this reason counts as not sent, so that the end of the running match can send it. No match
    begins on a paused ladder or a drained host: a match that was claimed at the same moment is played to its end.
    """
    lease, number = lease_of(match_id, uuid4()), None
    try:
        with transaction.atomic():
            claimed = _CLAIM.returning("attempts_started", pk=match_id, token=lease.token, host=host_of(worker))
            number = next(iter(claimed), None)
            if number is not None:
                _BEGIN_ATTEMPT([Attempt(match_id=match_id, number=number, token=lease.token, worker=worker[:120])])
    except IntegrityError:  # another worker has taken a match of the same block at the same moment
        if number is not None:
            raise
    if number is None:
        queued = Match.objects.filter(pk=match_id, status=Match.Status.QUEUED)
        queued.filter(Match.another_runs()).update(sent_at=None)
        return None
    return lease


def work_of(match_id: int) -> str:
    """The name of a match among the work of ``bots.worker_hosts``."""
    return f"matches/{match_id}"


def lease_of(match_id: int, token: UUID) -> Lease[Match]:
    """Return the lease that the match, or one of its attempts, names by ``token``."""
    return Lease(Match, match_id, token, LEASE)


def renew(lease: Lease[Match]) -> bool:
    """Extend the lease by ``LEASE``. Return ``False`` if this worker no longer holds it."""
    with transaction.atomic():
        renewed = lease.renew()
        if renewed:
            Attempt.objects.filter(token=lease.token).update(heartbeat_at=Now())
    return renewed


def finish(lease: Lease[Match]) -> bool:
    """End the match as finished, inside the caller's transaction. Return ``False`` if the lease is no longer held."""
    if not _FINISH(pk=lease.pk, token=lease.token):
        return False
    _FINISH_ATTEMPT(token=lease.token)
    return True


def give_back(lease: Lease[Match], ending: Attempt.Ending, failure: str, *, only: Q | None = None) -> bool:
    """End the attempt without a result: the match is queued again, or void after ``MOST_FAILURES`` failures.

    ``failure`` is public if the match becomes void. ``only`` is a further condition. Returns ``False`` if nothing was
    done.
    """
    with transaction.atomic():  # while the lease is valid, nobody else ends an attempt, so the count stands
        failures = _count(lease.pk, _FAILURES) + (ending in _FAILURES)
        after: dict[str, Any] = {"status": Match.Status.QUEUED, "due_at": Now() + RETRY_AFTER, "sent_at": None}
        if failures >= MOST_FAILURES:
            reason = f"Gave up after {failures} failed attempts. Last error: {failure[:REASON_LENGTH]}"
            after = {"status": Match.Status.VOID, "reason": reason, "ended": Now()}
        if not lease.release(only, **after):
            return False
        Attempt.objects.filter(token=lease.token).update(ending=ending, failure=failure[:REASON_LENGTH], ended=Now())
        if failures >= MOST_FAILURES:
            end_if_over(Match.objects.filter(pk=lease.pk).values_list("block", flat=True))
    return True


def play_again(lease: Lease[Match], failure: str, seats: Collection[int]) -> bool:
    """End the attempt so that the match is played again, because the machine made ``seats`` late.

    Each version has this right once per block. ``False`` means that nothing was done, because all of them have used it
    or the lease was lost.
    """
    late = Seat.objects.filter(match=lease.pk, index__in=seats)
    versions = set(late.exclude(version__reruns__block=F("match__block")).values_list("version", flat=True))
    with transaction.atomic():  # no other match of the block runs that could use these rights meanwhile
        if not versions or not give_back(lease, Attempt.Ending.DELAYED, failure):
            return False
        attempt = Attempt.objects.select_related("match").get(token=lease.token)
        Rerun.objects.bulk_create(
            Rerun(block_id=attempt.match.block_id, version_id=version, attempt=attempt) for version in sorted(versions)
        )
    return True


def delays(lease: Lease[Match]) -> int:
    """How often the match was played in vain before because the machine was late."""
    return _count(lease.pk, (Attempt.Ending.DELAYED,))


def _count(match_id: int, endings: tuple[Attempt.Ending, ...]) -> int:
    return sum(ending in endings for ending in _ENDINGS(match=match_id))


# --- Heartbeats ------------------------------------------------------------------------------------------------------


NOTICE: Final = timedelta(seconds=10)
"""How long a worker may take to notice that its match was withdrawn: the interval of its heartbeats, and some more.

Until then, no other match of the block begins.
"""


def renewed(
    lease: Lease[Match], every_s: float | None = None, on_loss: Callable[[], None] | None = None
) -> AbstractContextManager[Heartbeat]:
    """Renew ``lease`` every ``every_s`` seconds, in a separate thread with its own database connection.

    ``on_loss`` is called in another thread when the lease is lost.
    """
    every_s, lasts_s = every_s or RENEW_EVERY_S, lease.lasts.total_seconds() - GIVEN_UP_BEFORE_S
    return beating(on_database(partial(renew, lease)), f"match {lease.pk}", every_s, lasts_s, on_loss)


# --- Lost workers ----------------------------------------------------------------------------------------------------

_FAILURE: Final = f"the worker sent no heartbeat for {LEASE.seconds} s"


def expire_leases() -> int:
    """Queue again, or void, every match whose lease has run out. Returns their number. Safe to run concurrently."""
    expired = Match.objects.filter(EXPIRED, status=Match.Status.RUNNING, table=None)
    lost = [lease_of(match_id, token) for match_id, token in expired.values_list("pk", "lease") if token]
    workers = dict(Attempt.objects.filter(token__in=[lease.token for lease in lost]).values_list("token", "worker"))
    ended = 0
    for lease in lost:
        if give_back(lease, Attempt.Ending.EXPIRED, _FAILURE, only=EXPIRED):
            ended += 1
            worker_hosts.failed(workers.get(lease.token, ""), work_of(lease.pk))
    figures.EXPIRED_LEASES.add(amount=ended)
    figures.ATTEMPTS.add(Attempt.Ending.EXPIRED, amount=ended)
    return ended


# --- Live games ------------------------------------------------------------------------------------------------------


def nobody_owes(match_id: int) -> None:
    """Take back what was asked at the table of a match that has ended; for one that is no live game, nothing."""
    owing = LiveSeat.objects.filter(table=match_id, owes=True)
    owing.update(owes=False, due_at=None, deadline=None, lease=None, lease_until=None)
