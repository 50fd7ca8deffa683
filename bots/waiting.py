"""Which versions wait for a check, whose turn it is, and who has taken one up. The version's row is the queue.

A lease is a token in the version's row with an end by the database's clock; every change names the token and changes
nothing once it is not the version's any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from bots.models import Bot, BotVersion

LEASE: Final = timedelta(seconds=30)
RENEW_EVERY_S: Final = 5.0
RETRY_AFTER: Final = timedelta(seconds=30)
"""After a start that came to nothing, the next one is not before this."""

_State = BotVersion.State


@dataclass(frozen=True)
class Claim:
    """The right to say what came out of one version's check, until the database's clock says otherwise."""

    version_id: int
    token: UUID

    def row(self) -> QuerySet[BotVersion]:
        """The version, as long as it is ours."""
        return BotVersion.objects.filter(pk=self.version_id, lease=self.token)

    def renew(self) -> bool:
        """Hold it for another ``LEASE``; ``False`` when it is not ours any more."""
        return bool(self.row().update(lease_until=Now() + LEASE))

    def keep(self, **changes: Any) -> bool:
        """Write ``changes`` and hold it on; ``False`` when it is not ours any more."""
        return bool(self.row().update(lease_until=Now() + LEASE, **changes))

    def end(self, **changes: Any) -> bool:
        """Write ``changes`` and let it go; ``False`` when it was not ours any more."""
        return bool(self.row().update(lease=None, lease_until=None, **changes))


def waiting() -> QuerySet[BotVersion]:
    """The versions that somebody could take up now, also those whose worker was lost; none of a suspended bot.

    Without a join: after waiting for another claim PostgreSQL would not look again at what a subquery had found.
    """
    free = Q(state=_State.RECEIVED) | Q(state=_State.CHECKING, lease=None)
    lost = Q(state=_State.CHECKING, lease_until__lt=Now())
    due = Q(vain_starts=0) | Q(tried=None) | Q(tried__lt=Now() - RETRY_AFTER)
    return BotVersion.objects.filter((free & due) | lost, bot__in=Bot.objects.filter(suspended=None))


def another_owner_waits(version: BotVersion) -> bool:
    """Whether a version of another owner than that of ``version`` could be taken up now."""
    return waiting().exclude(bot__owner=version.bot.owner_id).exists()


def in_turn() -> QuerySet[BotVersion]:
    """The waiting versions in the order in which they are taken up, so that nobody with many keeps others waiting.

    First comes who has the fewest on trial at this moment, then whose turn was longest ago, then the oldest upload.
    """
    its_owners = BotVersion.objects.filter(bot__owner=OuterRef("bot__owner")).order_by().values("bot__owner")
    on_trial = its_owners.filter(state=_State.CHECKING, lease_until__gte=Now()).annotate(n=Count("pk")).values("n")
    last_turn = its_owners.annotate(last=Max("tried")).values("last")
    return (
        waiting()
        .annotate(on_trial=Subquery(on_trial), last_turn=Subquery(last_turn))
        .order_by(F("on_trial").asc(nulls_first=True), F("last_turn").asc(nulls_first=True), "created", "pk")
    )


def claim(version_id: int) -> Claim | None:
    """Take a waiting version up; ``None`` when it is not to be had. One of several claims gets it."""
    mine = Claim(version_id, uuid4())
    taken = waiting().filter(pk=version_id)
    changed = taken.update(
        state=_State.CHECKING,
        lease=mine.token,
        lease_until=Now() + LEASE,
        tried=Now(),
        vain_starts=F("vain_starts") + 1,
    )
    return mine if changed else None


def claim_next() -> Claim | None:
    """Take up the version whose turn it is; ``None`` when none waits."""
    return next(_claims(), None)


def _claims() -> Iterator[Claim]:
    for version_id in list(in_turn().values_list("pk", flat=True)[:20]):
        mine = claim(version_id)
        if mine is not None:
            yield mine
