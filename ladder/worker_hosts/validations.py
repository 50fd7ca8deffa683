"""Validations for worker hosts: one game of a validation at a time.

A host cannot reject an upload alone. Its rejection counts once another machine has rejected the upload too, or if no
other machine validates (``ladder.validations.decide``).
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models.functions import Now

from bots import worker_hosts
from bots.models import BotVersion, WorkerHost, WorkerScope
from bots.programs import NotHere
from bots.runner.spec import MatchSpec
from bots.uploads.attempt import Attempt
from bots.uploads.queue import LEASE, claim, next_in_turn, waiting, work_of
from bots.uploads.storage import ArchiveLost
from bots.validation import trial_of
from bots.worker.documents import game_document
from bots.worker_hosts import Abilities
from esr_platform.disconnects import DISCONNECTED
from esr_platform.heartbeats import LeaseLost
from esr_platform.leases import Lease
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder import validations
from ladder.models import Attempt as MatchAttempt
from ladder.worker_hosts import reports
from ladder.worker_hosts.kinds import Held, Kind, LeaseGone, of_host, program_for, require_room, uploaded_program
from ladder.worker_hosts.reports import BadReport

logger = logging.getLogger(__name__)

_WAITING: Final = Prepared(lambda: waiting().order_by().values_list("pk")[:1])


class Validations(Kind):
    """Games of uploads that wait for their validation."""

    name, scope = "validations", WorkerScope.VALIDATIONS

    def waits(self) -> bool:
        return bool(_WAITING())

    def next_for(self, host: WorkerHost, worker: str, abilities: Abilities) -> Document | None:
        candidates = next_in_turn(abilities.languages) if abilities.uploads and self.waits() else []
        if candidates:
            require_room(BotVersion.objects.filter(lease__isnull=False, **of_host(host)))
        for version_id in candidates:
            version = BotVersion.objects.select_related("bot").get(pk=version_id)
            if self.is_for_others(worker, work_of(version_id), version):
                continue
            try:
                program_for(abilities)(version, False)
            except NotHere:
                continue
            lease = claim(version_id, worker)
            if lease is None:
                continue
            attempt = Attempt(lease, BotVersion.objects.select_related("bot").get(pk=version_id))
            try:
                if attempt.begin():
                    attempt.next_game()
                    return self.assignment(lease, game_document(_spec(attempt)))
            except LeaseLost:
                continue
        return None

    def held(self, host: WorkerHost, row: int, token: UUID) -> Held | None:
        lease = Lease(BotVersion, row, token, LEASE)
        version = lease.row.filter(**of_host(host)).select_related("bot").annotate(database_now=Now()).first()
        if version is None or version.tried is None:
            return None
        return HeldValidation(Attempt(lease, version), version.database_now - version.tried)


class HeldValidation(Held):
    """A game of a validation that a host plays, and has had for ``lasted``."""

    def __init__(self, attempt: Attempt, lasted: timedelta) -> None:
        self.attempt, self.version, self.lasted = attempt, attempt.version, lasted
        self.work = work_of(self.version.pk)

    def renew(self) -> bool:
        longest = timedelta(milliseconds=_spec(self.attempt).budget_ms)
        return self.lasted < longest and self.attempt.lease.renew()

    def versions(self) -> list[BotVersion]:
        return [self.version]

    def lose(self, version: BotVersion, lost: ArchiveLost) -> None:  # noqa: ARG002
        self.attempt.lose(lost)

    def bring(self, data: bytes) -> str:
        try:
            sent = reports.unpacked(data, reports.SentTrial)
            result = reports.trial_result(sent, _spec(self.attempt), self.lasted)
            if self.attempt.conclude(result, sent.wall_ms):
                self.attempt.give_way()
            elif self.attempt.problem is not None:
                validations.decide(self.attempt)
            else:
                worker_hosts.leave_to_others(self.version.worker, self.work)
                return str(MatchAttempt.Ending.DELAYED)
        except LeaseLost as lost:
            raise LeaseGone from lost
        except DISCONNECTED:  # the host repeats the request
            raise
        except Exception as error:
            expected = isinstance(error, BadReport)
            logger.warning("game of %s not stored: %s", self.version, error, exc_info=not expected)
            self._fail("a worker host brought an invalid result")
            if expected:
                raise
            raise BadReport("the result could not be stored") from error
        return str(MatchAttempt.Ending.FINISHED)

    def give_up(self, code: str) -> bool:
        if code == "failed":
            self._fail("the worker could not play the game")
        else:
            self.attempt.wait()
        return True

    def _fail(self, failure: str) -> None:
        self.attempt.fail(failure)
        worker_hosts.failed(self.version.worker, self.work)


def _spec(attempt: Attempt) -> MatchSpec[Any]:
    """The game that is next, as it was told to the host."""
    version, now = attempt.version, attempt.report["now"]
    return trial_of(version.bot.name, uploaded_program(version), now["game"], now["seats"], attempt.tries)
