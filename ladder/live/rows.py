"""Read the rows of live games: all of them, or only what this process has not read yet."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any, Final, Generic, NamedTuple, TypeVar
from uuid import UUID

import orjson
from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Now

from esr_platform.prepared import Prepared
from games.rules import State
from ladder.live.position import MoveRow, Position
from ladder.matches.blocks import end_if_over
from ladder.matches.leases import REASON_LENGTH, nobody_owes
from ladder.models import Attempt, LiveSeat, Match, Outage, PlayedMove, Seat, Table

# --- What never changes ----------------------------------------------------------------------------------------------
#
# Games are cached by the lease of their match, which is unique. An ended match has no lease and is read each time.

MOST: Final = 256
"""The number of games that are cached. A game has a few hundred moves, less than 100 KB."""

IDLE_S: Final = 60.0
"""A game is dropped from the cache after this time without new moves."""

Value = TypeVar("Value")
RowT = TypeVar("RowT")


class GameCache(Generic[Value]):
    """A cache with a value per game. Callers must not change the values."""

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._games: OrderedDict[UUID, tuple[float, Value]] = OrderedDict()
        self._lock = Lock()

    def get(self, lease: UUID | None) -> Value | None:
        """The value for the game with this lease, if any."""
        if lease is None:
            return None
        with self._lock:
            kept = self._games.get(lease)
        return None if kept is None else kept[1]

    def pop(self, lease: UUID | None) -> Value | None:
        """Remove the value for the game with this lease, if any, and return it."""
        if lease is None:
            return None
        with self._lock:
            kept = self._games.pop(lease, None)
        return None if kept is None else kept[1]

    def put(self, lease: UUID | None, value: Value) -> None:
        """Store ``value``, unless it was read in a transaction, which may be rolled back."""
        if lease is None or connection.in_atomic_block:
            return
        now = monotonic()
        with self._lock:
            self._games[lease] = (now, value)
            self._games.move_to_end(lease)
            while len(self._games) > MOST or next(iter(self._games.values()))[0] < now - self._idle_s:
                self._games.popitem(last=False)


class MoveCache(Generic[RowT]):
    """A cache of the moves of running games, in order. Each move is read once."""

    def __init__(self) -> None:
        self._moves = GameCache[tuple[RowT, ...]]()

    def upto(self, lease: UUID | None, count: int, read: Callable[[int], Sequence[RowT]]) -> tuple[RowT, ...]:
        """The first ``count`` moves. ``read`` is called with the number of the first missing one."""
        known = self._moves.get(lease) or ()
        if len(known) >= count:
            return known[:count]
        moves = (*known, *read(len(known)))
        self._moves.put(lease, moves)
        return moves

    def keep(self, lease: UUID | None, moves: tuple[RowT, ...]) -> None:
        """Store ``moves``, all of the game so far, unless more are known."""
        if len(moves) > len(self._moves.get(lease) or ()):
            self._moves.put(lease, moves)

    def forget(self) -> None:
        """Clear the cache, because rows were changed that never change on a running site."""
        self._moves = GameCache()


class StateCache:
    """A cache of the states of running games: a game is not replayed for each move.

    A state changes with the next move, so only one caller at a time has it: the one who has locked the match.
    """

    def __init__(self) -> None:
        self._states = GameCache[tuple[int, _Forfeits, State]]()

    def take(self, position: Position) -> State:
        """The state of ``position`` with a journal. The caller may change it."""
        kept = self._states.pop(position.match.lease)
        if kept is not None:
            moves, forfeits, state = kept
            if moves <= len(position.rows) and forfeits == _forfeits(position):
                for row in position.rows[moves:]:
                    state.play(row.seat, row.move, default=row.default or None)
                return state
        return position.state(journal=True)

    def put(self, position: Position, state: State) -> None:
        """Store ``state``, which belongs to ``position`` and has a journal. The caller must no longer use it."""
        self._states.put(position.match.lease, (len(position.rows), _forfeits(position), state))


_Forfeits = tuple[tuple[str, int | None], ...]


def _forfeits(position: Position) -> _Forfeits:
    return tuple((live_seat.forfeit, live_seat.forfeit_at) for live_seat in position.live_seats)


# --- Reading ---------------------------------------------------------------------------------------------------------


def position_of(match: Match) -> Position:
    """The position of ``match``, which comes with its ladder and block. Raises ``Table.DoesNotExist``.

    It is consistent: seats and table are read in one query, and moves are only appended.
    """
    return _position(match, _stands(match_id=match.pk), _seats(match.pk))


def position_at(match_id: int) -> Position | None:
    """The position of a live game, ``None`` if there is none.

    This is much faster than :func:`position_of` while the game runs, because match, ladder, block, versions and bots
    are cached. Do not use their values that can change during a game, such as names.
    """
    stands = _stands(match_id=match_id)
    known = _GAMES.get(stands[0].match_lease) if stands else None
    if known is not None:
        return _position(known.match, stands, known.seats)
    matches = Match.objects.filter(pk=match_id, table__isnull=False).select_related("ladder", "block")
    match = next(iter(matches.order_by()), None)
    if match is None:
        return None
    seats = _seats(match_id)
    _GAMES.put(match.lease, _Game(match, seats))
    return _position(match, _stands(match_id=match_id), seats)  # again: seats are never older than the match


def move_row(move: PlayedMove) -> MoveRow:
    """The row of ``move`` as it is read from the database."""
    return MoveRow(
        number=move.number,
        seat=move.seat.index,
        decision=move.decision,
        move=orjson.loads(orjson.dumps(move.move)),
        default=move.default,
        kind=move.kind,
        asked_at=move.asked_at,
        received_at=move.received_at,
        visible_at=move.visible_at,
        delays=move.delays,
        answer=move.answer,
        detail=move.detail,
        round=move.round,
    )


def keep_game(position: Position) -> None:
    """Cache the game and its moves. What was read in a transaction must have been committed."""
    lease, live_seats = position.match.lease, position.live_seats
    _GAMES.put(lease, _Game(position.match, {live_seat.seat_id: live_seat.seat for live_seat in live_seats}))
    KEPT_MOVES.keep(lease, tuple(position.rows))


def _position(match: Match, stands: Sequence[Any], seats: Mapping[int, Seat]) -> Position:
    if not stands:
        raise Table.DoesNotExist(f"{match} is not a live game")
    for live_seat in stands:
        _SEAT.set_cached_value(live_seat, seats[live_seat.seat_id])
    live_seats = sorted(
        stands, key=lambda live_seat: live_seat.seat.index
    )  # not in the query, since ordering many columns is slow to prepare
    table = live_seats[0].table
    rows = KEPT_MOVES.upto(match.lease, table.moves, partial(_rows, table))
    return Position(
        live_seats[0].database_now, match, table, live_seats, rows, live_seats[0].beat_at, live_seats[0].outage_ms or 0
    )


def _seats(match_id: int) -> dict[int, Seat]:
    """The seats of a match by their ids, with versions and bots."""
    seats = Seat.objects.filter(match=match_id).select_related("version__bot").defer("version__validation_report")
    return {seat.pk: seat for seat in seats.order_by()}


def _rows(table: Table, start: int) -> list[MoveRow]:
    rows = _moves_from(match_id=table.pk, start=start)
    return sorted(MoveRow(*row) for row in rows if row[0] < table.moves)  # by number, of which there is one each


class _Game(NamedTuple):
    """The constant rows of a running game. Some values of ladder, versions and bots can change."""

    match: Match
    seats: Mapping[int, Seat]


_SEAT: Final = LiveSeat._meta.get_field("seat")
_COLUMNS: Final = [name if name != "seat" else "seat__index" for name in MoveRow._fields]
_GAMES: Final = GameCache[_Game]()
KEPT_MOVES: Final = MoveCache[MoveRow]()
"""Rows of moves never change, so each process reads them once."""

KEPT_STATES: Final = StateCache()


def _stands_of(match_id: int) -> QuerySet[Any]:
    """The seats with their table, the lease of the match, the site's beat and outages, and the database's time."""
    live_seats = LiveSeat.objects.filter(table=match_id).select_related("table").order_by()
    beat = F("table__match__attempts__heartbeat_at")
    outages = Outage.objects.filter(match=OuterRef("table")).order_by().values("match").values(total=Sum("ms"))
    return live_seats.annotate(
        match_lease=F("table__match__lease"), beat_at=beat, outage_ms=Subquery(outages), database_now=Now()
    )


_stands: Final = Prepared(_stands_of)
_moves_from: Final = Prepared(
    lambda match_id, start: (
        PlayedMove.objects.filter(match=match_id, number__gte=start).order_by().values_list(*_COLUMNS)
    )
)


# --- Ends without a result -------------------------------------------------------------------------------------------


def stop(match: Match, status: Match.Status, reason: str) -> None:
    """End a running live match as ``status`` without a result. ``reason`` is public."""
    Match.objects.filter(pk=match.pk).update(
        status=status, reason=reason[:REASON_LENGTH], lease=None, lease_until=None, ended=Now()
    )
    ending = Attempt.Ending.WITHDRAWN if status == Match.Status.ABORTED else Attempt.Ending.FAILED
    Attempt.objects.filter(match=match.pk, ending=Attempt.Ending.OPEN).update(
        ending=ending, failure=reason[:REASON_LENGTH], ended=Now()
    )
    nobody_owes(match.pk)
    end_if_over([match.block_id])
