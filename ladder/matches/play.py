"""One attempt at one match: claim it, have it played, submit its result. The runner never sees the database."""

from __future__ import annotations

import hmac
import logging
import os
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from time import monotonic
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models import F
from django.db.models.functions import Now

from bots.programs import LostCode, NotHere, program_of
from bots.protocol import Limits
from bots.runner.bot_log import Transcript
from bots.runner.launcher import NoCoreFree, Observer, PlatformFailure
from bots.runner.play import play_match
from bots.runner.report import MatchReport
from bots.runner.spec import MAX_REPLAYS, MatchSpec, SeatSpec, StoredProgram
from bots.sandbox import CoreUse, launcher_for_ladder, shared_core
from esr_platform import figures
from esr_platform.disconnects import retry_on_disconnect
from esr_platform.leases import Lease, LeaseLost
from esr_platform.prepared import Prepared
from esr_platform.request_ids import continue_request
from ladder.matches import pauses
from ladder.matches.leases import LeasedProcesses, WhileLeased, claim, delays, give_back, play_again, renewed
from ladder.matches.logs import packed_logs
from ladder.matches.machines import trouble
from ladder.matches.results import WrongRecord, record_result, seats_of
from ladder.models import Attempt, Block, Match


def seeds_key() -> bytes:
    """The key for ``bots.protocol.bot_seed``, which only this server has."""
    return hmac.digest(settings.SECRET_KEY.encode(), b"ladder/bot-seeds", "sha256")


logger = logging.getLogger(__name__)

_QUEUED: Final = Prepared(
    lambda pk: (
        Match.objects.filter(pk=pk, status=Match.Status.QUEUED)
        .select_related("ladder", "block")
        .only("due_at", "ladder__name", "ladder__game", "ladder__limits", "block__purpose", "block__seed")
        .annotate(now=Now(), request_id=F("block__exhibition__request_id"))
    )
)

Play = Callable[[MatchSpec[Any], Observer | None], MatchReport]
"""Plays one game to its end, watched; raises ``PlatformFailure`` if that is the platform's fault."""


def play(match_id: int, runner: Play | None = None) -> Attempt.Ending | None:
    """Claim and play a match; how the attempt ended, ``None`` if there was nothing to claim or it was too late.

    Safe to call any number of times, at once and again: one claim wins, and one result counts. A match whose code is
    not on this machine stays queued for one that has it, and so does every match while this machine rests. A bot whose
    code is lost is paused once this voids a match.
    """
    queued: list[Any] = _QUEUED(pk=match_id)
    if not queued:
        return None
    (match,) = queued
    continue_request(match.request_id or "", match=match_id)
    spec: MatchSpec[Any] | PlatformFailure
    try:
        spec = spec_of(match)
    except (NotHere, ImproperlyConfigured) as problem:
        logger.warning("match %s not started, remains queued: %s", match_id, problem)
        return None
    except PlatformFailure as problem:
        spec = problem  # the attempt fails without a game
    host = socket.gethostname()
    lease = None if trouble(host) else claim(match_id, f"{host}/{os.getpid()}")
    if lease is None:
        return None
    purpose = str(match.block.purpose)
    figures.WAIT.observe((match.now - match.due_at).total_seconds(), purpose)
    ending = Attempt.Ending.FAILED
    try:
        return _attempt(lease, spec, purpose, runner)
    except LeaseLost:
        ending, reason = Attempt.Ending.EXPIRED, "the lease of the match could not be renewed"
    except (PlatformFailure, WrongRecord) as failure:
        ending, reason = Attempt.Ending.BUSY if isinstance(failure, NoCoreFree) else ending, str(failure)
    except Exception as error:  # the border of the worker: whatever it is, it is ours, and the match is played again
        logger.exception("attempt of match %s failed", match_id)
        reason = f"internal error ({type(error).__name__})"
    logger.warning("attempt of match %s ended as %s: %s", match_id, ending, reason)
    if not retry_on_disconnect(lambda: give_back(lease, ending, reason)):
        return None
    figures.ATTEMPTS.add(ending)
    if isinstance(spec, LostCode) and Match.objects.filter(pk=match_id, status=Match.Status.VOID).exists():
        pauses.begin_for_lost_code(spec.version)
    return ending


