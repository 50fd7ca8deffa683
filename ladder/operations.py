"""What operators do about the machinery: queue a match again, drain hosts, pause ladders and intake.

To end a match, see ``ladder.corrections.withdraw``. Each action is one transaction with its entry of the audit log. It
locks the row of the operator, so that a role that is taken away at the same moment is not used afterwards.
"""

from __future__ import annotations

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from bots import drains
from bots.models import Drain, Machine, StaffAction, WorkerHost
from esr_platform.accounts.errors import Refused
from esr_platform.accounts.limits import lock_active_user
from esr_platform.accounts.models import Intake, IntakePause, Role, User
from esr_platform.accounts.roles import reason_of_staff
from esr_platform.commits import after_commit
from esr_platform.drains import withdraw
from ladder.corrections import status_word
from ladder.matches.leases import NOTICE
from ladder.models import Attempt, Block, Intervention, Ladder, Match

STAFF_READ: Final = "The site staff can read it in the audit log."
EVERYONE_READS: Final = "Everyone can read it while the pause lasts."

_What: Final = StaffAction.What
_Action: Final = Intervention.Action


def _operator(by: User, reason: str, read_by: str) -> str:
    """Lock the row of ``by``, who must be an operator, and return ``reason`` as a sentence. Raises ``Refused``."""
    reason = reason_of_staff(lock_active_user(by.pk), reason, Role.OPERATOR, read_by)
    return reason if reason.endswith((".", "!", "?", "…")) else f"{reason}."


# --- Matches ---------------------------------------------------------------------------------------------------------

_REQUEUED: Final = "An operator queued the match again."


def requeue(match_id: int, reason: str, by: User) -> Match:
    """Send a queued match to the workers at once, or take a running match from its worker and queue it again.

    A result of that worker is discarded, because its lease has ended. Other matches of its block wait until the worker
    has noticed. The attempt does not count as a failure. Raises ``Refused``.
    """
    with transaction.atomic():
        reason = _operator(by, reason, STAFF_READ)
        held = Match.objects.select_for_update(no_key=True, of=("self",)).select_related("block")
        match = held.filter(pk=match_id).first()
        if match is None:
            raise Refused(f"Match {match_id} not found. Its number is in the URL of its page.", code="match_ended")
        if match.status not in Match.PENDING:
            raise Refused(f"Match {match_id} is {status_word(match.status)}. Nothing was changed.", code="match_ended")
        if match.block.purpose in Block.DRIVEN_BY_REQUESTS:
            raise Refused(f"Match {match_id} is a live game, which has no worker. Void it instead.", code="live_match")
        if match.status == Match.Status.RUNNING:
            others = Match.objects.filter(block=match.block_id, status=Match.Status.QUEUED)
            others.filter(due_at__lt=Now() + NOTICE).update(due_at=Now() + NOTICE, sent_at=None)
            Match.objects.filter(pk=match.pk).update(
                status=Match.Status.QUEUED, due_at=Now() + NOTICE, sent_at=None, lease=None, lease_until=None
            )
            Attempt.objects.filter(match=match, ending=Attempt.Ending.OPEN).update(
                ending=Attempt.Ending.WITHDRAWN, failure=_REQUEUED, ended=Now()
            )
        else:
            Match.objects.filter(pk=match.pk).update(sent_at=None)
        Intervention.objects.create(match=match, action=_Action.REQUEUED, reason=reason, author=by)
    match.refresh_from_db()
    return match


# --- Hosts -----------------------------------------------------------------------------------------------------------


def drain(host: str, reason: str, by: User) -> None:
    """Give no new work to ``host``, which finishes what it has begun. Raises ``Refused``.

    ``host`` is as in the names of workers: the name of a machine of the site, or ``WorkerHost.worker``.
    """
    with transaction.atomic():
        reason = _operator(by, reason, STAFF_READ)
        name = host.removeprefix(WorkerHost.WORKER)
        live = WorkerHost.objects.live().filter(name=name) if name != host else Machine.objects.filter(host=host)
        if not live.exists():
            raise Refused(f"Host {host} not found. `manage.py operations` lists the hosts.", code="unknown_host")
        _row, created = Drain.objects.get_or_create(host=host, defaults={"reason": reason, "by": by})
        if not created:
            raise Refused(f"{host} is already drained. Nothing was changed.", code="already_drained")
        StaffAction.objects.create(by=by, what=_What.DRAINED_HOST, subject=host, reason=reason)
        after_commit(drains.announce_all)


def resume_host(host: str, reason: str, by: User) -> None:
    """Give work to a drained host again. Raises ``Refused``."""
    with transaction.atomic():
        reason = _operator(by, reason, STAFF_READ)
        if not Drain.objects.filter(host=host).delete()[0]:
            raise Refused(f"{host} is not drained. Nothing was changed.", code="not_drained")
        StaffAction.objects.create(by=by, what=_What.RESUMED_HOST, subject=host, reason=reason)
        after_commit(withdraw, host)


# --- Ladders ---------------------------------------------------------------------------------------------------------


def pause(ladder: Ladder, reason: str, by: User) -> None:
    """Begin no match of ``ladder``, also of its cups and exhibitions. Running matches are finished. Raises ``Refused``.

    The row of the ladder is locked, as by everything that begins a live game or fills the queue.
    """
    with transaction.atomic():
        reason = _operator(by, reason, EVERYONE_READS)
        rows = Ladder.objects.filter(pk=ladder.pk, paused=None)
        if not rows.update(paused=Now(), pause_reason=reason):
            raise Refused(f"{ladder} is already paused. Nothing was changed.", code="already_paused")
        Intervention.objects.create(ladder=ladder, action=_Action.PAUSED, reason=reason, author=by)


def resume(ladder: Ladder, reason: str, by: User) -> None:
    """Let matches of a paused ladder begin again. Raises ``Refused``."""
    with transaction.atomic():
        reason = _operator(by, reason, STAFF_READ)
        rows = Ladder.objects.filter(pk=ladder.pk, paused__isnull=False)
        if not rows.update(paused=None, pause_reason=""):
            raise Refused(f"{ladder} is not paused. Nothing was changed.", code="not_paused")
        Intervention.objects.create(ladder=ladder, action=_Action.RESUMED, reason=reason, author=by)


# --- Intake ----------------------------------------------------------------------------------------------------------


def pause_intake(kind: Intake, reason: str, by: User) -> None:
    """Accept no new uploads, accounts or guests. Raises ``Refused``."""
    with transaction.atomic():
        reason = _operator(by, reason, EVERYONE_READS)
        _row, created = IntakePause.objects.get_or_create(kind=kind, defaults={"reason": reason, "by": by})
        if not created:
            raise Refused(f"{kind.label}: already paused. Nothing was changed.", code="already_paused")
        StaffAction.objects.create(by=by, what=_What.PAUSED_INTAKE, subject=kind, reason=reason)


def resume_intake(kind: Intake, reason: str, by: User) -> None:
    """Accept uploads, accounts or guests again. Raises ``Refused``."""
    with transaction.atomic():
        reason = _operator(by, reason, STAFF_READ)
        if not IntakePause.objects.filter(kind=kind).delete()[0]:
            raise Refused(f"{kind.label}: not paused. Nothing was changed.", code="not_paused")
        StaffAction.objects.create(by=by, what=_What.RESUMED_INTAKE, subject=kind, reason=reason)
