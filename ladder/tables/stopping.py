"""A live game stops without a result, in the transaction that holds its match: it is void, or its players ended it."""

from __future__ import annotations

from typing import Final

from django.db.models.functions import Now

from ladder.blocks import end_if_over
from ladder.models import Attempt, Chair, Match

_REASON: Final = 400


def stop(match: Match, status: Match.Status, reason: str) -> None:
    """End ``match``, which runs, as ``status``, with the reason for everybody; nobody owes anything any more."""
    Match.objects.filter(pk=match.pk).update(
        status=status, reason=reason[:_REASON], lease=None, lease_until=None, ended=Now()
    )
    Attempt.objects.filter(match=match.pk, ending=Attempt.Ending.OPEN).update(
        ending=Attempt.Ending.FAILED, failure=reason[:_REASON], ended=Now()
    )
    nobody_owes(match.pk)
    end_if_over([match.block_id])


def nobody_owes(match_id: int) -> None:
    """Take back what was asked at the table of a match that has ended; for one that is no live game, nothing."""
    Chair.objects.filter(table=match_id, owes=True).update(owes=False, due_at=None, deadline=None)
