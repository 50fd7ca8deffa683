"""Validation of uploads: a worker continues the next validation, and a verdict updates the ladders of the bot."""

from __future__ import annotations

import logging
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.db.models.functions import Now

from bots import drains, reports
from bots.machines import current_test, one_may_be_repaired
from bots.models import Bot, BotVersion, WorkerHost, WorkerScope
from bots.owners import make_active
from bots.runner.launcher import Launcher
from bots.runner.spec import Program
from bots.sandbox import launcher_for_uploads, offers
from bots.sandbox.proof import RETRY_S
from bots.uploads import hints
from bots.uploads.attempt import Attempt, play
from bots.uploads.queue import claim_next, waiting, work_of
from bots.worker_hosts import leave_to_others, others_do
from esr_platform.broker import BROKER_ERRORS, messages_in
from esr_platform.leases import Lease
from esr_platform.request_ids import continue_request
from ladder.matches.play import worker_here
from ladder.matches.playing_versions import freeze
from ladder.members.memberships import enter

logger = logging.getLogger(__name__)


def validate_next(launcher: Launcher[Program] | None = None) -> BotVersion | None:
    """Continue the next validation. Returns the version if it is now ready or rejected.

    Without a sandbox nothing is claimed: uploads wait for a machine with a sandbox. The same applies on a drained
    machine. Safe to call at any time.
    """
    if drains.refuses_work_here():
        return None
    current_test()  # reports a repaired sandbox to the site
    launcher = launcher or launcher_for_uploads()
    if launcher is None:
        return None
    lease = claim_next({offer.name for offer in offers()}, worker_here())
    return None if lease is None else validate(lease, launcher)


def validate(lease: Lease[BotVersion], launcher: Launcher[Program]) -> BotVersion | None:
    """Continue the validation of a claimed version. Returns the version if it is now ready or rejected."""
    version = BotVersion.objects.select_related("bot").get(pk=lease.pk)
    continue_request(version.request_id, version=version.pk)
    attempt = Attempt(lease, version)
    return decide(attempt) if play(attempt, launcher) else None


def decide(attempt: Attempt) -> BotVersion | None:
    """End a validation with the verdict of ``attempt``. Returns the version, or ``None`` if nothing was decided.

    One transaction stores the verdict, activates the version and updates the memberships of its bot. If a worker host
    rejects a version, all its games are played again elsewhere, as long as another machine validates uploads.
    """
    lease, version, problem = attempt.lease, attempt.version, attempt.problem
    if problem and _needs_confirmation(version):
        _confirm_elsewhere(attempt)
        return None
    if version.rejected_by and not problem:
        logger.warning("version %s, which worker host %s rejected, has passed", version.pk, version.rejected_by)
    state = BotVersion.State.REJECTED if problem else BotVersion.State.READY
    with transaction.atomic():
        bot = Bot.objects.select_for_update(no_key=True).get(pk=version.bot_id)
        ended: dict[str, Any] = {
            "validated": Now(),
            "validation_report": attempt.report,
            "vain_starts": 0,
            "rejected_by": "",
        }
        if not lease.release(state=state, reason=problem, **ended):
            return None
        freeze(bot)  # before another version may play
        if not problem and not bot.versions.filter(active=True, number__gt=version.number).exists():
            make_active(version)
        if not problem:
            enter(bot)
        version.refresh_from_db()
    logger.info("validation of version %s ended as %s", version.pk, version.state)
    return version


def _needs_confirmation(version: BotVersion) -> bool:
    """Whether a worker host is the first to reject the version, and another machine can confirm that."""
    by_a_host = version.worker.startswith(WorkerHost.WORKER)
    return by_a_host and not version.rejected_by and others_do(version.worker, WorkerScope.VALIDATIONS)


def _confirm_elsewhere(attempt: Attempt) -> None:
    """Let all games of a version be played again by others than the worker host that rejects it."""
    version = attempt.version
    logger.warning("worker host %s rejects version %s, which others now validate", version.worker, version.pk)
    leave_to_others(version.worker, work_of(version.pk))
    begun = {**reports.begun(version.formats), "attempts": attempt.report["attempts"]}
    report = reports.after_failure(begun, "a worker host reported a failure of the bot, which another machine verifies")
    if attempt.lease.release(rejected_by=version.worker, vain_starts=0, validation_report=report, tried=Now()):
        hints.send()


# --- Lost hints ------------------------------------------------------------------------------------------------------

MOST_HINTS: Final = 16
"""Maximum number of hints in the queue. With more, workers would take old ones in vain, and none for this version."""


def send_hints() -> int:
    """Make sure that there is a hint for each waiting version, and return how many were sent.

    An upload and a validation that gives way send hints themselves (``bots.uploads.hints``). This replaces lost ones
    and continues validations whose break is over. If no version waits but a sandbox may be repaired, one hint per
    ``RETRY_S`` makes a machine check it.
    """
    try:
        if count := waiting().count():
            count = max(min(count, MOST_HINTS) - messages_in(hints.QUEUE), 0)
        elif one_may_be_repaired() and cache.add("sandbox-checked", True, RETRY_S):
            count = 1
    except BROKER_ERRORS as error:
        logger.warning("cannot reach Redis, no hints are sent for validations: %s", error)
        return 0
    return hints.send(count)
