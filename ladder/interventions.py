"""What staff do to matches that have not ended: a queued one is cancelled, one that was begun is void.

Who, when and why is kept, and why is shown to everybody on the match's page.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from esr_platform.accounts.errors import Refused
from esr_platform.accounts.models import User
from ladder.blocks import end_if_over
from ladder.models import Attempt, Intervention, Match
from ladder.tables.ending import rise

REASON_LENGTH: Final = 400

_ENDED: Final = "It was ended by staff."


def withdraw(match_id: int, reason: str, by: User) -> Match.Status:
    """End a match that has not ended; cancelled if nobody has begun it, else void. A worker at it is not waited for.

    What that worker brings is refused, since its lease is gone. Raises ``Refused``.
    """
    reason = by_staff(by, reason)
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).filter(pk=match_id).first()
        if match is None or match.status not in Match.PENDING:
            raise Refused(f"Match {match_id} has ended, so it cannot be withdrawn.")
        action = Intervention.Action.VOIDED if match.attempts_started else Intervention.Action.CANCELLED
        status = Match.Status.VOID if match.attempts_started else Match.Status.CANCELLED
        Match.objects.filter(pk=match.pk).update(
            status=status, reason=f"Withdrawn by staff: {reason}", lease=None, lease_until=None, ended=Now()
        )
        Attempt.objects.filter(match=match, ending=Attempt.Ending.OPEN).update(
            ending=Attempt.Ending.FAILED, failure=_ENDED, ended=Now()
        )
        rise(match.pk)
        Intervention.objects.create(match=match, action=action, reason=reason, author=by)
        end_if_over([match.block_id])
    return status


def by_staff(by: User, reason: str, read_by: str = "everybody can read it in the ledger") -> str:
    """``reason`` as it is kept, if ``by`` may correct anything and says why. Raises ``Refused``."""
    if not (by.is_staff and by.is_active):
        raise Refused("Only the people who look after the site can do that.")
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(f"Say why: {read_by}.")
    if len(reason) > REASON_LENGTH:
        raise Refused(f"The reason is longer than {REASON_LENGTH} characters.")
    return reason
