"""Matches for worker hosts. A match that failed on one host is left to others, so that no host can void it alone."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Case, F, IntegerField, When
from django.db.models.functions import Now
from django.utils import timezone

from bots import worker_hosts
from bots.models import BotVersion, WorkerHost, WorkerScope
from bots.programs import LostCode
from bots.runner.launcher import PlatformFailure
from bots.uploads.storage import ArchiveLost
from bots.worker.documents import game_document
from bots.worker_hosts import Abilities
from esr_platform import figures
from esr_platform.disconnects import DISCONNECTED
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.matches import dispatch
from ladder.matches.assignments import assign, fail, finish
from ladder.matches.leases import delays, lease_of, renew, work_of
from ladder.matches.results import WrongRecord, seats_of
from ladder.matches.traffic import SEND_AGAIN
from ladder.models import Attempt, Match
from ladder.worker_hosts import rechecks, reports
from ladder.worker_hosts.kinds import GIVEN_UP, Held, Kind, LeaseGone, of_host, program_for, require_room
from ladder.worker_hosts.reports import BadReport

logger = logging.getLogger(__name__)

CANDIDATES: Final = 64

_OPEN: Final = Match.objects.filter(
    ~Match.another_runs(),
    ~Match.on_hold(),
    status=Match.Status.QUEUED,
    due_at__lte=Now(),
    sent_at__gte=Now() - SEND_AGAIN,
)
"""Matches that the scheduler has sent to the workers (``ladder.matches.dispatch``) and that none has begun."""

_FIRST: Final = Case(When(priority__gt=0, then=F("priority")), default=0, output_field=IntegerField())
_SENT: Final = Prepared(
    lambda: (
        _OPEN.annotate(first=_FIRST)
        .order_by("-first", "sent_at", "pk")
        .values_list("pk", "attempts_started")[:CANDIDATES]
    )
)
_ANSWERED: Final = (Attempt.Ending.FINISHED, Attempt.Ending.DELAYED)
_GONE: Final = {
    Attempt.Ending.EXPIRED: ("lease_expired", "The lease was not renewed in time. Another worker plays the match."),
    Attempt.Ending.WITHDRAWN: ("lease_withdrawn", "The match was withdrawn. Its result is not needed."),
}


class Matches(Kind):
    """Matches of ladders, cups and exhibitions that the scheduler has sent."""

    name, scope = "matches", WorkerScope.MATCHES

    def waits(self) -> bool:
        return bool(_SENT())

    def next_for(self, host: WorkerHost, worker: str, abilities: Abilities) -> Document | None:
        program_of, sent = program_for(abilities), _SENT()
        if sent:
            require_room(Attempt.objects.filter(ending=Attempt.Ending.OPEN, **of_host(host)))
        for match_id, attempts in sent:
            if attempts and worker_hosts.has_failed(worker, work_of(match_id)):
                continue
            given = assign(match_id, worker, program_of)
            if given is None:
                continue
            if isinstance(given.spec, PlatformFailure):
                lost = given.spec if isinstance(given.spec, LostCode) else None
                fail(given.lease, Attempt.Ending.FAILED, str(given.spec), lost)
                continue
            return self.assignment(given.lease, game_document(given.spec))
        return None

    def held(self, host: WorkerHost, row: int, token: UUID) -> Held | None:
        attempts = Attempt.objects.filter(match=row, token=token, **of_host(host))
        attempt = attempts.select_related("match__block").first()
        return None if attempt is None else HeldMatch(attempt)


class HeldMatch(Held):
    """A match that a host plays, or has played: a repeated result gets the same answer."""

    def __init__(self, attempt: Attempt) -> None:
        self.attempt, self.match_id = attempt, attempt.match_id
        self.lease, self.work = lease_of(attempt.match_id, attempt.token), work_of(attempt.match_id)

    def renew(self) -> bool:
        longest = timedelta(seconds=settings.CELERY_TASK_SOFT_TIME_LIMIT)
        return self.attempt.started > timezone.now() - longest and renew(self.lease)

    def versions(self) -> list[BotVersion]:
        if not self.lease.row.exists():
            raise self.gone()
        return [seat.version for seat in seats_of(self.match_id)]

    def lose(self, version: BotVersion, lost: ArchiveLost) -> None:
        fail(self.lease, Attempt.Ending.FAILED, str(lost), LostCode(version, str(lost)))

    def bring(self, data: bytes) -> str:
        attempt, lease = self.attempt, self.lease
        if attempt.ending in _ANSWERED:
            return str(attempt.ending)
        try:
            seats = seats_of(self.match_id)
            sent = reports.unpacked(data, reports.SentMatch)
            report = reports.report_of(sent, seats)
            logs = lambda final: reports.packed_logs(sent.logs, final, seats)  # noqa: E731
            ending = finish(lease, report, delays(lease), logs)
        except DISCONNECTED:  # nothing was stored, and the host repeats the request
            raise
        except (WrongRecord, BadReport) as wrong:
            self._end(Attempt.Ending.FAILED, str(wrong))
            raise
        except Exception as error:
            logger.exception("result of match %s from worker %s not stored", self.match_id, attempt.worker)
            self._end(Attempt.Ending.FAILED, f"internal error ({type(error).__name__})")
            raise WrongRecord("the result could not be stored") from error
        if ending == Attempt.Ending.FINISHED:
            figures.PLAY.observe((timezone.now() - attempt.started).total_seconds(), attempt.match.block.purpose)
            rechecks.sample(self.match_id)
        if ending is not None:
            dispatch.send_next(self.match_id)
            return str(ending)
        attempt.refresh_from_db()
        if attempt.ending not in _ANSWERED:
            raise self.gone()
        return str(attempt.ending)

    def give_up(self, code: str) -> bool:
        ending, reason = GIVEN_UP[code]
        return self._end(ending, reason)

    def gone(self) -> LeaseGone:
        self.attempt.refresh_from_db()
        return LeaseGone(*_GONE.get(Attempt.Ending(self.attempt.ending), ()))

    def _end(self, ending: Attempt.Ending, reason: str) -> bool:
        if fail(self.lease, ending, reason) is None:
            return False
        if ending == Attempt.Ending.FAILED:
            worker_hosts.failed(self.attempt.worker, self.work)
        dispatch.send_next(self.match_id)
        return True
