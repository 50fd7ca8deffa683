"""The documents that a remote bot receives of its live games: the same as a hosted bot on stdin.

All documents are computed from the rows, so they can be requested repeatedly. They show no move before it is visible,
and no secret of another seat.
"""

from __future__ import annotations

from django.db.models.functions import Now

from bots import protocol
from bots.protocol import Decide, End, Hello, bot_seed
from games.registry import GAMES
from games.rules import Document, State
from ladder.live.position import Position
from ladder.live.rows import position_at
from ladder.matches.assignments import seeds_key
from ladder.models import Block, LiveSeat, Match


def open_decisions(bot_id: int) -> list[tuple[int, int]]:
    """Match and number of the open, visible decisions of a remote bot, the oldest first."""
    seated = LiveSeat.objects.filter(
        seat__version__bot=bot_id, owes=True, table__match__status=Match.Status.RUNNING, due_at__lte=Now()
    )
    return list(seated.order_by("due_at").values_list("table", "asked"))


def position_for(match_id: int, bot_id: int) -> tuple[Position, int] | None:
    """The position of a live game and the seat of the bot; ``None`` if it does not play there.

    The position contains all secrets of the deal. Show only documents that the functions of this module return.
    """
    position = position_at(match_id)
    seat = None if position is None else position.seat_of(bot_id)
    if position is None or seat is None or position.live_seats[seat].kind != LiveSeat.Kind.REMOTE:
        return None
    return position, seat


def note_sent(match_id: int, bot_id: int) -> None:
    """Note that the bot has received something of the game: from now on it has to answer in time."""
    LiveSeat.objects.filter(table=match_id, seat__version__bot=bot_id, starts=0).update(starts=1)


# --- Events ----------------------------------------------------------------------------------------------------------


def game_start(position: Position, seat: int, *, resumed: bool) -> Document:
    """The event at the start of a game for a seat, or when its stream is reconnected."""
    match = position.match
    return {
        "type": "game_start",
        "game": match.pk,
        "rated": match.block.purpose == Block.Purpose.LIVE,
        "ladder": match.ladder.slug,
        "players": _players(match),
        "message": hello(position, seat, resumed=resumed),
    }


def decide_event(position: Position, seat: int, log: int | None = None, state: State | None = None) -> Document:
    """The event of the open decision of ``seat`` with its log from entry ``log`` on.

    By default the log continues after the previous decision. ``log_from`` is the first entry. ``state`` is what the
    seat may see if the caller has it already.
    """
    live_seat = position.live_seats[seat]
    start = live_seat.log_before if log is None else max(0, log)
    return {
        "type": "decide",
        "game": position.match.pk,
        "decision": live_seat.asked,
        "log_from": start,
        "message": decide(position, seat, start, state),
    }


def game_end(position: Position, seat: int) -> Document:
    """The event at the end of a game for a seat, with or without a result."""
    match = position.match
    return {
        "type": "game_end",
        "game": match.pk,
        "message": end(position, seat) if match.status == Match.Status.FINISHED else None,
        "status": match.status,
        "reason": match.reason,
    }


def seat_view(position: Position, seat: int, log: int = 0) -> Document:
    """What ``seat`` sees now: ``{"game", "running", "seat", "view", "log"}``, with the log from entry ``log`` on."""
    state = position.shown_to(seat)
    return {
        "game": position.match.pk,
        "running": position.match.status == Match.Status.RUNNING,
        "seat": seat,
        "view": state.view(seat),
        "log": state.entries(seat, max(0, log)),
    }


# --- Messages, as on stdin -------------------------------------------------------------------------------------------


def hello(position: Position, seat: int, *, resumed: bool, start: int = 1) -> Hello:
    """The first message of the seat's ``start``, counted from 1."""
    ladder = position.match.ladder
    seed = bot_seed(seeds_key(), str(position.match.pk), seat, start)
    return protocol.hello(GAMES[ladder.game].rules, ladder.seats, seat, position.limits, seed, resumed=resumed)


def end(position: Position, seat: int) -> End:
    """The end of a game, with the log since the last decision of ``seat``."""
    state = position.state(journal=True)
    outcome = state.outcome
    assert outcome is not None
    log = state.entries(seat, position.live_seats[seat].log_asked)
    return {"type": "end", "outcome": outcome, "log": log}


def decide(position: Position, seat: int, log: int = 0, state: State | None = None) -> Decide:
    """The open decision of ``seat`` with its log from entry ``log`` on. ``state`` is as in :func:`decide_event`."""
    live_seat, state = position.live_seats[seat], state or position.shown_to(seat)
    return {
        "type": "decide",
        "id": live_seat.asked,
        "strikes": live_seat.strikes,
        "decision": state.decision(seat),
        "view": state.view(seat),
        "log": state.entries(seat, log),
        "clock": position.clock(seat).left(),
    }


def _players(match: Match) -> list[Document]:
    """The players by seat with their current names."""
    named = {"name": "version__bot__name", "bot": "version__bot__slug", "version": "version__number"}
    seats = match.seats.order_by("index").values_list(*named.values(), "version__label")
    return [dict(zip((*named, "label"), seat, strict=True)) for seat in seats]
