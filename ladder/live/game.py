"""Advance a live game by one move: append it, play forced moves, and ask the next seats.

Callers lock the row of the match in their own transaction (``lock_match``) and notify after it. Rows are locked in
one order everywhere: people by id, exhibition, proposal, match, attempt, table, seats, block, ladder, series, bots,
memberships.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from math import inf
from random import Random, SystemRandom
from time import monotonic
from typing import Final

from django.db.models import QuerySet
from django.db.models.functions import Now

from bots.models import BotVersion
from bots.reports import storable
from bots.runner.match_seat import MAX_STRIKES
from esr_platform.prepared import Prepared, PreparedInsert, PreparedUpdate
from games.registry import GAMES
from games.rules import Document, Forfeit, Move, State
from ladder.live import absences
from ladder.live.clocks import (
    HURRY_MS,
    SHOWN_WITHIN_MS,
    AnswerTime,
    DatabaseClock,
    among_people,
    delay_ms,
    hurried,
    shown_ms,
)
from ladder.live.position import Position, change_occupant, substituted
from ladder.live.rows import KEPT_STATES, keep_game, move_row, position_at
from ladder.models import LiveSeat, Match, PlayedMove, Table

STRIKES: Final = ("late", "malformed", "too_long", "wrong_id", "illegal")
"""Reasons for a strike. A bot forfeits with its third strike."""

_ASKED: Final = ("asked", "owes", "log_asked", "log_before", "due_at", "deadline", "lease", "lease_until")
_OF_PEOPLE: Final = ("kind", "substitute", "missed", "returned", "resigned", "would_abort")
_CHANGED: Final = (
    *_ASKED,
    "strikes",
    "bank_ms",
    "game_ms",
    "latency_ms",
    "forfeit",
    "forfeit_at",
    "evidence",
    *_OF_PEOPLE,
)

_INSERT_MOVES: Final = PreparedInsert(PlayedMove)
_UPDATE_SEATS: Final = PreparedUpdate(LiveSeat, _CHANGED)
_UPDATE_SEATS_GOING_ON: Final = PreparedUpdate(
    LiveSeat, [name for name in _CHANGED if name not in ("lease", "lease_until")]
)
"""For seats without a new decision: a worker may have started to ask them since they were read."""
_UPDATE_TABLE: Final = PreparedUpdate(Table, ["moves", "round", "settled_at", "followed_at", "over", "revision"])


@dataclass(frozen=True)
class Answered:
    """The answer of a seat to its open decision.

    ``fault`` is one of ``STRIKES`` or of ``games.rules.FORFEIT_REASONS``, or empty for a legal ``move``. For people and
    substitutes, every fault counts as absence. ``wall_ms`` is charged to the seat's clock; ``thought_ms`` is reported
    by the client. ``print`` identifies the answer if it is repeated.
    """

    received: datetime
    wall_ms: int
    move: Move | None = None
    fault: str = ""
    detail: str = ""
    heard: str = ""
    print: str = ""
    thought_ms: int | None = None


@dataclass(frozen=True)
class Known:
    """What was known of a table before a change.

    ``settled``: every seat had been shown all moves. ``steps`` is the number of steps, and ``entries`` the length of
    the log of each person, by seat.
    """

    settled: bool
    steps: int
    entries: Mapping[int, int]


@dataclass
class LockedMatch:
    """A running table whose match is locked by this transaction.

    ``now`` is the database's time just before the lock was requested, ``since`` the same moment by ``time.monotonic``.
    All times at a table are whole milliseconds, as databases compare them.
    """

    position: Position
    now: datetime
    since: float
    state: State = field(init=False)
    random: Random = field(default_factory=SystemRandom)
    appended: list[PlayedMove] = field(default_factory=list)
    asked: list[LiveSeat] = field(default_factory=list)
    aborted: str = ""
    """The reason if the game is aborted."""
    changed_more: bool = False
    """Whether rows were changed that ``position`` does not show."""

    def __post_init__(self) -> None:
        live_seats = self.position.live_seats
        self.followed = any(live_seat.kind == LiveSeat.Kind.PERSON for live_seat in live_seats)
        self.state = KEPT_STATES.take(self.position)
        self._steps = self.state.step_count
        self._entries = self.state.entry_count(None) if self.followed else 0
        people = self.position.people if self.followed else ()
        self.before = Known(self.is_settled, self._steps, {seat: self.state.entry_count(seat) for seat in people})
        self._changed: dict[int, LiveSeat] = {}
        self._seated: list[tuple[LiveSeat, BotVersion, int]] = []
        self._hasty = False

    @property
    def match(self) -> Match:
        return self.position.match

    @property
    def clock_now(self) -> datetime:
        """The database's time now."""
        return self.at(monotonic())

    @property
    def is_settled(self) -> bool:
        """Whether every seat has been shown all moves so far: nothing is held back."""
        return self.position.table.settled_at <= self.clock_now

    @property
    def recorded(self) -> int:
        """The number of steps that are recorded so far. Simultaneous choices are recorded with the last one."""
        return self._steps

    def at(self, moment: float) -> datetime:
        """The database's time at ``moment`` of ``time.monotonic``."""
        return self.now + timedelta(milliseconds=int(1000 * (moment - self.since)))

    def owes(self, seat: int, decision: int) -> bool:
        """Whether ``decision`` is the one that ``seat`` owes."""
        live_seat = self.position.live_seats[seat]
        return live_seat.owes and live_seat.asked == decision

    # --- one answer ----------------------------------------------------------------------------------------------

    def settle(self, seat: int, answered: Answered) -> None:
        """Play the answer of ``seat``, or the default move if it has a fault, and all that follows."""
        live_seat = self.position.live_seats[seat]
        if self.position.began_a_round_unseen:
            absences.withdraw_votes(self)
        if live_seat.kind != LiveSeat.Kind.SUBSTITUTE:
            clock = self.position.clock(seat).spent(answered.wall_ms)
            live_seat.bank_ms, live_seat.game_ms = clock.bank_ms, clock.game_ms
        if answered.thought_ms is not None:
            live_seat.latency_ms = max(0, answered.wall_ms - answered.thought_ms)
        reason = self._count_fault(live_seat, answered)
        asked_at = live_seat.due_at
        live_seat.close_decision()
        self.change(live_seat)
        row = PlayedMove(
            decision=live_seat.asked,
            asked_at=asked_at,
            received_at=answered.received,
            visible_at=max(answered.received, self.clock_now),
            wall_ms=answered.wall_ms,
            thought_ms=answered.thought_ms,
            answer=answered.print,
            detail=storable(answered.detail)[:500],
            heard=answered.heard[:600],
        )
        self._play(seat, answered.move if not reason else None, reason, row)
        if live_seat.kind == LiveSeat.Kind.PERSON:
            absences.answered(self, live_seat, missed=bool(reason))
        self.go_on()

    def _count_fault(self, live_seat: LiveSeat, answered: Answered) -> str:
        """Count a fault. Returns the reason for the default move, or ``""``."""
        if not answered.fault:
            return ""
        if live_seat.kind in LiveSeat.OF_PEOPLE:
            return "absent"
        if answered.fault not in STRIKES:
            self.forfeit(live_seat, Forfeit(answered.fault, self.recorded), answered.detail)
            return "forfeit"
        live_seat.strikes += 1
        if live_seat.strikes == MAX_STRIKES:
            self.forfeit(live_seat, Forfeit("strikes", self.recorded), self._third_strike(live_seat, answered.fault))
        return answered.fault

    def _third_strike(self, live_seat: LiveSeat, fault: str) -> str:
        seat = self.position.live_seats.index(live_seat)
        struck = [(row.decision, row.default) for row in self.position.rows if row.seat == seat]
        strikes = [f"decision {decision}: {reason}" for decision, reason in struck if reason in STRIKES]
        return f"third strike ({'; '.join([*strikes, f'decision {live_seat.asked}: {fault}'])})"

    def forfeit(self, live_seat: LiveSeat, forfeit: Forfeit, evidence: str) -> None:
        """Let the seat forfeit. The platform plays default moves for it from then on."""
        live_seat.forfeit, live_seat.forfeit_at = forfeit
        live_seat.evidence = storable(evidence)[:500]
        live_seat.close_decision()
        self.change(live_seat)
        self.changed_more = True

    # --- people --------------------------------------------------------------------------------------------------

    def seat(self, live_seat: LiveSeat, kind: LiveSeat.Kind, version: BotVersion) -> None:
        """Let ``version`` play in the seat from then on. An open decision is asked again."""
        live_seat.kind = kind
        if kind == LiveSeat.Kind.SUBSTITUTE:
            live_seat.substitute = version
        self._seated.append((live_seat, version, self.position.table.moves))
        self.changed_more = True
        self.change(live_seat)
        if live_seat.owes:
            self._put_to(live_seat)

    def change(self, live_seat: LiveSeat) -> None:
        """Mark the seat as changed. Fields of workers and of presence are not written by this."""
        self._changed[live_seat.seat.index] = live_seat

    def play_out(self) -> None:
        """Play default moves to the end immediately, for seats that have forfeited and for the last player.

        They become visible no earlier than the moves before them, together with forced moves that were held back.
        """
        self._hasty = True
        before = [row.visible_at for row in self.position.rows] + [row.visible_at for row in self.appended]
        while pending := self.state.pending:
            for seat in pending:
                live_seat, now = self.position.live_seats[seat], self.clock_now
                row = PlayedMove(received_at=now, visible_at=max([now, *before]))
                if live_seat.owes:
                    row.decision, row.asked_at = live_seat.asked, live_seat.due_at
                    live_seat.close_decision()
                    self.change(live_seat)
                self._play(seat, None, "forfeit" if live_seat.forfeit else "absent", row)

    # --- what follows --------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Ask the first decisions of a new table."""
        self.go_on()

    def go_on(self) -> None:
        """Play for seats that have forfeited, with plausible delays, until another seat must be asked."""
        absences.conclude(self)
        if self.aborted:
            return
        while gone := [seat for seat in self.state.pending if self.position.live_seats[seat].forfeit]:
            since = max(self.position.table.settled_at, self.clock_now)
            for seat in gone:
                kind = str(self.state.decision_kind)
                delay = timedelta(milliseconds=delay_ms(self._hurried_paces, seat, kind, self.random))
                row = PlayedMove(received_at=since, visible_at=since + delay)
                self._play(seat, None, "forfeit", row)
        self._ask(self.state.pending)
        if not self.state.pending:
            absences.end(self)

    @cached_property
    def _paces(self) -> list[AnswerTime]:
        """How long seats took for earlier decisions."""
        return self.position.paces(substituted(self.position.live_seats))

    @cached_property
    def _hurried_paces(self) -> list[AnswerTime]:
        """The same for seats for which the platform plays, without long delays."""
        paces = hurried(self._paces, self.position.limits.move_ms)
        return hurried(paces, HURRY_MS) if self.position.people else paces

    def _ask(self, seats: Iterable[int]) -> None:
        """Ask seats that have not been asked yet. They see the decision after all earlier moves."""
        for seat in seats:
            live_seat = self.position.live_seats[seat]
            if live_seat.owes:
                continue
            live_seat.asked, live_seat.owes = live_seat.asked + 1, True
            live_seat.log_before, live_seat.log_asked = live_seat.log_asked, self.state.entry_count(seat)
            self._put_to(live_seat)

    def _put_to(self, live_seat: LiveSeat) -> None:
        """Show the open decision as soon as all earlier moves are visible, and start its clock.

        The clock of a person starts when they have been shown these moves one after the other.
        """
        table = self.position.table
        live_seat.lease = live_seat.lease_until = live_seat.deadline = None
        live_seat.due_at = max(table.settled_at, self.clock_now)
        if live_seat.kind not in LiveSeat.ASKED_BY_WORKERS:
            by_hand = live_seat.kind == LiveSeat.Kind.PERSON
            start = max(live_seat.due_at, table.followed_at) if by_hand else live_seat.due_at
            allowed_ms = self.position.clock(live_seat.seat.index).allowed_ms
            live_seat.deadline = start + timedelta(milliseconds=allowed_ms)
        self.change(live_seat)
        if live_seat not in self.asked:
            self.asked.append(live_seat)

    def _play(self, seat: int, move: Move | None, reason: str, row: PlayedMove) -> None:
        """Play ``move``, or the default move with ``reason``, and complete its row."""
        table, kind = self.position.table, str(self.state.decision_kind)
        row.kind, row.default = kind, reason
        row.move = self.state.default_move(seat) if reason else self.state.check(seat, move)
        self.state.play(seat, row.move, default=reason or None)
        row.match, row.seat, row.number = self.match, self.position.live_seats[seat].seat, table.moves
        veiled = self._veiled_steps()
        row.delays = [self._delay(seat, kind) for _, seat, kind in veiled]
        if table.round != self.state.rounds_begun and not row.delays:
            absences.withdraw_votes(self)  # otherwise later: the new round would reveal forced moves
        row.round = table.round = self.state.rounds_begun
        table.moves += 1
        shown = row.visible_at + timedelta(milliseconds=sum(row.delays))
        table.settled_at = max(table.settled_at, shown)
        if self.followed and not self._hasty:
            self._follow(row, [ply for ply, *_ in veiled])
        self.appended.append(row)

    def _veiled_steps(self) -> list[tuple[int, int, str]]:
        """The veiled forced steps that have just happened: ply, seat and kind."""
        start, steps = self._steps, self.state.steps_since(self._steps)
        self._steps += len(steps)
        veiled = self.state.rules.veiled
        return [
            (ply, step["seat"], step["decision"])
            for ply, step in enumerate(steps, start)
            if step.get("forced") and step["decision"] in veiled
        ]

    def _follow(self, row: PlayedMove, veiled: list[int]) -> None:
        """Add the time in which people are shown ``row``, whose ``veiled`` steps become visible after its delays."""
        table, beats = self.position.table, GAMES[self.match.ladder.game].presentation.beats
        entries = self.state.entries(None, self._entries)
        self._entries += len(entries)
        moment = row.visible_at
        for delay, part in zip([0, *row.delays], _parts(entries, veiled), strict=True):
            moment += timedelta(milliseconds=delay)
            table.followed_at = max(table.followed_at, moment) + timedelta(milliseconds=shown_ms(part, beats))
        table.followed_at = min(table.followed_at, table.settled_at + timedelta(milliseconds=SHOWN_WITHIN_MS))

    def _delay(self, seat: int, kind: str) -> int:
        """A plausible delay of ``seat``; 0 in the rest of a game that is played out, which hides nothing."""
        if self._hasty:
            return 0
        by_hand = self.position.live_seats[seat].kind == LiveSeat.Kind.PERSON
        most_ms = among_people(self.position.limits.move_ms) if self.position.people else inf
        return delay_ms(self._paces, seat, kind, self.random, by_hand=by_hand, most_ms=most_ms)

    # --- writing -------------------------------------------------------------------------------------------------

    @property
    def has_changed(self) -> bool:
        """Whether there is anything to write."""
        return bool(self.appended or self._changed or self.aborted)

    def save(self) -> None:
        """Write the changed rows, one statement for each kind, and the changes of occupants."""
        table = self.position.table
        table.over = not self.state.pending
        table.revision += 1
        _INSERT_MOVES(self.appended)
        going_on = [live_seat for live_seat in self._changed.values() if live_seat.owes and live_seat not in self.asked]
        _UPDATE_SEATS_GOING_ON(going_on)
        _UPDATE_SEATS([live_seat for live_seat in self._changed.values() if live_seat not in going_on])
        for live_seat, version, move in self._seated:
            change_occupant(live_seat, version, move)
        _UPDATE_TABLE([table])

    def played_on(self) -> Position:
        """The position after the changes, once they are committed."""
        rows = (*self.position.rows, *map(move_row, self.appended))
        return replace(self.position, now=self.clock_now, rows=rows)

    def keep(self, after: Position) -> None:
        """Cache the game, its moves and the state after them, once they are committed."""
        keep_game(after)
        if not self.changed_more:  # else the state is replayed once
            KEPT_STATES.put(after, self.state)


def _parts(entries: Iterable[Document], plies: Iterable[int]) -> list[list[Document]]:
    """``entries`` in parts: the first one, and one more from each step of ``plies`` on."""
    parts: list[list[Document]] = [[]]
    later = set(plies)
    for entry in entries:
        if "step" in entry and entry["ply"] in later:
            parts.append([])
        parts[-1].append(entry)
    return parts


def lock_match(match_id: int) -> LockedMatch | None:
    """Lock the match of a running table, in the caller's transaction, and read it; ``None`` if it does not run."""
    asked = monotonic()
    locked = _locked(match_id=match_id)
    position = position_at(match_id) if locked else None
    if position is None:
        return None
    now = _whole(locked[0][0])
    return LockedMatch(position, now, _CLOCK.moment_of(now, asked))


def _whole(moment: datetime) -> datetime:
    """The moment in whole milliseconds."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _running(match_id: int) -> QuerySet[Match, tuple[datetime]]:
    """Lock the match. The time is that of the request, however long the lock took."""
    matches = Match.objects.select_for_update(no_key=True).filter(pk=match_id, status=Match.Status.RUNNING)
    return matches.order_by().values_list(Now())


_locked: Final = Prepared(_running)
_CLOCK: Final = DatabaseClock()
