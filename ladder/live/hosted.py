"""Hosted bots at live tables: for each decision, a worker starts the bot in a process of its own.

House bots are asked inside the worker's process: their code is the platform's, and a start takes longer than most of
their decisions.

The worker that asks a seat has its *turn*: a lease of the seat's row (``esr_platform.leases``), taken without a lock on
the match. It ends with the decision, and a worker whose turn another one has taken over can no longer play.
``LiveSeat.starts`` counts the processes. Each gets its number in the hello message.

Only the program's own time is taken from its clock, from the question to the answer (``bots.runner.consultation``).
Starting the program, waiting for a core and retrying after a failure are not counted. A match is void if the platform
fails too often or too long at one decision: see ``remind``. If a substitute cannot be asked, the default move is played
instead, so that the other players keep their game.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final, cast

from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from bots import worker_hosts
from bots.models import WorkerHost
from bots.programs import LostCode, NotHere, house_bot
from bots.protocol import Hello, Limits, limits_document
from bots.runner.consultation import Advice
from bots.runner.launcher import Launcher, NoCoreFree, PlatformFailure
from bots.runner.report import escaped
from bots.runner.spec import MAX_REPLAYS, limits_of_file, longest_start_ms
from bots.worker.live import LiveDecision, advices
from esr_platform import leases
from esr_platform.disconnects import retry_on_disconnect, run_isolated
from esr_platform.heartbeats import beating
from esr_platform.leases import EXPIRED, FREE, RENEW_EVERY_S, Lease, on_database
from games.rules import IllegalMove
from ladder.live import decisions, logs
from ladder.live.clocks import milliseconds
from ladder.live.end import void
from ladder.live.game import Answered, LockedMatch, lock_match
from ladder.live.notify import wake
from ladder.live.position import Position
from ladder.live.publish import save_and_publish
from ladder.live.rows import position_at, position_of
from ladder.matches import pauses
from ladder.matches.assignments import ProgramOf
from ladder.matches.leases import MOST_FAILURES
from ladder.matches.play import program_here, worker_here
from ladder.models import LiveSeat, Match

logger = logging.getLogger(__name__)

AT_WORK: Final = timedelta(seconds=20)
"""A worker without a heartbeat for this time is lost, and another one asks."""

UNHEARD: Final = timedelta(seconds=10)
"""Time after which a hint without effect is repeated."""

PATIENCE: Final = timedelta(minutes=3)
"""How long a game waits for a machine that can run the bot."""

PATIENCE_FOR_SUBSTITUTES: Final = timedelta(minutes=1)
"""How long people wait for a machine that can run a substitute."""

RETRY_MS: Final = 2000


@dataclass(frozen=True)
class Turn:
    """The right to ask a seat for its open decision. ``start`` is the number of the next process of the seat."""

    match_id: int
    seat: int
    decision: int
    start: int
    lease: Lease[LiveSeat]


def ask_seat(match_id: int, seat: int, failed: int = 0, launcher: Launcher[Any] | None = None) -> bool:
    """Ask the hosted bot at ``seat`` for the decision that it owes and play it. Returns whether a move was played.

    ``failed`` is how often the platform has failed at this decision. Safe to repeat and to run concurrently.
    """
    turn = take(match_id, seat, worker_here())
    if turn is None:
        return False
    try:
        decision = decision_of(turn, program_here)
        if not connection.in_atomic_block:  # the bot may think for minutes
            connection.close()
        with beating(on_database(turn.lease.renew), f"seat {seat} of match {match_id}", RENEW_EVERY_S):
            results = advices(decision, settings.VAR_DIR, launcher)
        return conclude(turn, results)
    except (NotHere, NoCoreFree) as missing:
        logger.warning("seat %s of match %s is waiting: %s", seat, match_id, missing)
        give_back(turn, failed)
    except PlatformFailure as failure:
        fail(turn, failed + 1, failure)
    except Exception as error:  # the border of the worker: whatever it is, it is ours
        logger.exception("could not ask seat %s of match %s", seat, match_id)
        fail(turn, failed + 1, PlatformFailure(f"internal error ({type(error).__name__})"))
    return False


def take(match_id: int, seat: int, worker: str = "") -> Turn | None:
    """The turn of ``worker`` to ask a seat.

    ``None`` if the seat owes nothing or must not be asked yet, or if another worker asks it.
    """
    live_seat = owing().filter(table=match_id, seat__index=seat).annotate(database_now=Now()).first()
    if live_seat is None or live_seat.due_at is None:
        return None
    if live_seat.due_at > live_seat.database_now:
        wake(match_id, seat, milliseconds(live_seat.database_now, live_seat.due_at) + 1)
        return None
    read = {"asked": live_seat.asked, "starts": live_seat.starts}
    free = LiveSeat.objects.filter(FREE, owes=True, kind__in=LiveSeat.ASKED_BY_WORKERS, **read)
    lease = leases.claim(free, live_seat.pk, AT_WORK, starts=F("starts") + 1, worker=worker, claimed=Now())
    if lease is None:
        return None
    if live_seat.lease is not None:  # it has expired
        worker_hosts.failed(live_seat.worker, work_of(match_id))
    return Turn(match_id, seat, live_seat.asked, live_seat.starts + 1, lease)


def work_of(match_id: int) -> str:
    """The name of a live table among the work of ``bots.worker_hosts``."""
    return f"live/{match_id}"


def remind() -> int:
    """Repeat lost hints for seats, and give up seats that have waited too long. Returns how many there were.

    The sweeper calls this. Safe to run concurrently.
    """
    unheard = Q(lease=None, due_at__lt=Now() - UNHEARD) | EXPIRED
    names = ("seat__version__bot", "substitute__bot", "table")
    waiting = owing().filter(unheard).annotate(database_now=Now()).select_related(*names)
    live_seats = list(waiting.order_by("due_at"))
    for live_seat in live_seats:
        patience = PATIENCE_FOR_SUBSTITUTES if live_seat.kind == LiveSeat.Kind.SUBSTITUTE else PATIENCE
        if live_seat.worker.startswith(WorkerHost.WORKER):  # a host that withholds an answer must not end the game
            patience += longest_turn(live_seat)
        if live_seat.due_at is not None and live_seat.due_at < live_seat.database_now - patience:
            turn = take(live_seat.table_id, live_seat.seat.index)
            if turn is not None:
                _give_up(turn, _waited_in_vain(live_seat, patience))
        elif cache.add(f"reminded/{live_seat.pk}/{live_seat.asked}", True, UNHEARD.seconds):
            wake(live_seat.table_id, live_seat.seat.index)
    return len(live_seats)


def owing() -> QuerySet[LiveSeat]:
    """The seats of running games that owe a decision for which a worker asks: of hosted bots and of substitutes."""
    asked = LiveSeat.objects.filter(kind__in=LiveSeat.ASKED_BY_WORKERS, owes=True)
    return asked.filter(table__match__status=Match.Status.RUNNING)


def longest_turn(live_seat: LiveSeat) -> timedelta:
    """How long a worker may ask for one decision, with all starts of the program."""
    limits = Limits(**live_seat.table.limits)
    each_ms = longest_start_ms(limits) + limits.move_ms + limits.bank_ms
    return timedelta(milliseconds=(MAX_REPLAYS + 1) * each_ms) + AT_WORK


# --- asking --------------------------------------------------------------------------------------------------------


def decision_of(turn: Turn, program_of: ProgramOf) -> LiveDecision[Any]:
    """What the program of a seat is asked. Raises the errors of ``program_of``."""
    match = Match.objects.select_related("ladder", "block").get(pk=turn.match_id)
    position = position_of(match)
    version = position.live_seats[turn.seat].playing
    program = program_of(version, match.block.rated)
    return LiveDecision(str(version), program, _hellos(position, turn), decisions.decide(position, turn.seat))


def _hellos(position: Position, turn: Turn) -> tuple[Hello, ...]:
    """The first messages of the processes: of one, and of those after it as often as a game is played again."""
    version, limits = position.live_seats[turn.seat].playing, position.limits
    if house_bot(version) is None:
        limits = limits_of_file(version.command[0], limits)
    starts = range(turn.start, turn.start + MAX_REPLAYS + 1)
    hellos = (decisions.hello(position, turn.seat, resumed=start > 1, start=start) for start in starts)
    return tuple(cast("Hello", {**hello, "limits": limits_document(limits)}) for hello in hellos)


def conclude(turn: Turn, results: Sequence[Advice]) -> bool:
    """Play the last of the results, and note all for the owner of the bot; whether it counted.

    ``results`` is not empty and has at most as many entries as ``LiveDecision.hellos``.
    """
    position = position_at(turn.match_id)
    if position is None:
        return False
    if position.live_seats[turn.seat].playing.bot.owner_id is not None:
        for hello, advice in zip(_hellos(position, turn), results, strict=False):
            _note(turn, hello, advice)
    if len(results) > 1 and not turn.lease.renew(starts=turn.start + len(results) - 1):
        return False
    answered = partial(_answered, seat=turn.seat, advice=results[-1])
    return retry_on_disconnect(partial(_bring, turn, answered))  # safe: then the decision is owed no more


def _note(turn: Turn, hello: Hello, advice: Advice) -> None:
    """A log is a service: what the program has answered counts though nobody can write it down beside the table."""
    try:
        logs.note(turn.match_id, turn.seat, turn.decision, hello, advice)
    except Exception:
        logger.exception("bot log entry lost for seat %s of match %s", turn.seat, turn.match_id)


def _bring(turn: Turn, answered: Callable[[LockedMatch], Answered]) -> bool:
    """Play what came and what follows from it, if the turn is still this worker's."""
    with transaction.atomic():
        table = lock_match(turn.match_id)
        if table is None or not table.owes(turn.seat, turn.decision):
            return False
        if table.position.live_seats[turn.seat].lease != turn.lease.token:
            return False
        table.settle(turn.seat, answered(table))
        save_and_publish(table)
    return True


