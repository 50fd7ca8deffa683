"""Judge answers to decisions of live games: whether they are legal and in time, and the response to them.

A decision is answered once. Repeating the same answer is harmless and gets the same response. Whether an answer is in
time depends on its time of arrival and on the deadline in the row, not on when it is judged. For a late answer the
default move is played.

A bot gets a strike for a wrong answer. A person gets the reason and can answer again until the deadline.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from time import monotonic
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from bots.protocol import MAX_ANSWER_BYTES, Malformed, Posted, parse_posted
from bots.runner.report import escaped
from esr_platform.prepared import Prepared
from games.rules import Document, IllegalMove, Move, State
from ladder.live.clocks import milliseconds
from ladder.live.game import Answered, LockedMatch, lock_match
from ladder.live.outages import forgive_at, is_away
from ladder.live.person_view import json_hash
from ladder.live.position import MoveRow, Position
from ladder.live.publish import save_and_publish
from ladder.live.rows import position_at
from ladder.models import LiveSeat, Match

REFUSED_FOR: Final = ("illegal", "malformed", "too_long")
"""Faults in the content of an answer."""


class AnswerVerdict(StrEnum):
    """The outcome of an answer, by the error code that the API returns for it.

    For ``REFUSED``, the code is the fault (``JudgedAnswer.code``); ``PLAYED`` and ``SAME`` are no errors.
    """

    PLAYED = "played"
    SAME = "same"
    OTHER = "answered"
    LATE = "late"
    REFUSED = "refused"
    WRONG_ID = "wrong_id"
    UNKNOWN = "not_asked"


@dataclass(frozen=True)
class JudgedAnswer:
    """The response to an answer.

    ``move`` is the move that was played for the decision, if any, and ``default`` the reason if it is the default move.
    For a refused answer, ``detail`` is the fault and ``question`` the decision document with the legal moves. No move
    is played for a refused answer of a person, who can send another one.
    """

    verdict: AnswerVerdict
    move: Move | None = None
    default: str = ""
    detail: str = ""
    question: Document | None = None

    @property
    def code(self) -> str:
        """The error code for programs."""
        return self.default if self.verdict == AnswerVerdict.REFUSED else self.verdict


NEVER_SENT: Final = "A remote bot was offline from the start and never received the game. It has no result."

MOST_NEVER_SENT: Final = 3
"""Maximum games per bot and 24 hours that end for this reason. Then the bot loses them, as when it does not answer."""

GRACE: Final = timedelta(seconds=2)
"""How long after the deadline the default move waits for an answer that arrived in time."""

UNKNOWN: Final = JudgedAnswer(AnswerVerdict.UNKNOWN)


@dataclass(frozen=True)
class _Heard:
    """An answer as received, before the game is read."""

    body: bytes
    posted: Posted | Malformed
    print: str

    @property
    def fault(self) -> str:
        if len(self.body) > MAX_ANSWER_BYTES:
            return "too_long"
        return "malformed" if isinstance(self.posted, Malformed) else ""

    def names_another(self, decision: int) -> bool:
        """Whether the id in the answer is not that of ``decision``."""
        return isinstance(self.posted, Posted) and self.posted.id not in (None, decision)


def answer(match_id: int, bot_id: int, decision: int, body: bytes, arrived: float | None = None) -> JudgedAnswer:
    """Judge ``body``, the answer of a remote bot to its ``decision`` in a live game, and play the move.

    ``arrived`` is the time of arrival by ``time.monotonic`` (default: now). Of a body of more than 64 KiB, the first
    64 KiB and one byte are enough.
    """
    arrived = monotonic() if arrived is None else arrived
    seat, decisions = _seated(match_id, bot_id)
    if not 1 <= decision <= decisions:
        return UNKNOWN
    return _answer(match_id, seat, decision, _read(body), arrived)


def answer_seat(match_id: int, seat: int, decision: int, body: bytes, arrived: float | None = None) -> JudgedAnswer:
    """Judge the answer of the person at ``seat``, whom the caller has checked (``actions.seat_of``).

    Illegal answers and answers to settled decisions have no cost.
    """
    arrived = monotonic() if arrived is None else arrived
    if not (0 < match_id < 2**63 and decision >= 1):
        return UNKNOWN
    return _answer(match_id, seat, decision, _read(body), arrived, of_person=True)


def _answer(
    match_id: int, seat: int, decision: int, heard: _Heard, arrived: float, *, of_person: bool = False
) -> JudgedAnswer:
    """Lock the match, judge the answer by the game as it is then, and play the move."""
    with transaction.atomic():
        table = lock_match(match_id)
        if table is not None and not (of_person and seat not in table.position.people):
            # An outage moves the start of the decision, perhaps to after the arrival of the answer.
            received = table.clock_now if of_person and forgive_at(table) else table.at(arrived)
            live_seat = table.position.live_seats[seat]
            if table.owes(seat, decision) and (live_seat.kind == LiveSeat.Kind.PERSON or not of_person):
                return _judge_open(table, seat, heard, received)
            save_and_publish(table)
            return _judge_settled(table.position, seat, decision, heard)
    position = position_at(match_id)  # the game has ended
    if position is None or (of_person and seat not in position.people):
        return UNKNOWN
    return _judge_settled(position, seat, decision, heard)


def expire(match_id: int, grace: timedelta = GRACE) -> int:
    """Play the default move for all seats whose deadline passed ``grace`` ago. Returns how many.

    The game is aborted instead if one of them is that of a bot that never received it.
    """
    with transaction.atomic():
        table = lock_match(match_id)
        if table is None:
            return 0
        late = _late(table, grace)
        if any(_never_received(live_seat) for live_seat, _ in late):
            table.aborted = NEVER_SENT
        for live_seat, deadline in late:
            if live_seat.owes and not table.aborted:
                _too_late(table, live_seat, deadline)
        save_and_publish(table)
    return len(late)


def _late(table: LockedMatch, grace: timedelta) -> list[tuple[LiveSeat, datetime]]:
    """The seats whose deadline passed ``grace`` ago, with the deadline; without people during an outage."""
    now, away = table.clock_now, is_away(table.position)
    owing = [(live_seat, live_seat.deadline) for live_seat in table.position.live_seats if live_seat.deadline]
    late = [(live_seat, deadline) for live_seat, deadline in owing if deadline + grace < now]
    return [
        (live_seat, deadline) for live_seat, deadline in late if not (away and live_seat.kind == LiveSeat.Kind.PERSON)
    ]


def _never_received(live_seat: LiveSeat) -> bool:
    """Whether the game ends without a result because it was never sent to the bot of this seat.

    The stream of the bot closed while the game began, or its web process died. Nobody can learn from this which games
    to avoid. A bot that only polls could, in the list of live games, so there is a limit.
    """
    if live_seat.kind != LiveSeat.Kind.REMOTE or live_seat.starts or live_seat.asked > 1:
        return False
    mine = LiveSeat.objects.filter(kind=LiveSeat.Kind.REMOTE, seat__version__bot=live_seat.seat.version.bot_id)
    never = mine.filter(starts=0, asked__gte=1, table__match__status=Match.Status.ABORTED)
    return never.filter(table__match__ended__gt=Now() - timedelta(days=1)).count() < MOST_NEVER_SENT


def _seated(match_id: int, bot_id: int) -> tuple[int, int]:
    """The seat of a bot and the last decision that it was sent, 0 if none.

    This reads without a lock. A client that guesses therefore delays no other client, and the response time does not
    show whether there is a veiled decision.
    """
    live_seats = _live_seats_of(match_id=match_id, bot_id=bot_id) if 0 < match_id < 2**63 else []
    for seat, asked, owes, due_at, now in live_seats:
        return seat, asked - (owes and due_at > now)
    return 0, 0


def _live_seats(match_id: int, bot_id: int) -> QuerySet[LiveSeat, tuple[int, int, bool, datetime, datetime]]:
    seated = LiveSeat.objects.filter(table=match_id, seat__version__bot=bot_id, kind=LiveSeat.Kind.REMOTE)
    return seated.order_by().values_list("seat__index", "asked", "owes", "due_at", Now())


_live_seats_of: Final = Prepared(_live_seats)


def _read(body: bytes) -> _Heard:
    posted = parse_posted(body)
    known = sha256(body).hexdigest() if isinstance(posted, Malformed) else json_hash(posted.move)
    return _Heard(body, posted, known)


def _checked(state: State, seat: int, heard: _Heard) -> tuple[str, str, Move | None]:
    """The fault of an answer as a code and a sentence (both empty if there is none), and its legal move."""
    if isinstance(heard.posted, Malformed):
        return heard.fault, heard.posted.reason, None
    try:
        return heard.fault, "", state.check(seat, heard.posted.move)
    except IllegalMove as error:
        return "illegal", str(error), None


def _judge_open(table: LockedMatch, seat: int, heard: _Heard, received: datetime) -> JudgedAnswer:
    """Judge an answer to the open decision and advance the game."""
    live_seat = table.position.live_seats[seat]
    assert live_seat.due_at is not None and live_seat.deadline is not None
    # The time at which a request arrived is computed and can be some milliseconds too early. For a person, an outage
    # may also have been compensated in the meantime.
    received = max(received, live_seat.due_at)
    if live_seat.due_at > table.clock_now:
        judged = UNKNOWN  # the decision is not visible to the seat yet
    elif heard.names_another(live_seat.asked):
        judged = JudgedAnswer(AnswerVerdict.WRONG_ID)
    elif received > live_seat.deadline:
        _too_late(table, live_seat, live_seat.deadline)
        judged = JudgedAnswer(AnswerVerdict.LATE, _move_played(table), table.appended[0].default)
    else:
        judged = _play_or_refuse(table, seat, heard, received)
    save_and_publish(table)
    return judged


def _play_or_refuse(table: LockedMatch, seat: int, heard: _Heard, received: datetime) -> JudgedAnswer:
    """Play an answer that was in time, or the default move if it is illegal."""
    live_seat, state = table.position.live_seats[seat], table.state
    starts_at = table.position.starts_at(seat)
    assert starts_at is not None
    wall_ms = milliseconds(starts_at, received)
    question = state.decision(seat)
    fault, detail, move = _checked(state, seat, heard)
    if fault and live_seat.kind == LiveSeat.Kind.PERSON:
        return JudgedAnswer(AnswerVerdict.REFUSED, None, fault, detail, question)
    thought_ms = heard.posted.thought_ms if isinstance(heard.posted, Posted) else None
    line = escaped(heard.body) if fault else ""
    table.settle(seat, Answered(received, wall_ms, move, fault, detail, line, heard.print, thought_ms))
    if fault:
        return JudgedAnswer(AnswerVerdict.REFUSED, _move_played(table), fault, table.appended[0].detail, question)
    return JudgedAnswer(AnswerVerdict.PLAYED, _move_played(table))


def _too_late(table: LockedMatch, live_seat: LiveSeat, deadline: datetime) -> None:
    """Settle a missed deadline: the decision is lost, or the game if the time for it is used up."""
    seat = live_seat.seat.index
    clock = table.position.clock(seat)
    fault, detail = "late", f"no answer within {clock.allowed_ms} ms"
    if clock.game_is_next and live_seat.kind != LiveSeat.Kind.PERSON:
        fault, detail = "time", "the time for the whole game is used up"
    table.settle(seat, Answered(deadline, clock.allowed_ms, fault=fault, detail=detail))


def _move_played(table: LockedMatch) -> Move:
    move: Move = table.appended[0].move
    return move


def _judge_settled(position: Position, seat: int, decision: int, heard: _Heard) -> JudgedAnswer:
    """The response to an answer to a settled decision or in an ended game. It changes nothing."""
    live_seat = position.live_seats[seat]
    if decision > live_seat.asked or (live_seat.owes and decision == live_seat.asked):
        return UNKNOWN  # it was not sent yet, or to a substitute
    if heard.names_another(decision):
        return JudgedAnswer(AnswerVerdict.WRONG_ID)
    try:
        row = position.row_of(seat, decision)
    except LookupError:
        gone = position.match.status in Match.ENDED or position.table.over or live_seat.forfeit
        return JudgedAnswer(AnswerVerdict.LATE) if gone else UNKNOWN
    return _by_row(position, row, heard)


def _by_row(position: Position, row: MoveRow, heard: _Heard) -> JudgedAnswer:
    if not row.default:
        same = heard.print in (row.answer, json_hash(row.move))
        return JudgedAnswer(AnswerVerdict.SAME if same else AnswerVerdict.OTHER, row.move)
    if row.default in REFUSED_FOR and heard.print == row.answer:
        question = position.before(row.number).decision(row.seat)
        return JudgedAnswer(AnswerVerdict.REFUSED, row.move, row.default, row.detail, question)
    verdict = AnswerVerdict.OTHER if row.default in REFUSED_FOR else AnswerVerdict.LATE
    return JudgedAnswer(verdict, row.move, row.default)
