"""Play one game: ask the bots, play their moves, count strikes and forfeits, and report. It contains no game rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter, perf_counter_ns
from typing import Final, Generic, TypeVar

from bots.protocol import Decide, bot_seeds, encode, hello
from bots.runner.channel import OpenChannel, open_channel
from bots.runner.clock import cores
from bots.runner.launcher import Launcher, Observer, PlatformFailure
from bots.runner.match_seat import MAX_STRIKES, MatchSeat
from bots.runner.process_end import LAST_WORDS_MS
from bots.runner.questions import AnswerFault, Core, MoveQuestion, ReadyQuestion, ask, ask_one
from bots.runner.report import MatchReport, Strike, escaped
from bots.runner.spec import MAX_REPLAYS, MatchSpec, SeatSpec, limits_of
from bots.runner.trial import PATIENCE_NS, TrialMoveQuestion, TrialReadyQuestion
from games.registry import GAMES
from games.rules import FORFEIT_REASONS, IllegalMove, State

GOODBYE_MS: Final = 200
"""Milliseconds that all bots together have after ``end`` to exit."""

P = TypeVar("P")


def play_match(
    spec: MatchSpec[P],
    launcher: Launcher[P],
    observer: Observer | None = None,
    open_channel: OpenChannel = open_channel,
    core: Core | None = None,
) -> MatchReport:
    """Play the game of ``spec`` with one process per seat and return the report.

    If several seats choose simultaneously, one bot per processor core thinks at a time. With ``core``, only one bot
    thinks at a time, and it holds this core while it computes.

    Failures of a bot are its own strikes or forfeit, and the game continues for the other seats. A trial ends at the
    first one, and it asks one seat at a time. ``open_channel`` creates the connection to each process. Raises
    ``PlatformFailure`` for failures of the platform, and ``ValueError`` for an invalid specification.
    """
    table = _Table(spec, launcher, observer, open_channel, core)
    try:
        return table.play()
    except BaseException:
        table.clear()
        raise


class _Table(Generic[P]):
    """A running game: its state and its seats."""

    def __init__(
        self,
        spec: MatchSpec[P],
        launcher: Launcher[P],
        observer: Observer | None,
        open_channel: OpenChannel,
        core: Core | None,
    ) -> None:
        if spec.game not in GAMES:
            raise ValueError(f"unknown game {spec.game!r}; expected one of {', '.join(sorted(GAMES))}")
        self.spec, self.launcher, self.observer = spec, launcher, observer
        self.state: State = GAMES[spec.game].new(len(spec.seats), spec.seed)
        self._somebody_must_leave = False
        self._trial_is_over = False
        self.at_once, self.core = cores(), core
        self.limits = [limits_of(entry.program, spec.limits) for entry in spec.seats]
        seeds = spec.bot_seeds or bot_seeds(b"", spec.match, len(spec.seats))
        self.match_seats = [
            MatchSeat(seat, entry.label, seed, limits, open_channel)
            for seat, (entry, limits, seed) in enumerate(zip(spec.seats, self.limits, seeds, strict=True))
        ]

    def play(self) -> MatchReport:
        started_ns = perf_counter_ns()
        self._moved()
        self._start()
        state = self.state
        while not self._trial_is_over and (pending := state.pending):
            if self.spec.trial:
                self._try(pending)
            else:
                self._decide(pending)
        if self._trial_is_over:
            for match_seat in self.match_seats:
                match_seat.leave()
        else:
            self._say_goodbye()
        return self._report((perf_counter_ns() - started_ns) // 1000)

    def clear(self) -> None:
        """End all remaining processes. Ignores failures, because an earlier failure is more important."""
        for match_seat in self.match_seats:
            with suppress(PlatformFailure):
                match_seat.leave()

    # --- starting ------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        questions = map(self._ready_question, self.match_seats, self.spec.seats)
        for question in self._in_turn(questions) if self.spec.trial else ask([*questions], self.at_once, self.core):
            question.match_seat.start = (question.wall_ns, question.cpu_ns, question.delay_ns)
            if question.fault is None:
                question.match_seat.ready_us = question.wall_ns // 1000
            else:
                self._forfeit(question.match_seat, question.fault.reason, question.fault.detail)
        self._clear_forfeited()

    def _ready_question(self, match_seat: MatchSeat, entry: SeatSpec[P]) -> ReadyQuestion:
        limits = self.limits[match_seat.seat]
        match_seat.patience_ns = PATIENCE_NS * (self.spec.played_before + 1)
        launch = partial(self.launcher.start, entry.program, limits)
        kind = TrialReadyQuestion if self.spec.trial else ReadyQuestion
        return kind(match_seat, launch, self._hello(match_seat), limits.startup_ms)

    def _in_turn(self, questions: Iterable[ReadyQuestion]) -> Iterator[ReadyQuestion]:
        """Ask one question after the other until the trial is over."""
        for question in questions:
            ask_one(question, self.core)
            yield question
            if self._trial_is_over:
                return

    def _hello(self, match_seat: MatchSeat) -> bytes:
        rules, seats = self.state.rules, len(self.match_seats)
        message = hello(rules, seats, match_seat.seat, self.limits[match_seat.seat], match_seat.bot_seed)
        return self._sent(match_seat, encode(message))

    # --- deciding ------------------------------------------------------------------------------------------------

    def _decide(self, pending: Sequence[int]) -> None:
        """Ask all pending seats. Seats that forfeited play their default move."""
        match_seats = [self.match_seats[seat] for seat in pending]
        questions = [
            MoveQuestion(match_seat, self._decide_message(match_seat))
            for match_seat in match_seats
            if match_seat.forfeit is None
        ]
        if len(questions) != len(match_seats):
            for match_seat in match_seats:
                if match_seat.forfeit is not None:
                    self._play_default(match_seat.seat, "forfeit")
        if len(questions) == 1:
            ask_one(questions[0], self.core)
            self._settle(questions[0])
        else:
            for question in ask(questions, self.at_once, self.core):
                self._settle(question)
        if self._somebody_must_leave:
            self._clear_forfeited()

    def _try(self, pending: Sequence[int]) -> None:
        """Ask the pending seats of a trial, one after the other.

        After the first fault, the others play their default moves unasked, because a record contains simultaneous moves
        completely or not at all.
        """
        for seat in pending:
            if self._trial_is_over:
                self.state.play(seat, self.state.default_move(seat))
                continue
            question = TrialMoveQuestion(self.match_seats[seat], self._decide_message(self.match_seats[seat]))
            ask_one(question, self.core)
            self._settle(question)
        if self._somebody_must_leave:
            self._clear_forfeited()

    def _settle(self, question: MoveQuestion) -> None:
        question.match_seat.settle(question.wall_ns, question.cpu_ns, question.delay_ns, question.allowed_ns)
        if self.observer is not None and question.line is not None:
            self.observer.heard(question.match_seat.seat, question.line)
        if question.fault is None:
            self._play(question)
        else:
            self._punish(question, question.fault)

    def _decide_message(self, match_seat: MatchSeat) -> bytes:
        state, seat = self.state, match_seat.seat
        log = state.entries(seat, match_seat.log_position)
        match_seat.log_position += len(log)
        match_seat.asked += 1
        message: Decide = {
            "type": "decide",
            "id": match_seat.asked,
            "strikes": len(match_seat.strikes),
            "decision": state.decision(seat),
            "view": state.view(seat),
            "log": log,
            "clock": match_seat.clock.left(),
        }
        line = encode(message)
        if self.observer is not None:
            self.observer.sent(seat, line)
        return line

    def _play(self, question: MoveQuestion) -> None:
        try:
            self.state.play(question.match_seat.seat, question.move)
        except IllegalMove as error:
            self._punish(question, AnswerFault("illegal", str(error), question.line))
        else:
            if self.observer is not None:
                self.observer.moved(self.state)

    def _punish(self, question: MoveQuestion, fault: AnswerFault) -> None:
        """Record a strike, or a forfeit if the fault is one."""
        match_seat = question.match_seat
        self._trial_is_over = self.spec.trial
        if fault.reason in FORFEIT_REASONS:
            self._forfeit(match_seat, fault.reason, fault.detail)
            self._play_default(match_seat.seat, "forfeit")
            return
        spans = (question.wall_ns // 1000, match_seat.known_cpu_us(question.cpu_ns))
        match_seat.strikes.append(Strike(match_seat.asked, fault.reason, fault.detail, escaped(fault.line), *spans))
        if len(match_seat.strikes) == MAX_STRIKES:
            strikes = "; ".join(f"decision {strike.id}: {strike.reason}" for strike in match_seat.strikes)
            self._forfeit(match_seat, "strikes", f"third strike ({strikes})")
        self._play_default(match_seat.seat, fault.reason)

    def _play_default(self, seat: int, reason: str) -> None:
        self.state.play(seat, self.state.default_move(seat), default=reason)
        self._moved()

    def _forfeit(self, match_seat: MatchSeat, reason: str, evidence: str) -> None:
        """Let a seat forfeit at its decision, or before the first step of the game if it has had none.

        Seats that choose simultaneously give up at the same step, in whatever order their answers arrive: the choices
        are recorded together, after the last one.
        """
        self._trial_is_over = self.spec.trial
        at = len(self.state.steps_since(0)) if match_seat.asked else 0
        match_seat.give_up(reason, at, evidence)
        self._somebody_must_leave = True
        self.state.forfeit(match_seat.seat, reason, at)

    def _clear_forfeited(self) -> None:
        """Wait for the processes of seats that have just forfeited, while no clock is running."""
        self._somebody_must_leave = False
        if self.core is not None:
            self.core.release()
        for match_seat in self.match_seats:
            if match_seat.forfeit is not None and match_seat.process is not None:
                match_seat.leave(LAST_WORDS_MS if match_seat.forfeit.reason == "exit" else 0)

    # --- the end -------------------------------------------------------------------------------------------------

    def _say_goodbye(self) -> None:
        """Send ``end`` and end of file to all remaining bots, then end their processes."""
        if self.core is not None:
            self.core.release()
        outcome = self.state.outcome
        for match_seat in self.match_seats:
            if match_seat.process is not None and match_seat.channel is not None:
                log = self.state.entries(match_seat.seat, match_seat.log_position)
                match_seat.process.resume()
                match_seat.channel.send(self._sent(match_seat, encode({"type": "end", "outcome": outcome, "log": log})))
                match_seat.channel.close_stdin()
        deadline = perf_counter() + GOODBYE_MS / 1000
        for match_seat in self.match_seats:
            match_seat.leave(max(0, int((deadline - perf_counter()) * 1000)))

    def _report(self, wall_us: int) -> MatchReport:
        delays = tuple(delay for match_seat in self.match_seats for delay in match_seat.machine_delays)
        return MatchReport(
            record=self.state.record,
            forfeits=tuple(match_seat.forfeit for match_seat in self.match_seats if match_seat.forfeit is not None),
            seats=tuple(match_seat.report() for match_seat in self.match_seats),
            machine_delays=delays,
            play_again=bool(delays) and self.spec.played_before < MAX_REPLAYS,
            wall_us=wall_us,
        )

    # --- watching ------------------------------------------------------------------------------------------------

    def _sent(self, match_seat: MatchSeat, line: bytes) -> bytes:
        if self.observer is not None:
            self.observer.sent(match_seat.seat, line)
        return line

    def _moved(self) -> None:
        if self.observer is not None:
            self.observer.moved(self.state)