def _answered(table: LockedMatch, seat: int, advice: Advice) -> Answered:
    """What came, judged by the rules. To wait for longer than the program was allowed to take was not its wish."""
    received, allowed_ms = table.clock_now, table.position.clock(seat).allowed_ms
    wall_ms = min(advice.thought.wall_us // 1000 if advice.thought else 0, allowed_ms)
    fault, detail = ("", "") if advice.fault is None else (advice.fault.reason, advice.fault.detail)
    if not fault:
        try:
            return Answered(received, wall_ms, table.state.check(seat, advice.move))
        except IllegalMove as error:
            fault, detail = "illegal", str(error)
    return Answered(received, wall_ms, fault=fault, detail=detail, heard=escaped(advice.line))


# --- failing -------------------------------------------------------------------------------------------------------


def fail(turn: Turn, failed: int, failure: PlatformFailure) -> None:
    """Try again in a while, or end the game. A bot whose code is lost is paused."""
    logger.warning("could not ask seat %s of match %s: %s", turn.seat, turn.match_id, failure)
    lost = isinstance(failure, LostCode)
    if failed < MOST_FAILURES and not lost:
        give_back(turn, failed)
    else:
        tried = "" if lost else f" after {failed} attempts"
        reason = f"The bot at seat {turn.seat} could not be run{tried}: {failure}"
        if _give_up(turn, reason) and isinstance(failure, LostCode):
            pauses.begin_for_lost_code(failure.version)


def _give_up(turn: Turn, reason: str) -> bool:
    """End the game that cannot go on, or play the default move for a person who has gone; whether it was still owed."""
    owed = turn.lease.row
    if owed.filter(kind=LiveSeat.Kind.SUBSTITUTE).exists():
        absent = partial(_bring, turn, lambda table: Answered(table.clock_now, 0, fault="absent", detail=reason))
        brought = run_isolated(
            absent, None, logger, "live match %s cannot continue without a substitute", turn.match_id, busy=False
        )
        if brought is not None:
            return brought
    return owed.exists() and void(turn.match_id, reason, owed.exists)


def give_back(turn: Turn, failed: int) -> None:
    """Another worker may ask, or this one again in a while."""
    if turn.lease.release():
        wake(turn.match_id, turn.seat, RETRY_MS, failed)


def _waited_in_vain(live_seat: LiveSeat, patience: timedelta) -> str:
    minutes = patience.seconds // 60
    return f"No worker could run {live_seat.playing} at seat {live_seat.seat.index} for {minutes} min."
