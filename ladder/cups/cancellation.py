"""Cancel a cup, or queued games of cups."""

from __future__ import annotations

from django.db.models import QuerySet
from django.db.models.functions import Now

from esr_platform.accounts.models import User
from ladder.cups import ledger
from ladder.models import Cup, CupRound, Match


def cancel(cup: Cup, reason: str, author: User | None = None) -> None:
    """Cancel an open cup. Call it in a transaction that holds its row."""
    Cup.objects.filter(pk=cup.pk).update(state=Cup.State.CANCELLED, reason=reason, ended=Now())
    CupRound.objects.filter(cup=cup, ended=None).update(stopped=True)
    cup.state = Cup.State.CANCELLED
    ledger.append(cup, ledger.Kind.CANCELLED, {}, author, reason)


def cancel_queued(matches: QuerySet[Match], reason: str) -> int:
    """Cancel those of ``matches`` that are queued, in a transaction that holds the row of their cup; how many."""
    queued = Match.objects.filter(pk__in=matches.values("pk"), status=Match.Status.QUEUED)  # a worker may claim one
    return queued.update(status=Match.Status.CANCELLED, reason=reason, ended=Now())
