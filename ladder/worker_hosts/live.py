"""Decisions of hosted bots at live tables, for worker hosts. They have little time, so a host gets them first."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models.functions import Now

from bots import worker_hosts
from bots.models import BotVersion, WorkerHost, WorkerScope
from bots.programs import LostCode, NotHere
from bots.runner.launcher import PlatformFailure
from bots.uploads.storage import ArchiveLost
from bots.worker.documents import decision_document
from bots.worker_hosts import Abilities
from esr_platform.disconnects import DISCONNECTED
from esr_platform.leases import FREE, Lease
from esr_platform.prepared import Prepared
from games.rules import Document
from ladder.live.hosted import (
    AT_WORK,
    Turn,
    conclude,
    decision_of,
    fail,
    give_back,
    longest_turn,
    owing,
    take,
    work_of,
)
from ladder.live.rows import position_at
from ladder.models import Attempt, LiveSeat
from ladder.worker_hosts import reports
from ladder.worker_hosts.kinds import Held, Kind, LeaseGone, of_host, program_for, require_room
from ladder.worker_hosts.reports import BadReport

logger = logging.getLogger(__name__)

CANDIDATES: Final = 32

_DUE: Final = Prepared(lambda: owing().filter(FREE, due_at__lte=Now()).order_by().values_list("pk")[:1])


class LiveTurns(Kind):
    """Decisions that hosted bots and substitutes owe at live tables."""

    name, scope = "live", WorkerScope.LIVE

    def waits(self) -> bool:
        return bool(_DUE())

    def next_for(self, host: WorkerHost, worker: str, abilities: Abilities) -> Document | None:
        if not self.waits():
            return None
        names = ("seat__version__bot", "substitute__bot", "table__match__block")
        due = owing().filter(FREE, due_at__lte=Now()).select_related(*names)
        live_seats, program_of = list(due.order_by("due_at", "pk")[:CANDIDATES]), program_for(abilities)
        if live_seats:
            require_room(LiveSeat.objects.filter(lease__isnull=False, owes=True, **of_host(host)))
        for live_seat in live_seats:
            match = live_seat.table.match
            if self.is_for_others(worker, work_of(match.pk), live_seat):
                continue
            try:
                program_of(live_seat.playing, match.block.rated)
            except NotHere:
                continue
            turn = take(match.pk, live_seat.seat.index, worker)
            if turn is None:
                continue
            try:
                decision = decision_of(turn, program_of)
            except NotHere:  # another bot plays for the seat now
                give_back(turn, 0)
                continue
            return self.assignment(turn.lease, decision_document(decision))
        return None

    def held(self, host: WorkerHost, row: int, token: UUID) -> Held | None:
        lease = Lease(LiveSeat, row, token, AT_WORK)
        rows = lease.row.filter(**of_host(host)).annotate(database_now=Now())
        live_seat = rows.select_related("seat__version", "substitute", "table").first()
        if live_seat is None or live_seat.claimed is None:
            return None
        return HeldTurn(live_seat, lease, live_seat.database_now - live_seat.claimed)


class HeldTurn(Held):
    """A decision that a host asks a bot for, and has had for ``lasted``."""

    def __init__(self, live_seat: LiveSeat, lease: Lease[LiveSeat], lasted: timedelta) -> None:
        self.live_seat, match_id, self.lasted = live_seat, live_seat.table_id, lasted
        self.turn = Turn(match_id, live_seat.seat.index, live_seat.asked, live_seat.starts, lease)
        self.work = work_of(match_id)

    def renew(self) -> bool:
        return self.lasted < longest_turn(self.live_seat) and self.turn.lease.renew()

    def versions(self) -> list[BotVersion]:
        return [self.live_seat.playing]

    def lose(self, version: BotVersion, lost: ArchiveLost) -> None:
        fail(self.turn, 1, LostCode(version, str(lost)))

    def bring(self, data: bytes) -> str:
        position = position_at(self.turn.match_id)
        if position is None:
            raise LeaseGone
        allowed_us = 1000 * position.clock(self.turn.seat).allowed_ms
        try:
            sent = reports.unpacked(data, reports.SentDecisions)
            counted = conclude(self.turn, reports.advices(sent, allowed_us, self.lasted))
        except DISCONNECTED:  # the host repeats the request
            raise
        except Exception as error:
            expected = isinstance(error, BadReport)
            logger.warning("answer at table %s not played: %s", self.turn.match_id, error, exc_info=not expected)
            self._fail("the worker brought an invalid answer")
            if expected:
                raise
            raise BadReport("the answer could not be played") from error
        if not counted:
            raise LeaseGone
        return str(Attempt.Ending.FINISHED)

    def give_up(self, code: str) -> bool:
        if code == "failed":
            self._fail("the worker could not ask the bot")
        else:
            give_back(self.turn, 0)
        return True

    def _fail(self, reason: str) -> None:
        fail(self.turn, 1, PlatformFailure(reason))
        worker_hosts.failed(self.live_seat.worker, self.work)
