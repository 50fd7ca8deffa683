"""Questions to bots: send, time and receive. The rules of the game judge the moves elsewhere."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any, Final, Protocol, TypeVar

from bots.protocol import Answer, Malformed, is_ready, parse_answer
from bots.runner.channel import Channel, News
from bots.runner.clock import MS
from bots.runner.launcher import Process, uninterrupted
from bots.runner.match_seat import EXITED, PONDERING_NS, MatchSeat
from bots.runner.process_end import LAST_LINE_NS, LOOK_NS
from bots.runner.report import MachineDelay

# --- One question ----------------------------------------------------------------------------------------------------

MACHINE_SHARE: Final = 20
"""A late answer is attributed to server lag only if the lag is at least 1/20 of the time allowed."""

NEVER_UNUSUAL_SHARE: Final = 100
"""An own time of up to 1/100 of the time allowed is never unusual (``MatchSeat.usual_ns``)."""

OWN_SHARE: Final = 0.8
"""It is not attributed to server lag if the bot's own time is more than this share of the time allowed.

The own time is the wall time without the lag, whether the bot computed, slept or polled. Otherwise a bot could answer
late on purpose to get a re-run of the match.
"""

ENDS: Final = ("exit", "memory")
"""The reasons of faults of a bot that has ended. They count even after the deadline."""

FIRST_LOOK_NS: Final = 20 * MS
"""Time without an answer after which the runner first checks whether the bot has exited or closed its stdout."""

READY: Final = 'load little before {"type": "ready"}, send it as the first line, and flush stdout after each line'
"""What the author of a bot without a ready message can do."""

MEASURED_NS: Final = MS
"""Server lag is not measured for answers faster than this."""


@dataclass(slots=True)
class AnswerFault:
    """The failure of a question: ``reason`` is a reason of the protocol, ``line`` the line of the bot."""

    reason: str
    detail: str
    line: bytes | None = None


class Question(ABC):
    """A message that expects one line. ``over`` is true when an answer, a fault or a timeout has ended it.

    ``attended_ns`` is the time that the runner spent on other lines of the bot. It is not server lag, because a bot
    could use up the runner's processor time in this way. ``exited`` is true after the runner has found that the bot
    exited or closed its stdout. ``runner_delay_before_ns`` is the delay of the runner before its last wait for data.
    """

    __slots__ = (
        "_cpu_before_ns",
        "_delay_before_ns",
        "_process",
        "allowed_ns",
        "attended_ns",
        "channel",
        "cpu_ns",
        "deadline_ns",
        "delay_ns",
        "exited",
        "fair_ns",
        "fault",
        "line",
        "look_ns",
        "match_seat",
        "over",
        "runner_delay_before_ns",
        "started_ns",
        "wall_ns",
    )  # fmt: skip
    channel: Channel
    allowed_ns: int
    deadline_ns: int
    fair_ns: int
    look_ns: int
    runner_delay_before_ns: int
    _cpu_before_ns: int
    _delay_before_ns: int
    _process: Process
    started_ns: int

    def __init__(self, match_seat: MatchSeat) -> None:
        self.match_seat = match_seat
        self.fault: AnswerFault | None = None
        self.line: bytes | None = None
        self.over = self.exited = False
        self.wall_ns = self.cpu_ns = self.delay_ns = 0
        self.attended_ns = 0

    @abstractmethod
    def put(self) -> None:
        """Send the message and start the clock."""

    @abstractmethod
    def _judge(self, line: bytes | None) -> AnswerFault | bool:
        """Return true if ``line`` is the answer, false if it is ignored, or its fault. ``None`` is an overlong line."""

    @abstractmethod
    def _lateness(self) -> AnswerFault:
        """Return the fault of a missing answer."""

    def _start_clock(self, allowed_ns: int, fair_ns: int) -> None:
        self.allowed_ns, self.fair_ns = allowed_ns, fair_ns
        self.note_runner_delay()
        self.started_ns = now_ns = perf_counter_ns()
        self.deadline_ns = now_ns + allowed_ns
        self.look_ns = now_ns + (FIRST_LOOK_NS if allowed_ns > FIRST_LOOK_NS else allowed_ns)

    def note_runner_delay(self) -> None:
        """Store the delay of the runner before it waits for data."""
        self.runner_delay_before_ns = self._process.runner_delay_ns()

    def hear(self, now_ns: int) -> None:
        """Judge the received lines until one ends the question."""
        lines = self.channel.lines
        while lines:
            line = lines.popleft()
            verdict = self._judge(line)
            if verdict is not False:
                self.line = line
                self._conclude(now_ns, None if verdict is True else verdict)
                return
        if self.channel.ended:
            self._conclude(now_ns, self._end())

    def look(self, now_ns: int) -> None:
        """Check after a silence whether the bot has exited, is late, or waits for a processor."""
        if self.exited:
            self._conclude(now_ns, self._end())
        elif self._process.gave_up_stdout():
            self.exited, self.look_ns = True, now_ns + LAST_LINE_NS
        elif now_ns < self.deadline_ns:
            self.look_ns = min(self.deadline_ns, now_ns + min(now_ns - self.started_ns, LOOK_NS))
        else:
            self._measure(now_ns)
            grace_ns = self._grace_ns()
            if grace_ns > 0:
                self.look_ns = now_ns + max(grace_ns, MS)
            else:
                self._conclude(now_ns, self._lateness())

    def suspend(self, core: Core) -> None:
        """Stop the bot until ``core`` is held. The time is not on its clock. Raises ``NoCoreFree``.

        Does not wait if the bot has answered before it stopped.
        """
        stopped_ns = perf_counter_ns()
        self._process.pause()
        try:
            core.release()
            news = self.channel.wait(0)
            if news:
                _take(self, news, stopped_ns)
            if not self.over:
                core.hold()
        finally:
            self._process.resume()
        waited_ns = perf_counter_ns() - stopped_ns
        self.started_ns += waited_ns
        self.deadline_ns += waited_ns
        self.look_ns += waited_ns

    def share(self, core: Core) -> None:
        """Let the bot hold ``core`` while it computes, for one slice if others wait. Raises ``NoCoreFree``."""
        computes = self._process.computes()
        if not computes:
            core.release()
        elif core.is_due or not (core.held or core.try_hold()):
            self.suspend(core)

    def _measure(self, now_ns: int) -> None:
        self.wall_ns = now_ns - self.started_ns
        self.match_seat.cpu_seen_ns = cpu_ns = self._process.cpu_ns()
        self.cpu_ns = max(0, cpu_ns - self._cpu_before_ns)  # a process that has ended may no longer say
        if self.wall_ns > MEASURED_NS:
            waited_ns = self._process.run_delay_ns() - self._delay_before_ns - self.attended_ns
            woken_ns = self._process.runner_delay_ns() - self.runner_delay_before_ns  # from the data to its reading
            self.delay_ns = max(0, min(max(0, waited_ns) + woken_ns, self.wall_ns - self.cpu_ns))

    def _end(self) -> AnswerFault:
        """Return the fault of a bot that has exited or closed its stdout."""
        if self._process.exceeded_memory():
            return AnswerFault(
                "memory", f"the bot used more than its limit of {self.match_seat.memory_mb} MiB of memory"
            )
        return AnswerFault("exit", EXITED)

    def _machine_is_to_blame(self) -> bool:
        """Return whether only server lag made the answer late, and the bot has not used up its time itself."""
        own_ns = self.wall_ns - self.delay_ns
        usual_ns = max(self.match_seat.usual_ns(), self.allowed_ns / NEVER_UNUSUAL_SHARE)
        most_ns = min(self.fair_ns, OWN_SHARE * self.allowed_ns, usual_ns)
        return self.delay_ns >= self.allowed_ns / MACHINE_SHARE and own_ns <= most_ns

    def _grace_ns(self) -> int:
        if not self._machine_is_to_blame() or self.wall_ns - self.allowed_ns > self.match_seat.grace_ns:
            return 0
        return self.fair_ns - (self.wall_ns - self.delay_ns)

    def _conclude(self, now_ns: int, fault: AnswerFault | None) -> None:
        self.over = True
        self._measure(now_ns)
        if now_ns <= self.deadline_ns or (fault is not None and fault.reason in ENDS):
            self.fault = fault
            return
        self.fault = self._lateness()
        self.match_seat.grace_ns -= self.wall_ns - self.allowed_ns
        if fault is None and self._machine_is_to_blame():
            self.match_seat.machine_delays.append(self._blame())

    def _blame(self) -> MachineDelay:
        spans = (self.wall_ns // 1000, self.allowed_ns // 1000, self.delay_ns // 1000)
        return MachineDelay(self.match_seat.seat, self.match_seat.asked or None, *spans)


class ReadyQuestion(Question):
    """A start: sends ``hello`` and expects ``ready`` within ``startup_ms``. Ignores other lines."""

    __slots__ = ("_hello", "_launch", "_startup_ns")

    def __init__(self, match_seat: MatchSeat, launch: Callable[[], Process], hello: bytes, startup_ms: int) -> None:
        super().__init__(match_seat)
        self._launch, self._hello, self._startup_ns = launch, hello, startup_ms * MS

    def put(self) -> None:
        with uninterrupted():  # otherwise a process could run without being recorded
            self._process = self._launch()
            self.channel = self.match_seat.seat_process(self._process)
        self._cpu_before_ns = self._delay_before_ns = 0
        self.channel.send(self._hello)
        self._start_clock(self._startup_ns, self._startup_ns)

    def _judge(self, line: bytes | None) -> AnswerFault | bool:
        return line is not None and is_ready(line) is True

    def _lateness(self) -> AnswerFault:
        return AnswerFault("not_ready", f"no ready message within {self._startup_ns // MS} ms; {READY}")


class MoveQuestion(Question):
    """A ``decide`` message. The first line with its id is the answer. Ignores lines with an earlier id."""

    __slots__ = ("_message", "move")

    def __init__(self, match_seat: MatchSeat, message: bytes) -> None:
        super().__init__(match_seat)
        self._message = message
        self.move: Any = None

    def put(self) -> None:
        match_seat = self.match_seat
        assert match_seat.process is not None and match_seat.channel is not None
        self._process, self.channel = match_seat.process, match_seat.channel
        if match_seat.ponders:
            self._process.resume()
        self._cpu_before_ns = cpu_ns = self._process.cpu_ns()
        if cpu_ns - match_seat.cpu_seen_ns > PONDERING_NS:
            match_seat.ponders = True
        self._delay_before_ns = self._process.run_delay_ns()
        self.channel.send(self._message)
        allowed_ns = match_seat.clock.allowed_ns
        self._start_clock(allowed_ns, allowed_ns if match_seat.fair_clock is None else match_seat.fair_clock.allowed_ns)

    def _judge(self, line: bytes | None) -> AnswerFault | bool:
        if line is None:
            return AnswerFault("too_long", "the answer is longer than 64 KiB; send only the move")
        answer = parse_answer(line)
        if isinstance(answer, Malformed):
            return AnswerFault("malformed", answer.reason, line)
        if answer.id == self.match_seat.asked:
            self.move = answer.move
            return True
        if 1 <= answer.id < self.match_seat.asked:
            return False
        return AnswerFault(
            "wrong_id", f"the id {_short(answer)} belongs to no decision; copy the id of the decision", line
        )

    def _lateness(self) -> AnswerFault:
        if self.match_seat.clock.game_is_next:
            return AnswerFault("time", "the time for the whole game ran out")
        return AnswerFault(
            "late", f"no answer within {self.allowed_ns // MS} ms; the time bank is empty; answer earlier"
        )


def _short(answer: Answer) -> str:
    digits = str(answer.id)
    return digits if len(digits) <= 20 else digits[:20] + "…"


# --- Several questions at once ---------------------------------------------------------------------------------------

Q = TypeVar("Q", bound=Question)
WAKING_NS: Final = 50_000
"""Estimated time to wake the runner and suspend it again."""

FIRST_SHARE_NS: Final = 2 * MS
"""Time after which the runner first checks whether the bot computes. The intervals double until that changes."""

MOST_BETWEEN_SHARES_NS: Final = 16 * MS
"""Maximum interval. A bot that wakes computes for this time without a core."""


class Core(Protocol):
    """A processor core that is shared with the bots of other games (``bots.sandbox.cores``)."""

    @property
    def held(self) -> bool:
        """Whether it is held now."""
        ...

    @property
    def is_due(self) -> bool:
        """Whether it has been held for its time and others wait."""
        ...

    def hold(self) -> None:
        """Hold it, if necessary after waiting. Raises ``NoCoreFree`` after the maximum time."""
        ...

    def try_hold(self) -> bool:
        """Hold it if that is possible without waiting. Return whether it is held."""
        ...

    def release(self) -> None:
        """Give it back, if it is held."""
        ...


def ask(questions: Sequence[Q], at_once: int, core: Core | None = None) -> Iterator[Q]:
    """Ask ``questions``, at most ``at_once`` at the same time, and yield each when it is over.

    The clock of a question starts when it is sent. All data of one wake-up counts as received at that moment, so that a
    seat does not pay for the time to read the answers of others. With ``core``, questions are asked one at a time.
    """
    if core is None and len(questions) > 1 < at_once:
        return _ask_several(deque(questions), at_once)
    return _ask_in_turn(questions, core)


def _ask_in_turn(questions: Sequence[Q], core: Core | None) -> Iterator[Q]:
    for question in questions:
        ask_one(question, core)
        yield question


def ask_one(question: Question, core: Core | None = None) -> None:
    """Ask one question and wait until it is over. This is the fast path for most decisions.

    The bot holds ``core`` when it is asked and while it computes. A bot that sleeps gives it back, and when it computes
    again it is stopped until it has a core. Raises ``NoCoreFree`` if the game has waited for too long.
    """
    if core is not None:
        core.hold()
    question.put()
    channel, now_ns = question.channel, question.started_ns
    share_after_ns = FIRST_SHARE_NS
    share_ns = now_ns + share_after_ns
    if channel.lines or channel.ended:
        question.hear(now_ns)
    while not question.over:
        news = channel.wait((question.look_ns if core is None else min(question.look_ns, share_ns)) - now_ns)
        now_ns = perf_counter_ns()
        _take(question, news, now_ns)
        if core is not None and now_ns >= share_ns and not question.over:
            held = core.held
            question.share(core)
            now_ns = perf_counter_ns()
            changed = core.held != held
            share_after_ns = FIRST_SHARE_NS if changed else min(2 * share_after_ns, MOST_BETWEEN_SHARES_NS)
            share_ns = now_ns + share_after_ns
        if not question.over:
            question.note_runner_delay()


def _ask_several(waiting: deque[Q], at_once: int) -> Iterator[Q]:
    open_now: list[Q] = []
    while waiting or open_now:
        while waiting and len(open_now) < at_once:
            question = waiting.popleft()
            question.put()
            question.hear(question.started_ns)
            if question.over:
                yield question
            else:
                open_now.append(question)
        if open_now:
            _listen(open_now)
        over = [question for question in open_now if question.over]
        open_now = [question for question in open_now if not question.over]
        yield from over


def _listen(open_now: Sequence[Question]) -> None:
    """Wait for data or the next check, and let every question process its data."""
    look_ns = min(question.look_ns for question in open_now)
    channels = [question.channel for question in open_now]
    news_of_all = type(channels[0]).wait_for_any(channels, look_ns - perf_counter_ns())
    now_ns = perf_counter_ns()
    for question, news in zip(open_now, news_of_all, strict=True):
        _take(question, news, now_ns)
        if not question.over:
            question.note_runner_delay()


def _take(question: Question, news: News, now_ns: int) -> None:
    if news:
        if question.channel.take(news):
            question.hear(now_ns)
            if question.over:
                return
        question.attended_ns += perf_counter_ns() - now_ns + WAKING_NS
    if now_ns >= question.look_ns:
        question.look(now_ns)
