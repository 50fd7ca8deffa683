"""One attempt at one match by a Celery worker: claim it, have it played, submit its result."""

from __future__ import annotations

import logging
import os
import socket
from functools import partial

from django.conf import settings

from bots import drains
from bots.models import BotVersion
from bots.programs import LostCode, program_of
from bots.runner.launcher import NoCoreFree, PlatformFailure
from bots.runner.spec import HouseProgram, StoredProgram
from bots.worker.play import Play, played
from bots.worker_hosts import host_of
from esr_platform import figures
from esr_platform.heartbeats import LeaseLost
from ladder.matches.assignments import Assignment, assign, fail, finish
from ladder.matches.leases import renewed
from ladder.matches.logs import packed_logs
from ladder.matches.machines import trouble
from ladder.matches.results import WrongRecord
from ladder.models import Attempt, Match

logger = logging.getLogger(__name__)


def play(match_id: int, runner: Play | None = None) -> Attempt.Ending | None:
    """Claim and play a match; how the attempt ended, ``None`` if there was nothing to claim or it was too late.

    Safe to call any number of times, at once and again: one claim wins, and one result counts. A machine that rests
    (``ladder.matches.machines``) claims nothing.
    """
    worker = worker_here()
    assignment = None if trouble(host_of(worker)) else assign(match_id, worker, program_here)
    if assignment is None:
        if drains.refuses_work_here():  # the message is lost, so another one is sent soon
            Match.objects.filter(pk=match_id, status=Match.Status.QUEUED).update(sent_at=None)
        return None
    ending, lost = Attempt.Ending.FAILED, None
    try:
        return _attempt(assignment, runner)
    except LeaseLost:
        ending, reason = Attempt.Ending.EXPIRED, "the lease of the match could not be renewed"
    except (PlatformFailure, WrongRecord) as failure:
        ending, reason = Attempt.Ending.BUSY if isinstance(failure, NoCoreFree) else ending, str(failure)
        lost = failure if isinstance(failure, LostCode) else None
    except Exception as error:  # the border of the worker: whatever it is, it is ours, and the match is played again
        logger.exception("attempt of match %s failed", match_id)
        reason = f"internal error ({type(error).__name__})"
    return fail(assignment.lease, ending, reason, lost)


def worker_here() -> str:
    """The name of this process among the workers."""
    return f"{socket.gethostname()}/{os.getpid()}"


def program_here(version: BotVersion, rated: bool) -> HouseProgram | StoredProgram:
    """The program of ``version`` on this machine. Raises ``NotHere`` and ``LostCode``."""
    return program_of(version, rated=rated)


def _attempt(assignment: Assignment, runner: Play | None) -> Attempt.Ending | None:
    lease, spec = assignment.lease, assignment.spec
    if isinstance(spec, PlatformFailure):
        raise spec
    with played(spec, lambda kill: renewed(lease, on_loss=kill), settings.VAR_DIR, runner) as match:
        figures.PLAY.observe(match.wall_s, assignment.purpose)
        return finish(lease, match.report, spec.played_before, partial(packed_logs, transcript=match.transcript))
