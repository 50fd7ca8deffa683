"""Games that are played again on another machine, to check the worker host that has played them.

The games of house bots follow from their seeds alone. Some of those that a host has played are played again, once their
deal is public, by a Celery worker or another host. No host can tell which ones.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from datetime import timedelta
from secrets import SystemRandom
from typing import Any, Final
from uuid import UUID

from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db.models import F
from django.db.models.functions import Now

from bots import worker_hosts
from bots.models import BotVersion, WorkerHost, WorkerScope
from bots.programs import NotHere, house_bot
from bots.runner.launcher import PlatformFailure
from bots.runner.report import MatchReport
from bots.runner.spec import MatchSpec
from bots.uploads.storage import ArchiveLost
from bots.worker.documents import game_document
from bots.worker.play import Play, played
from bots.worker_hosts import Abilities, host_of
from esr_platform import figures
from esr_platform import leases as rows
from esr_platform.broker import BROKER_ERRORS
from esr_platform.heartbeats import Heartbeat, LeaseLost, beating
from esr_platform.leases import EXPIRED, FREE, RENEW_EVERY_S, Lease
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.matches.assignments import ProgramOf, spec_of
from ladder.matches.dispatch import QUEUE
from ladder.matches.play import program_here, worker_here
from ladder.matches.results import seats_of
from ladder.models import Attempt, Recheck, Result
from ladder.packing import unpack
from ladder.worker_hosts import reports
from ladder.worker_hosts.kinds import Held, Kind, LeaseGone, of_host, program_for
from ladder.worker_hosts.reports import BadReport

logger = logging.getLogger(__name__)

MOST_TRIES: Final = 5
"""How often a game is given out to be played again at most."""

TASK: Final = "ladder.tasks.play_again"
SEND_EVERY_S: Final = 60

_FREE: Final = Recheck.objects.filter(FREE, outcome="waiting")
_TO_PLAY: Final = _FREE.filter(tries__lt=MOST_TRIES)
_WAITING: Final = Prepared(lambda: _TO_PLAY.order_by().values_list("pk")[:1])


def sample(match_id: int) -> None:
    """Let a share of the games of house bots that hosts have played be played again."""
    if SystemRandom().random() >= settings.WORKER_RECHECK_PERCENT / 100:
        return
    if all(house_bot(seat.version) is not None for seat in seats_of(match_id)):
        Recheck.objects.get_or_create(result=Result.objects.only("pk").get(match=match_id))


def give_up() -> int:
    """End rechecks that were given out too often; how many. Safe to run concurrently."""
    unknown = {"outcome": Recheck.Outcome.UNKNOWN, "detail": "no host brought the game", "ended": Now()}
    return _FREE.filter(tries__gte=MOST_TRIES).update(**unknown, **rows.RELEASED)


# --- Celery workers --------------------------------------------------------------------------------------------------


def send() -> None:
    """Ask a Celery worker to play a game again, if one waits. Where none plays matches, the message expires."""
    if _WAITING() and cache.add("recheck-sent", True, SEND_EVERY_S):
        try:
            current_app.send_task(TASK, queue=QUEUE, expires=SEND_EVERY_S)
        except BROKER_ERRORS as error:
            logger.warning("broker unavailable, no game is played again: %s", error)


def play(runner: Play | None = None) -> Recheck.Outcome | None:
    """Play a waiting game again in this Celery worker, and compare it; the outcome, ``None`` without one."""
    claimed = _claim(worker_here(), program_here)
    if claimed is None:
        return None
    lease, spec = claimed

    def unrenewed(_: object) -> AbstractContextManager[Heartbeat]:
        return beating(lambda: True, f"recheck {lease.pk}", RENEW_EVERY_S)

    try:
        with played(spec, unrenewed, settings.VAR_DIR, runner) as match:
            return _compare(lease, match.report)
    except (PlatformFailure, LeaseLost, LeaseGone) as failure:
        logger.warning("recheck %s not played: %s", lease.pk, failure)
        lease.release()
    return None


# --- Worker hosts ----------------------------------------------------------------------------------------------------


class Rechecks(Kind):
    """Games that another worker has played."""

    name, scope = "rechecks", WorkerScope.MATCHES

    def waits(self) -> bool:
        return bool(_WAITING())

    def next_for(self, host: WorkerHost, worker: str, abilities: Abilities) -> Document | None:  # noqa: ARG002
        claimed = _claim(worker, program_for(abilities))
        return None if claimed is None else self.assignment(claimed[0], game_document(claimed[1]))

    def held(self, host: WorkerHost, row: int, token: UUID) -> Held | None:
        recheck = Recheck.objects.filter(pk=row, lease=token, **of_host(host)).first()
        return None if recheck is None else HeldRecheck(recheck, token)


class HeldRecheck(Held):
    """A game that a host plays again."""

    def __init__(self, recheck: Recheck, token: UUID) -> None:
        self.lease, self.work = Lease(Recheck, recheck.pk, token, _lasts()), _work_of(recheck.pk)
        self.worker = recheck.worker

    def renew(self) -> bool:
        return self.lease.row.exclude(EXPIRED).exists()

    def versions(self) -> list[BotVersion]:
        return []  # the code of house bots is part of the release

    def lose(self, version: BotVersion, lost: ArchiveLost) -> None:  # noqa: ARG002
        self.lease.release()

    def bring(self, data: bytes) -> str:
        match_id = Recheck.objects.values_list("result__match", flat=True).get(pk=self.lease.pk)
        try:
            report = reports.report_of(reports.unpacked(data, reports.SentMatch), seats_of(match_id))
        except BadReport:
            self.lease.release()
            worker_hosts.failed(self.worker, self.work)
            raise
        compared = _compare(self.lease, report)
        return str(Attempt.Ending.DELAYED if compared is None else Attempt.Ending.FINISHED)

    def give_up(self, code: str) -> bool:
        if code == "returned":
            return self.lease.release(tries=F("tries") - 1)
        return self.lease.release()


def _lasts() -> timedelta:
    """How long a worker may take. The lease is never extended, so a host cannot keep a game from being played again."""
    return timedelta(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT)


def _work_of(pk: int) -> str:
    return f"rechecks/{pk}"


# --- Both ------------------------------------------------------------------------------------------------------------


def _claim(worker: str, program_of: ProgramOf) -> tuple[Lease[Recheck], MatchSpec[Any]] | None:
    """Claim a game that another machine than that of ``worker`` has played, and return what is played."""
    if not _WAITING():
        return None
    others = _TO_PLAY.filter(result__match__block__ended__isnull=False)
    others = others.exclude(result__attempt__worker__startswith=f"{host_of(worker)}/").order_by("pk")
    recheck = others.select_related("result__match__ladder", "result__match__block").first()
    if recheck is None or worker_hosts.has_failed(worker, _work_of(recheck.pk)):
        return None
    lost = recheck.worker if recheck.lease is not None else ""
    lease = rows.claim(_FREE, recheck.pk, _lasts(), worker=worker, tries=F("tries") + 1)
    if lease is None:
        return None
    worker_hosts.failed(lost, _work_of(recheck.pk))
    try:
        return lease, spec_of(recheck.result.match, program_of)
    except NotHere as problem:  # the code of a house bot was replaced
        _end(lease, Recheck.Outcome.UNKNOWN, str(problem))
        return None


def _compare(lease: Lease[Recheck], report: MatchReport) -> Recheck.Outcome | None:
    """Compare a game that was played again with the stored one; ``None`` if it says nothing. Raises ``LeaseGone``."""
    result = Recheck.objects.select_related("result__match").get(pk=lease.pk).result
    if report.machine_delays:  # a late answer changes the game
        lease.release()
        return None
    difference = _difference(unpack(bytes(result.packed_record)), report.record)
    outcome = Recheck.Outcome.DIFFERENT if difference else Recheck.Outcome.SAME
    if not _end(lease, outcome, difference):
        raise LeaseGone
    figures.RECHECKS.add(outcome)
    if difference:
        logger.error("match %s differs if it is played again: %s", result.match_id, difference)
    return outcome


def _end(lease: Lease[Recheck], outcome: Recheck.Outcome, detail: str) -> bool:
    return lease.release(outcome=outcome, detail=detail[:300], ended=Now())


def _difference(stored: Document, again: Document) -> str:
    pairs = enumerate(zip(stored["steps"], again.get("steps") or [], strict=False))
    for number, (first, second) in pairs:
        if first != second:
            return f"step {number}"
    return "" if stored == again else "the end of the game"
