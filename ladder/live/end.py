"""End live games: store the result, or void the match with a public reason."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction

from bots.owners import LANGUAGE
from bots.protocol import bot_seed
from bots.runner.report import ForfeitReport, MatchReport, SeatReport, Strike, Thought
from esr_platform.disconnects import retry_on_disconnect
from ladder.live.clocks import milliseconds
from ladder.live.game import STRIKES
from ladder.live.logs import packed_logs
from ladder.live.notify import rest_after, tell_of_the_end
from ladder.live.position import Position
from ladder.live.rows import position_of, stop
from ladder.matches.assignments import seeds_key
from ladder.matches.leases import lease_of, nobody_owes
from ladder.matches.results import WrongRecord, record_result
from ladder.models import LiveSeat, Match, PlayedMove, Table

logger = logging.getLogger(__name__)


def finish(match_id: int) -> bool:
    """Store the result of a game that is over. Returns whether this call did. Safe to run concurrently."""
    over = Match.objects.filter(pk=match_id, status=Match.Status.RUNNING, table__over=True)
    match = over.select_related("ladder", "block").first()
    if match is None or match.lease is None:
        return False
    lease = lease_of(match.pk, match.lease)
    try:
        position = position_of(match)
        report = report_of(position)
        logs = packed_logs(position, report)
        rest_after(match_id)  # before the game has ended, or the next one could start in between
        result = retry_on_disconnect(lambda: record_result(lease, report, logs))
    except WrongRecord as error:
        logger.exception("invalid record of live match %s", match_id)
        return void(match_id, f"The game record is invalid: {error}")
    if result is not None:
        tell_of_the_end(match_id)
    return result is not None


def void(match_id: int, reason: str, still: Callable[[], bool] = lambda: True) -> bool:
    """Void a running live match with a public reason. Returns whether this call did.

    ``still`` is checked once the match is locked, since the caller's observation may be outdated.
    """
    with transaction.atomic():
        locked = Match.objects.select_for_update(no_key=True, of=("self",))
        match = locked.filter(pk=match_id, status=Match.Status.RUNNING, table__isnull=False).first()
        if match is None or not still():
            return False
        stop(match, Match.Status.VOID, reason)
        tell_of_the_end(match_id)
    return True


def clear_open_decisions(match_id: int) -> None:
    """Clear the open decisions of a live match, in the transaction that ends it without a result.

    Other matches are not changed.
    """
    nobody_owes(match_id)
    if Table.objects.filter(pk=match_id).exists():
        tell_of_the_end(match_id)


def report_of(position: Position) -> MatchReport:
    """The report of a finished game, in the form that a runner would give, from the rows of the table."""
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


def _forfeit(seat: int, live_seat: LiveSeat) -> ForfeitReport:
    return ForfeitReport(seat, live_seat.forfeit, live_seat.forfeit_at, live_seat.asked or None, live_seat.evidence)


def _seat_report(position: Position, seat: int, moves: list[PlayedMove]) -> SeatReport:
    """The report of a seat. It never contains the name of a person, who may rename or delete their account."""
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
