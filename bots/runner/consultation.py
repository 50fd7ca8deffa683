"""Ask one bot for one decision in a separate process.

Hosted bots play live games in this way, because minutes can pass between two decisions. A new process knows only the
messages that it receives (``docs/reference/bot-protocol.md``).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic

from bots.protocol import Decide, Hello, Limits, encode
from bots.runner.channel import OpenChannel, open_channel
from bots.runner.clock import Clock
from bots.runner.launcher import Launcher, PlatformFailure
from bots.runner.match_seat import MatchSeat
from bots.runner.process_end import LAST_WORDS_MS
from bots.runner.questions import AnswerFault, Core, MoveQuestion, ReadyQuestion, ask_one
from bots.runner.report import MachineDelay, Thought
from bots.runner.spec import P_co


@dataclass(frozen=True)
class Consultation(Generic[P_co]):
    """One decision for one bot.

    ``decide`` contains the whole log of the seat, because the process starts without memory. Its ``clock`` contains the
    whole time of the bot. The time of its start is not subtracted.
    """

    label: str
    program: P_co
    hello: Hello
    decide: Decide

    @property
    def limits(self) -> Limits:
        """The limits that the bot is notified of."""
        return Limits(**self.hello["limits"])


@dataclass(frozen=True)
class Advice:
    """The result of a consultation: a ``move`` that is not yet checked, or a ``fault``.

    ``line`` is the line that was judged, or ``None``. ``thought`` and ``ready_us`` are ``None`` if the bot never sent
    ``ready``; it then got no question. ``machine_delay`` is set if the bot was late only because of server lag.
    """

    move: Any
    fault: AnswerFault | None
    line: bytes | None
    thought: Thought | None
    ready_us: int | None
    machine_delay: MachineDelay | None
    exit_status: int | None
    stderr_tail: str


def consult(
    consultation: Consultation[P_co],
    launcher: Launcher[P_co],
    open_channel: OpenChannel = open_channel,
    core: Core | None = None,
) -> Advice:
    """Start the program, ask for the decision, and end the program. It holds ``core`` while it computes.

    Failures of the bot are the ``fault`` of the advice, with the same reasons as in
    :func:`~bots.runner.play.play_match`. Raises ``PlatformFailure`` for failures of the platform. The process has
    always ended on return.
    """
    match_seat = _match_seat(consultation, open_channel)
    try:
        fault = _start(match_seat, consultation, launcher, core)
        question = _ask(match_seat, consultation, core) if fault is None else None
    except BaseException:
        with suppress(PlatformFailure):
            match_seat.leave()
        raise
    if question is not None:
        fault = question.fault
    exited = fault is not None and fault.reason == "exit"
    match_seat.leave(LAST_WORDS_MS if exited else 0)
    if exited:
        fault = AnswerFault("exit", match_seat.exit_evidence())
    return _advice(match_seat, fault, question)


def _match_seat(consultation: Consultation[P_co], open_channel: OpenChannel) -> MatchSeat:
    """Return the seat before this decision."""
    hello, limits = consultation.hello, consultation.limits
    match_seat = MatchSeat(hello["seat"], consultation.label, hello["seed"], limits, open_channel)
    match_seat.clock = Clock(limits, consultation.decide["clock"])
    return match_seat


def _start(
    match_seat: MatchSeat, consultation: Consultation[P_co], launcher: Launcher[P_co], core: Core | None
) -> AnswerFault | None:
    """Start the process. Return why it is not ready, or ``None``."""
    launch = partial(launcher.start, consultation.program, consultation.limits)
    start = ReadyQuestion(match_seat, launch, encode(consultation.hello), consultation.limits.startup_ms)
    ask_one(start, core)
    if start.fault is None:
        match_seat.ready_us = start.wall_ns // 1000
    return start.fault


def _ask(match_seat: MatchSeat, consultation: Consultation[P_co], core: Core | None) -> MoveQuestion:
    match_seat.asked = consultation.decide["id"]
    question = MoveQuestion(match_seat, encode(consultation.decide))
    ask_one(question, core)
    match_seat.settle(question.wall_ns, question.cpu_ns, question.delay_ns, question.allowed_ns)
    return question


def _advice(match_seat: MatchSeat, fault: AnswerFault | None, question: MoveQuestion | None) -> Advice:
    report = match_seat.report()
    return Advice(
        move=None if question is None else question.move,
        fault=fault,
        line=None if question is None else question.line,
        thought=next(iter(report.decisions), None),
        ready_us=report.ready_us,
        machine_delay=next(iter(match_seat.machine_delays), None),
        exit_status=report.exit_status,
        stderr_tail=report.stderr_tail,
    )