def _attempt(
    lease: Lease[Match], spec: MatchSpec[Any] | PlatformFailure, purpose: str, runner: Play | None
) -> Attempt.Ending | None:
    if isinstance(spec, PlatformFailure):
        raise spec
    spec = replace(spec, played_before=delays(lease))  # no other worker ends an attempt while the lease is held
    uploaded = [index for index, seat in enumerate(spec.seats) if isinstance(seat.program, StoredProgram)]
    transcript = Transcript(len(spec.seats), uploaded) if uploaded else None  # house bots have no owner who reads it
    processes = LeasedProcesses[Any]()
    with renewed(lease, on_loss=processes.kill) as heart:
        observer = WhileLeased(heart, transcript)
        began_s = monotonic()
        if runner is not None:
            report = runner(spec, observer)
        else:
            with shared_core(CoreUse.MATCHES, settings.VAR_DIR) as core:
                report = play_match(spec, processes.of(launcher_for_ladder()), observer, core=core)
        figures.PLAY.observe(monotonic() - began_s, purpose)
        if report.play_again and spec.played_before < MAX_REPLAYS:
            late = {delay.seat for delay in report.machine_delays}
            if retry_on_disconnect(lambda: play_again(lease, _delayed(report), late)):
                return _counted(lease, Attempt.Ending.DELAYED)
            report = replace(report, play_again=False)
        logs, began_s = packed_logs(report, transcript), monotonic()
        result = retry_on_disconnect(lambda: record_result(lease, report, logs))  # safe: a second one is refused
    if result:
        figures.STORE.observe(monotonic() - began_s)
        _count_failures(report)
        return _counted(lease, Attempt.Ending.FINISHED)
    logger.warning("result of match %s discarded because its lease was lost", lease.pk)
    return None


def _counted(lease: Lease[Match], ending: Attempt.Ending) -> Attempt.Ending:
    figures.ATTEMPTS.add(ending)
    logger.info("attempt of match %s ended as %s", lease.pk, ending)
    return ending


def _count_failures(report: MatchReport) -> None:
    for reason, number in Counter(strike.reason for seat in report.seats for strike in seat.strikes).items():
        figures.STRIKES.add(reason, amount=number)
    for forfeit in report.forfeits:
        figures.FORFEITS.add(forfeit.reason)


def spec_of(match: Match) -> MatchSpec[Any]:
    """What the runner is told about ``match``.

    How often it was played in vain is told when it is claimed. Raises ``NotHere`` where a seat's code cannot be started
    or had on this machine now, ``LostCode`` where it is lost, ``ImproperlyConfigured`` for limits of its ladder that
    are none or that a worker's time limit would cut short.
    """
    try:
        limits = Limits(**match.ladder.limits)
    except (TypeError, ValueError) as error:
        raise ImproperlyConfigured(f"the limits of {match.ladder} are invalid: {error}") from error
    rated = match.block.purpose in Block.RATED
    spec: MatchSpec[Any] = MatchSpec(
        game=match.ladder.game,
        seats=tuple(SeatSpec(str(seat.version), program_of(seat.version, rated=rated)) for seat in seats_of(match.pk)),
        seed=bytes(match.block.seed),
        limits=limits,
        key=seeds_key(),
        match=str(match.pk),
    )
    if spec.budget_ms > 1000 * settings.CELERY_TASK_SOFT_TIME_LIMIT:
        raise ImproperlyConfigured(
            f"the limits of {match.ladder} allow a match of {spec.budget_ms / 1000:.0f} s, which is longer than"
            f" CELERY_TASK_SOFT_TIME_LIMIT ({settings.CELERY_TASK_SOFT_TIME_LIMIT} s)."
            " Lower the limits or raise the setting"
        )
    return spec


def _delayed(report: MatchReport) -> str:
    """Describe the server lag for the public match page."""
    first = report.machine_delays[0]
    asked = "the start" if first.decision is None else f"decision {first.decision}"
    return (
        f"server lag at seat {first.seat}: {asked} took {first.wall_us / 1e6:.1f} s,"
        f" including {first.machine_delay_us / 1e6:.1f} s of waiting for a processor"
    )
