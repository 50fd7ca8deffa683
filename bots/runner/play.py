"""Play one game: ask the bots, play their moves, count strikes and forfeits, and report. It contains no game rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter, perf_counter_ns
from typing import Final, Generic, TypeVar

from bots.protocol import PROTOCOL, bot_seed, encode
from bots.protocol.messages import Decide, Hello, limits_document
from bots.runner.chair import MAX_STRIKES, Chair
from bots.runner.channel import OpenChannel, open_channel
from bots.runner.clock import cores
from bots.runner.launcher import Launcher, Observer, PlatformFailure
from bots.runner.process_end import LAST_WORDS_MS
from bots.runner.questions import AnswerFault, Core, MoveQuestion, ReadyQuestion, ask, ask_one
from bots.runner.report import MatchReport, Strike, escaped
from bots.runner.spec import MAX_REPLAYS, MatchSpec, SeatSpec
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
        self.chairs = [
            Chair(seat, entry.label, bot_seed(spec.key, spec.match, seat, 1), spec.limits, open_channel)
            for seat, entry in enumerate(spec.seats)
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
            for chair in self.chairs:
                chair.leave()
        else:
            self._say_goodbye()
        return self._report((perf_counter_ns() - started_ns) // 1000)

    def clear(self) -> None:
        """End all remaining processes. Ignores failures, because an earlier failure is more important."""
        for chair in self.chairs:
            with suppress(PlatformFailure):
                chair.leave()

    # --- starting ------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        questions = map(self._ready_question, self.chairs, self.spec.seats)
        for question in self._in_turn(questions) if self.spec.trial else ask([*questions], self.at_once, self.core):
            question.chair.start = (question.wall_ns, question.cpu_ns, question.delay_ns)
            if question.fault is None:
                question.chair.ready_us = question.wall_ns // 1000
            else:
                self._forfeit(question.chair, question.fault.reason, question.fault.detail)
        self._clear_forfeited()

    def _ready_question(self, chair: Chair, entry: SeatSpec[P]) -> ReadyQuestion:
        limits = self.spec.limits
        chair.patience_ns = PATIENCE_NS * (self.spec.played_before + 1)
        launch = partial(self.launcher.start, entry.program, limits)
        kind = TrialReadyQuestion if self.spec.trial else ReadyQuestion
        return kind(chair, launch, self._hello(chair), limits.startup_ms)

    def _in_turn(self, questions: Iterable[ReadyQuestion]) -> Iterator[ReadyQuestion]:
        """Ask one question after the other until the trial is over."""
        for question in questions:
            ask_one(question, self.core)
            yield question
            if self._trial_is_over:
                return

    def _hello(self, chair: Chair) -> bytes:
        hello: Hello = {
            "type": "hello",
            "protocol": PROTOCOL,
            "game": self.spec.game,
            "rules": self.state.rules.version,
            "seats": len(self.chairs),
            "seat": chair.seat,
            "resumed": False,
            "limits": limits_document(self.spec.limits),
            "seed": chair.bot_seed,
        }
        return self._told(chair, encode(hello))

    # --- deciding ------------------------------------------------------------------------------------------------

    def _decide(self, pending: Sequence[int]) -> None:
        """Ask all pending seats. Seats that forfeited play their default move."""
        chairs = [self.chairs[seat] for seat in pending]
        questions = [MoveQuestion(chair, self._decide_message(chair)) for chair in chairs if chair.forfeit is None]
        if len(questions) != len(chairs):
            for chair in chairs:
                if chair.forfeit is not None:
                    self._play_default(chair.seat, "forfeit")
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
            question = TrialMoveQuestion(self.chairs[seat], self._decide_message(self.chairs[seat]))
            ask_one(question, self.core)
            self._settle(question)
        if self._somebody_must_leave:
            self._clear_forfeited()

    def _settle(self, question: MoveQuestion) -> None:
        question.chair.settle(question.wall_ns, question.cpu_ns, question.delay_ns, question.allowed_ns)
        if self.observer is not None and question.line is not None:
            self.observer.heard(question.chair.seat, question.line)
        if question.fault is None:
            self._play(question)
        else:
            self._punish(question, question.fault)

    def _decide_message(self, chair: Chair) -> bytes:
        state, seat = self.state, chair.seat
        log = state.entries(seat, chair.log_position)
        chair.log_position += len(log)
        chair.asked += 1
        message: Decide = {
            "type": "decide",
            "id": chair.asked,
            "strikes": len(chair.strikes),
            "decision": state.decision(seat),
            "view": state.view(seat),
            "log": log,
            "clock": chair.clock.left(),
        }
        line = encode(message)
        if self.observer is not None:
            self.observer.sent(seat, line)
        return line

    def _play(self, question: MoveQuestion) -> None:
        try:
            self.state.play(question.chair.seat, question.move)
        except IllegalMove as error:
            self._punish(question, AnswerFault("illegal", str(error), question.line))
        else:
            if self.observer is not None:
                self.observer.moved(self.state)

    def _punish(self, question: MoveQuestion, fault: AnswerFault) -> None:
        """Record a strike, or a forfeit if the fault is one."""
        chair = question.chair
        self._trial_is_over = self.spec.trial
        if fault.reason in FORFEIT_REASONS:
            self._forfeit(chair, fault.reason, fault.detail)
            self._play_default(chair.seat, "forfeit")
            return
        spans = (question.wall_ns // 1000, chair.known_cpu_us(question.cpu_ns))
        chair.strikes.append(Strike(chair.asked, fault.reason, fault.detail, escaped(fault.line), *spans))
        if len(chair.strikes) == MAX_STRIKES:
            strikes = "; ".join(f"decision {strike.id}: {strike.reason}" for strike in chair.strikes)
            self._forfeit(chair, "strikes", f"third strike ({strikes})")
        self._play_default(chair.seat, fault.reason)

    def _play_default(self, seat: int, reason: str) -> None:
        self.state.play(seat, self.state.default_move(seat), default=reason)
        self._moved()

    def _forfeit(self, chair: Chair, reason: str, evidence: str) -> None:
        """Let a seat forfeit at its decision, or before the first step of the game if it has had none.

        Seats that choose simultaneously give up at the same step, in whatever order their answers arrive: the choices
        are recorded together, after the last one.
        """
        self._trial_is_over = self.spec.trial
        at = len(self.state.steps_since(0)) if chair.asked else 0
        chair.give_up(reason, at, evidence)
        self._somebody_must_leave = True
        self.state.forfeit(chair.seat, reason, at)

    def _clear_forfeited(self) -> None:
        """Wait for the processes of seats that have just forfeited, while no clock is running."""
        self._somebody_must_leave = False
        if self.core is not None:
            self.core.release()
        for chair in self.chairs:
            if chair.forfeit is not None and chair.process is not None:
                chair.leave(LAST_WORDS_MS if chair.forfeit.reason == "exit" else 0)

    # --- the end -------------------------------------------------------------------------------------------------

    def _say_goodbye(self) -> None:
        """Send ``end`` and end of file to all remaining bots, then end their processes."""
        if self.core is not None:
            self.core.release()
        outcome = self.state.outcome
        for chair in self.chairs:
            if chair.process is not None and chair.channel is not None:
                log = self.state.entries(chair.seat, chair.log_position)
                chair.process.resume()
                chair.channel.send(self._told(chair, encode({"type": "end", "outcome": outcome, "log": log})))
                chair.channel.close_stdin()
        deadline = perf_counter() + GOODBYE_MS / 1000
        for chair in self.chairs:
            chair.leave(max(0, int((deadline - perf_counter()) * 1000)))

    def _report(self, wall_us: int) -> MatchReport:
        delays = tuple(delay for chair in self.chairs for delay in chair.machine_delays)
        return MatchReport(
            record=self.state.record,
            forfeits=tuple(chair.forfeit for chair in self.chairs if chair.forfeit is not None),
            seats=tuple(chair.report() for chair in self.chairs),
            machine_delays=delays,
            play_again=bool(delays) and self.spec.played_before < MAX_REPLAYS,
            wall_us=wall_us,
        )

    # --- watching ------------------------------------------------------------------------------------------------

    def _told(self, chair: Chair, line: bytes) -> bytes:
        if self.observer is not None:
            self.observer.sent(chair.seat, line)
        return line

    def _moved(self) -> None:
        if self.observer is not None:
            self.observer.moved(self.state)
