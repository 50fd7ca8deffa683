"""End live games: submit the result, or void the game with a reason that everybody can read."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction

from bots.owners import LANGUAGE
from bots.protocol import bot_seed
from bots.runner.report import Forfeit, MatchReport, SeatReport, Strike, Thought
from esr_platform.disconnects import retry_on_disconnect
from ladder.live.clocks import milliseconds
from ladder.live.game import STRIKES
from ladder.live.logs import packed_logs
from ladder.live.notify import tell_of_the_end
from ladder.live.position import Position
from ladder.live.rows import position_of, stop
from ladder.matches.leases import Lease, nobody_owes
from ladder.matches.play import seeds_key
from ladder.matches.results import WrongRecord, record_result
from ladder.models import LiveSeat, Match, PlayedMove, Table

logger = logging.getLogger(__name__)


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
        result = retry_on_disconnect(lambda: record_result(lease, report, logs))
    except WrongRecord as error:
        logger.exception("the record of live match %s is none", match_id)
        return void(match_id, f"its record is not one of this game: {error}")
    if result is not None:
        tell_of_the_end(match_id)
    return result is not None


def void(match_id: int, reason: str, still: Callable[[], bool] = lambda: True) -> bool:
    """End a running live game without a result, with the reason for everybody; whether this call did.

    ``still`` is asked once the match is held: what was seen before that may be over.
    """
    with transaction.atomic():
        locked = Match.objects.select_for_update(no_key=True, of=("self",))
        match = locked.filter(pk=match_id, status=Match.Status.RUNNING, table__isnull=False).first()
        if match is None or not still():
            return False
        stop(match, Match.Status.VOID, reason)
        tell_of_the_end(match_id)
    return True


def rise(match_id: int) -> None:
    """Nobody at the table owes anything any more, in the transaction that ends the match without a result.

    For a match that is no live game this does nothing.
    """
    nobody_owes(match_id)
    if Table.objects.filter(pk=match_id).exists():
        tell_of_the_end(match_id)


def report_of(position: Position) -> MatchReport:
    """A game that is over as a runner would report it, from the table's rows."""
    moves = list(PlayedMove.objects.filter(match=position.match.pk).order_by("number"))
    forfeits = [_forfeit(seat, live_seat) for seat, live_seat in enumerate(position.live_seats) if live_seat.forfeit]
    started = position.match.started or position.now
    return MatchReport(
        record=position.state().record,
        forfeits=tuple(forfeits),
        seats=tuple(
            _seat_report(position, seat, [move for move in moves if move.seat_id == live_seat.seat_id])
            for seat, live_seat in enumerate(position.live_seats)
        ),
        machine_delays=(),
        play_again=False,
        wall_us=1000 * milliseconds(started, moves[-1].received_at),
    )


def _forfeit(seat: int, live_seat: LiveSeat) -> Forfeit:
    return Forfeit(seat, live_seat.forfeit, live_seat.asked or None, live_seat.evidence)


def _seat_report(position: Position, seat: int, moves: list[PlayedMove]) -> SeatReport:
    """What is kept of a seat for good: of a person no name, which may be taken away, or go with their account."""
    live_seat = position.live_seats[seat]
    answered = [move for move in moves if move.decision is not None]
    return SeatReport(
        label=LANGUAGE if live_seat.kind in LiveSeat.OF_PEOPLE else str(live_seat.seat.version),
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
