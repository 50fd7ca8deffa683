"""A live game ends: its result is brought like a worker's, or it is void and everybody can read why."""

from __future__ import annotations

import logging
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from bots.protocol import bot_seed
from bots.runner.report import Forfeit, MatchReport, SeatReport, Strike, Thought
from ladder.blocks import end_if_over
from ladder.bot_seeds import seeds_key
from ladder.leases import Lease
from ladder.models import Attempt, Chair, Match, PlayedMove, Table
from ladder.reconnecting import through_a_loss
from ladder.results import WrongRecord, record_result
from ladder.tables.advancing import STRIKES
from ladder.tables.clocks import milliseconds
from ladder.tables.logs import packed_logs
from ladder.tables.position import Position
from ladder.tables.reading import position_of
from ladder.tables.telling import tell

logger = logging.getLogger(__name__)

_REASON: Final = 400


def finish(match_id: int) -> bool:
    """Bring the result of a table at which nobody is asked any more; whether this call did.

    Safe to call any number of times, at once and again: one result counts.
    """
    over = Match.objects.filter(pk=match_id, status=Match.Status.RUNNING, table__over=True)
    match = over.select_related("ladder", "block").first()
    if match is None or match.lease is None:
        return False
    lease = Lease(match.pk, match.lease)
    try:
        position = position_of(match)
        report = report_of(position)
        logs = packed_logs(position, report)
        result = through_a_loss(lambda: record_result(lease, report, logs))
    except WrongRecord as error:
        logger.exception("the record of live match %s is none", match_id)
        return void(match_id, f"its record is not one of this game: {error}")
    if result is not None:
        tell_of_the_end(match_id)
    return result is not None


def void(match_id: int, reason: str) -> bool:
    """End a running live game without a result, with the reason for everybody; whether this call did."""
    with transaction.atomic():
        locked = Match.objects.select_for_update(no_key=True, of=("self",))
        match = locked.filter(pk=match_id, status=Match.Status.RUNNING, table__isnull=False).first()
        if match is None:
            return False
        Match.objects.filter(pk=match_id).update(
            status=Match.Status.VOID, reason=reason[:_REASON], lease=None, lease_until=None, ended=Now()
        )
        Attempt.objects.filter(match=match_id, ending=Attempt.Ending.OPEN).update(
            ending=Attempt.Ending.FAILED, failure=reason[:_REASON], ended=Now()
        )
        rise(match_id)
        end_if_over([match.block_id])
    return True


def rise(match_id: int) -> None:
    """Nobody at the table owes anything any more, in the transaction that ends the match without a result.

    For a match that is no live game this does nothing.
    """
    Chair.objects.filter(table=match_id, owes=True).update(owes=False, due_at=None, deadline=None)
    if Table.objects.filter(pk=match_id).exists():
        tell_of_the_end(match_id)


def tell_of_the_end(match_id: int) -> None:
    """Tell everybody at the table, and who watches it, that it has ended."""
    seated = Chair.objects.filter(table=match_id, kind=Chair.Kind.REMOTE)
    tell(match_id, "ended", seated.values_list("seat__version__bot", flat=True))


def report_of(position: Position) -> MatchReport:
    """A game that is over as a runner would report it, from the table's rows."""
    moves = list(PlayedMove.objects.filter(match=position.match.pk).order_by("number"))
    forfeits = [_forfeit(seat, chair) for seat, chair in enumerate(position.chairs) if chair.forfeit]
    started = position.match.started or position.now
    return MatchReport(
        record=position.state().record,
        forfeits=tuple(forfeits),
        seats=tuple(
            _seat_report(position, seat, [move for move in moves if move.seat_id == chair.seat_id])
            for seat, chair in enumerate(position.chairs)
        ),
        machine_delays=(),
        play_again=False,
        wall_us=1000 * milliseconds(started, moves[-1].received_at),
    )


def _forfeit(seat: int, chair: Chair) -> Forfeit:
    return Forfeit(seat, chair.forfeit, chair.asked or None, chair.evidence)


def _seat_report(position: Position, seat: int, moves: list[PlayedMove]) -> SeatReport:
    answered = [move for move in moves if move.decision is not None]
    return SeatReport(
        label=str(position.chairs[seat].seat.version),
        bot_seed=bot_seed(seeds_key(), str(position.match.pk), seat, 1),
        ready_us=None,
        decisions=tuple(Thought(move.decision or 0, 1000 * move.wall_ms, None, 0) for move in answered),
        strikes=tuple(
            Strike(move.decision or 0, move.default, move.detail, move.heard, 1000 * move.wall_ms, None)
            for move in answered
            if move.default in STRIKES
        ),
        exit_status=None,
        stderr_tail="",
    )
