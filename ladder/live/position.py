"""The position of a live game: its rows, and the state that its moves give when they are replayed from the deal.

The state contains all secrets of the deal. Documents for viewers must use :func:`Position.shown_to`, which leaves out
everything that the viewer may not know yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from sys import maxsize
from typing import Final, NamedTuple

from bots.models import BotVersion
from bots.protocol import Limits
from games.outcomes import played_steps
from games.registry import GAMES
from games.rules import Move, State
from ladder.live.clocks import AnswerTime, SeatClock, milliseconds
from ladder.models import Block, LiveSeat, Match, Occupant, Table

WATCHED_WITHIN: Final = timedelta(seconds=8)
"""The site counts as available for this time after its last heartbeat (``ladder.live.outages``)."""


class MoveRow(NamedTuple):
    """The columns of a ``PlayedMove`` that games need; ``seat`` is the index, ``delays`` are milliseconds."""

    number: int
    seat: int
    decision: int | None
    move: Move
    default: str
    kind: str
    asked_at: datetime | None
    received_at: datetime
    visible_at: datetime
    delays: Sequence[int]
    answer: str
    detail: str
    round: int

    def answered_by(self, seat: int | None) -> bool:
        """Whether ``seat`` was asked for this move, so that it was not played after a forfeit."""
        return self.seat == seat and self.decision is not None

    def shown(self, now: datetime) -> int | None:
        """How many of the veiled forced steps after it are visible at ``now``; ``None`` if the move is not visible."""
        moment = self.visible_at
        if moment > now:
            return None
        for steps, delay in enumerate(self.delays):
            moment += timedelta(milliseconds=delay)
            if moment > now:
                return steps
        return len(self.delays)


@dataclass(frozen=True)
class Position:
    """The rows of one table at ``now``, the database's time. ``live_seats`` are by seat, with their bots.

    ``beat_at`` is the last heartbeat of the site for people at this table, ``outage_ms`` the total time of its outages
    (``ladder.live.outages``).
    """

    now: datetime
    match: Match
    table: Table
    live_seats: Sequence[LiveSeat]
    rows: Sequence[MoveRow]
    beat_at: datetime | None = None
    outage_ms: int = 0

    @property
    def rated(self) -> bool:
        """Whether the game is rated."""
        return self.match.block.purpose == Block.Purpose.LIVE

    @property
    def people(self) -> list[int]:
        """The seats of people, including those in which substitutes play."""
        return [seat for seat, live_seat in enumerate(self.live_seats) if live_seat.kind in LiveSeat.OF_PEOPLE]

    @property
    def began_a_round_unseen(self) -> bool:
        """Whether the last move has begun a round without a visible move in it so far."""
        if not self.rows or not self.rows[-1].delays:
            return False
        rounds = [row.round for row in self.rows[-2:]]
        return rounds[-1] != (rounds[0] if len(rounds) > 1 else 1)

    @property
    def watched(self) -> datetime:
        """The time until which presence was recorded: now, or the start of the current outage."""
        if self.beat_at is None or self.now - self.beat_at <= WATCHED_WITHIN:
            return self.now
        return self.beat_at

    def unseen(self, seat: int) -> timedelta:
        """How long ago the person of ``seat`` was last seen."""
        seen = self.live_seats[seat].seen_at or self.match.started or self.now
        return max(timedelta(), self.watched - seen)

    @cached_property
    def limits(self) -> Limits:
        """The limits of the game."""
        return Limits(**self.table.limits)

    def paces(self, substituted: Mapping[int, Collection[range]]) -> list[AnswerTime]:
        """How long seats took for the decisions that they answered.

        ``substituted`` are, by seat, the numbers of the moves of substitutes (:func:`substituted`).
        """
        people = set(self.people)
        return [
            AnswerTime(
                row.seat,
                row.kind,
                milliseconds(row.asked_at, row.received_at),
                row.seat in people and not any(row.number in part for part in substituted.get(row.seat, ())),
            )
            for row in self.rows
            if row.asked_at is not None and not row.default
        ]

    def clock(self, seat: int) -> SeatClock:
        """The clock of ``seat`` at its last decision. A substitute has a separate, full clock."""
        live_seat = self.live_seats[seat]
        if live_seat.kind == LiveSeat.Kind.SUBSTITUTE:
            return SeatClock.full(self.limits)
        return SeatClock(self.limits.move_ms, live_seat.bank_ms, live_seat.game_ms)

    def starts_at(self, seat: int) -> datetime | None:
        """When the clock of the open decision of ``seat`` starts; ``None`` without a deadline."""
        deadline = self.live_seats[seat].deadline
        return None if deadline is None else deadline - timedelta(milliseconds=self.clock(seat).allowed_ms)

    def seat_of(self, bot_id: int) -> int | None:
        """The seat of a bot, ``None`` if it does not play here."""
        seats = (seat for seat, live_seat in enumerate(self.live_seats) if live_seat.seat.version.bot_id == bot_id)
        return next(seats, None)

    def state(self, rows: Sequence[MoveRow] | None = None, *, journal: bool = False) -> State:
        """The state after all moves or after ``rows``. With ``journal``, the state keeps a journal, which logs need."""
        state = self.deal(journal=journal)
        for row in self.rows if rows is None else rows:
            state.play(row.seat, row.move, default=row.default or None)
        for seat, live_seat in enumerate(self.live_seats):
            if live_seat.forfeit:
                state.forfeit(seat, live_seat.forfeit, live_seat.forfeit_at)
        return state

    def deal(self, *, journal: bool = False) -> State:
        """The state before the first move."""
        state = GAMES[self.match.ladder.game].new(self.match.ladder.seats, bytes(self.match.block.seed))
        if journal:
            state.entries(None)
        return state

    def before(self, number: int, *, journal: bool = False) -> State:
        """The state before the move ``number``."""
        return self.state(self.rows[:number], journal=journal)

    def row_of(self, seat: int, decision: int) -> MoveRow:
        """The move that was played for ``decision``. Raises ``LookupError`` if there is none."""
        for row in reversed(self.rows):
            if row.seat == seat and row.decision == decision:
                return row
        raise LookupError(f"seat {seat} has not answered a decision {decision}")

    def answered_at(self, seat: int) -> int:
        """The number of steps that were recorded when the person of ``seat`` was last asked and answered; 0 if never.

        Moves of substitutes and default moves are not theirs. The steps before a decision are the same for all who
        choose simultaneously, in whatever order they answer.
        """
        by_substitutes = substituted([self.live_seats[seat]]).get(seat, ())
        for row in reversed(self.rows):
            if row.answered_by(seat) and not row.default and not any(row.number in part for part in by_substitutes):
                return len(self.before(row.number).steps_since(0))
        return 0

    def shown_to(self, seat: int | None) -> State:
        """The state that ``seat``, or a spectator (``None``), may see now. A seat sees its own moves immediately.

        No visible move depends on a hidden one, since hidden moves are made at the same time as others.
        """
        return self.showing(self.rows_for(seat))

    @cached_property
    def played(self) -> Sequence[MoveRow]:
        """The moves of the game. If it ended early, only those before it was played out, with nothing held back."""
        state = self.state() if self.table.over else None
        if state is None or played_steps(state) == state.step_count:
            return self.rows
        last = max((place for place, row in enumerate(self.rows) if not row.default), default=-1)
        return [*self.rows[:last], self.rows[last]._replace(delays=())] if last >= 0 else ()

    def rows_for(self, seat: int | None) -> tuple[MoveRow, ...]:
        """The moves that ``seat`` knows by now. Moves that were played out after an early end are hidden from all."""
        return tuple(row for row in self.played if row.answered_by(seat) or row.shown(self.now) is not None)

    def showing(self, rows: Sequence[MoveRow]) -> State:
        """The state for viewers who know ``rows`` (:meth:`rows_for`)."""
        state = self.state(rows, journal=True)
        if not rows:
            return state
        last, shown = rows[-1], rows[-1].shown(self.now) or 0
        if shown == len(last.delays):
            return state
        return self._held_back(state, rows[:-1], shown)

    def _held_back(self, state: State, before: Sequence[MoveRow], shown: int) -> State:
        """``state`` as it was before the veiled forced step ``shown`` of those that followed the rows ``before``."""
        start = len(self.state(before).steps_since(0))
        veiled = [
            start + index
            for index, step in enumerate(state.steps_since(start))
            if step.get("forced") and step["decision"] in state.rules.veiled
        ]
        for ply, twin in state.retraced():
            if ply >= veiled[shown] - 1:
                return twin
        return state


# --- Occupants of seats ----------------------------------------------------------------------------------------------


def begin_occupants(match: Match, live_seats: Iterable[LiveSeat]) -> None:
    """Store the occupants of a new table with people."""
    live_seats = list(live_seats)
    if any(live_seat.kind in LiveSeat.OF_PEOPLE for live_seat in live_seats):
        Occupant.objects.bulk_create(
            Occupant(match=match, seat=live_seat.seat, version=live_seat.seat.version, from_move=0)
            for live_seat in live_seats
        )


def substituted(live_seats: Iterable[LiveSeat]) -> dict[int, list[range]]:
    """By seat, the numbers of the moves during which a substitute played; at most one query."""
    seats = {live_seat.seat_id: live_seat.seat for live_seat in live_seats if live_seat.substitute_id is not None}
    rows = Occupant.objects.filter(seat__in=seats).order_by("pk") if seats else ()
    parts: dict[int, list[range]] = {}
    for row in rows:
        if row.version_id != seats[row.seat_id].version_id:
            part = range(row.from_move, maxsize if row.to_move is None else row.to_move)
            parts.setdefault(seats[row.seat_id].index, []).append(part)
    return parts


def change_occupant(live_seat: LiveSeat, version: BotVersion, move: int) -> None:
    """Let ``version`` occupy the seat from ``move`` on. Occupants without a move are deleted."""
    mine = Occupant.objects.filter(seat=live_seat.seat_id)
    if not mine.filter(to_move=None, from_move=move).delete()[0]:
        mine.filter(to_move=None).update(to_move=move)
    if not mine.filter(version=version, to_move=move).update(to_move=None):
        Occupant.objects.create(match_id=live_seat.table_id, seat_id=live_seat.seat_id, version=version, from_move=move)
