"""The validation queue: which uploaded versions wait, in which order, and the lease of the worker that has one.

The rows of the versions are the queue (``bots.uploads.attempt`` plays). An undecided version waits for the end of its
break. A newer version of the bot replaces an undecided one, which is then no longer tried.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from django.db.models import Case, Count, F, Max, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Now

from bots import worker_hosts
from bots.languages import LANGUAGES
from bots.models import Bot, BotVersion
from esr_platform import leases
from esr_platform.leases import EXPIRED, Lease

LEASE: Final = timedelta(seconds=30)
RETRY_AFTER: Final = timedelta(seconds=30)
"""Minimum time between an attempt that the site has spoiled and the next one."""

CANDIDATES: Final = 20
"""How many versions a worker tries to claim at most."""

_State = BotVersion.State


def waiting() -> QuerySet[BotVersion]:
    """Return the versions that can be validated now, including those with a lost worker; none of suspended bots."""
    free = Q(state=_State.RECEIVED) | Q(state=_State.VALIDATING, lease=None)
    lost = Q(EXPIRED, state=_State.VALIDATING)
    due = Q(vain_starts=0) | Q(tried=None) | Q(tried__lt=Now() - RETRY_AFTER)
    again = _undecided() & Q(retry_at__lte=Now())
    return BotVersion.objects.filter((free & due) | lost | again, bot__in=Bot.objects.filter(suspended=None))


def undecided() -> QuerySet[BotVersion]:
    """Return the undecided versions that are tried again: those that are the newest of their bot."""
    return BotVersion.objects.filter(_undecided())


def _undecided() -> Q:
    newest = BotVersion.objects.filter(bot=OuterRef("bot")).order_by().values("bot").annotate(last=Max("number"))
    return Q(state=_State.UNDECIDED, number=Subquery(newest.values("last")))


def another_owner_waits(version: BotVersion) -> bool:
    """Whether a version of another owner is waiting."""
    return waiting().exclude(bot__owner=version.bot.owner_id).exists()


def in_turn() -> QuerySet[BotVersion]:
    """Return the waiting versions in fair order.

    Owners with the fewest running validations come first, then those whose last turn is longest ago, then old uploads.
    """
    of_owner = BotVersion.objects.filter(bot__owner=OuterRef("bot__owner")).order_by().values("bot__owner")
    on_trial = of_owner.filter(state=_State.VALIDATING, lease_until__gte=Now()).annotate(n=Count("pk")).values("n")
    last_turn = of_owner.annotate(last=Max("tried")).values("last")
    return (
        waiting()
        .annotate(on_trial=Subquery(on_trial), last_turn=Subquery(last_turn))
        .order_by(F("on_trial").asc(nulls_first=True), F("last_turn").asc(nulls_first=True), "created", "pk")
    )


def claim(version_id: int, worker: str = "") -> Lease[BotVersion] | None:
    """Claim a waiting version for ``worker``; ``None`` if it is not available."""
    lost = BotVersion.objects.filter(EXPIRED, pk=version_id).values_list("worker", flat=True).first()
    vain_starts = Case(When(state=_State.UNDECIDED, then=Value(1)), default=F("vain_starts") + 1)
    lease = leases.claim(
        waiting(),
        version_id,
        LEASE,
        state=_State.VALIDATING,
        tried=Now(),
        vain_starts=vain_starts,
        reason="",
        retry_at=None,
        worker=worker,
    )
    if lease is not None and lost is not None:
        worker_hosts.failed(lost, work_of(version_id))
    return lease


def work_of(version_id: int) -> str:
    """The name of a validation among the work of ``bots.worker_hosts``."""
    return f"validations/{version_id}"


def next_in_turn(languages: Collection[str]) -> list[int]:
    """Return the first waiting versions in order that are written in one of ``languages``."""
    return list(in_turn().filter(language__in=languages).values_list("pk", flat=True)[:CANDIDATES])


def claim_next(languages: Collection[str] = LANGUAGES.keys(), worker: str = "") -> Lease[BotVersion] | None:
    """Claim the next version in order that is written in one of ``languages``; ``None`` if none is waiting."""
    claims = (claim(version_id, worker) for version_id in next_in_turn(languages))
    return next((lease for lease in claims if lease is not None), None)
