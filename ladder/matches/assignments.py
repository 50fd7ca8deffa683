"""What the site does for an attempt at a match: give it to a worker, and store its result or its failure.

A Celery worker (``ladder.matches.play``) and the API of worker hosts (``ladder.worker_hosts.matches``) call the same
functions, so the same leases and constraints guard both.
"""

from __future__ import annotations

import hmac
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import F
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.programs import LostCode, NotHere
from bots.protocol import Limits, bot_seeds
from bots.runner.launcher import PlatformFailure
from bots.runner.report import MatchReport
from bots.runner.spec import MAX_REPLAYS, MatchSpec, SeatSpec
from esr_platform import figures
from esr_platform.disconnects import retry_on_disconnect
from esr_platform.leases import Lease
from esr_platform.prepared import Prepared
from esr_platform.request_ids import continue_request
from ladder.matches import pauses
from ladder.matches.leases import claim, delays, give_back, play_again
from ladder.matches.results import record_result, seats_of
from ladder.models import Attempt, Block, Match

logger = logging.getLogger(__name__)

ProgramOf = Callable[[BotVersion, bool], Any]
"""Returns the program of a version, for a rated game or not.

Raises ``NotHere`` if the worker cannot start it now, and ``LostCode`` if its archive is permanently lost.
"""

_QUEUED: Final = Prepared(
    lambda pk: (
        Match.objects.filter(pk=pk, status=Match.Status.QUEUED)
        .select_related("ladder", "block")
        .only("due_at", "ladder__name", "ladder__game", "ladder__limits", "block__purpose", "block__seed")
        .annotate(now=Now(), request_id=F("block__exhibition__request_id"))
    )
)


def seeds_key() -> bytes:
    """The key for ``bots.protocol.bot_seed``, which only this server has."""
    return hmac.digest(settings.SECRET_KEY.encode(), b"ladder/bot-seeds", "sha256")


# --- Giving a match to a worker --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assignment:
    """A match that a worker has a lease of. ``spec`` is what it plays, or why the attempt fails without a game."""

    lease: Lease[Match]
    spec: MatchSpec[Any] | PlatformFailure
    purpose: str


def assign(match_id: int, worker: str, program_of: ProgramOf) -> Assignment | None:
    """Claim a queued match for ``worker``, whose name is ``host/number``; ``None`` if it is not available to it.

    A match whose code is not on the worker's host stays queued for another host.
    """
    queued: list[Any] = _QUEUED(pk=match_id)
    if not queued:
        return None
    (match,) = queued
    continue_request(match.request_id or "", match=match_id)
    spec: MatchSpec[Any] | PlatformFailure
    try:
        spec = spec_of(match, program_of)
    except (NotHere, ImproperlyConfigured) as problem:
        logger.warning("match %s not started, remains queued: %s", match_id, problem)
        return None
    except PlatformFailure as problem:
        spec = problem
    lease = claim(match_id, worker)
    if lease is None:
        return None
    purpose = str(match.block.purpose)
    figures.WAIT.observe((match.now - match.due_at).total_seconds(), purpose)
    if isinstance(spec, MatchSpec):  # no other worker ends an attempt while the lease is held
        spec = replace(spec, played_before=delays(lease))
    return Assignment(lease, spec, purpose)


def spec_of(match: Match, program_of: ProgramOf) -> MatchSpec[Any]:
    """What the runner is told about ``match``.

    How often it was played in vain is told when it is claimed. Raises the errors of ``program_of``, and
    ``ImproperlyConfigured`` for limits of its ladder that are none or that a worker's time limit would cut short.
    """
    try:
        limits = Limits(**match.ladder.limits)
    except (TypeError, ValueError) as error:
        raise ImproperlyConfigured(f"the limits of {match.ladder} are invalid: {error}") from error
    rated, seats = match.block.purpose in Block.RATED, seats_of(match.pk)
    spec: MatchSpec[Any] = MatchSpec(
        game=match.ladder.game,
        seats=tuple(SeatSpec(str(seat.version), program_of(seat.version, rated)) for seat in seats),
        seed=bytes(match.block.seed),
        limits=limits,
        match=str(match.pk),
        bot_seeds=bot_seeds(seeds_key(), str(match.pk), len(seats)),
    )
    if spec.budget_ms > 1000 * settings.CELERY_TASK_SOFT_TIME_LIMIT:
        raise ImproperlyConfigured(
            f"the limits of {match.ladder} allow a match of {spec.budget_ms / 1000:.0f} s, which is longer than"
            f" CELERY_TASK_SOFT_TIME_LIMIT ({settings.CELERY_TASK_SOFT_TIME_LIMIT} s)."
            " Lower the limits or raise the setting"
        )
    return spec


# --- The end of an attempt -------------------------------------------------------------------------------------------


def finish(
    lease: Lease[Match],
    report: MatchReport,
    played_before: int,
    logs_of: Callable[[MatchReport], Mapping[int, bytes]],
) -> Attempt.Ending | None:
    """Store the result, or queue the match again after server lag; ``None`` if it is a duplicate or comes too late.

    Safe to repeat: one result counts. ``logs_of`` returns the packed bot logs by seat. Raises ``WrongRecord``.
    """
    if report.play_again and played_before < MAX_REPLAYS:
        late = {delay.seat for delay in report.machine_delays}
        if retry_on_disconnect(lambda: play_again(lease, _delayed(report), late)):
            return _counted(lease, Attempt.Ending.DELAYED)
        report = replace(report, play_again=False)
    logs, began_s = logs_of(report), monotonic()
    if not retry_on_disconnect(lambda: record_result(lease, report, logs)):
        logger.warning("result of match %s discarded because its lease was lost", lease.pk)
        return None
    figures.STORE.observe(monotonic() - began_s)
    for reason, number in Counter(strike.reason for seat in report.seats for strike in seat.strikes).items():
        figures.STRIKES.add(reason, amount=number)
    for forfeit in report.forfeits:
        figures.FORFEITS.add(forfeit.reason)
    return _counted(lease, Attempt.Ending.FINISHED)


def fail(
    lease: Lease[Match], ending: Attempt.Ending, reason: str, lost: LostCode | None = None
) -> Attempt.Ending | None:
    """End the attempt without a result; ``None`` if the lease was lost already.

    A bot whose code is ``lost`` is paused once this voids a match.
    """
    logger.warning("attempt of match %s ended as %s: %s", lease.pk, ending, reason)
    if not retry_on_disconnect(lambda: give_back(lease, ending, reason)):
        return None
    figures.ATTEMPTS.add(ending)
    if lost is not None and Match.objects.filter(pk=lease.pk, status=Match.Status.VOID).exists():
        pauses.begin_for_lost_code(lost.version)
    return ending


def _counted(lease: Lease[Match], ending: Attempt.Ending) -> Attempt.Ending:
    figures.ATTEMPTS.add(ending)
    logger.info("attempt of match %s ended as %s", lease.pk, ending)
    return ending


def _delayed(report: MatchReport) -> str:
    """Describe the server lag for the public match page."""
    first = report.machine_delays[0]
    asked = "the start" if first.decision is None else f"decision {first.decision}"
    return (
        f"server lag at seat {first.seat}: {asked} took {first.wall_us / 1e6:.1f} s,"
        f" including {first.machine_delay_us / 1e6:.1f} s of waiting for a processor"
    )
