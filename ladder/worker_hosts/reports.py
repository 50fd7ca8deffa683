"""What a worker host sends at the end of its work, parsed strictly: nothing in it is believed before it is checked."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, Final, TypeVar

import msgspec

from bots.protocol import bot_seeds
from bots.runner.bot_log import LoggedDecision, Transcript, owner_log_of
from bots.runner.consultation import Advice
from bots.runner.questions import AnswerFault
from bots.runner.report import MachineDelay, MatchReport, SeatReport, Thought
from bots.runner.spec import MAX_REPLAYS, MatchSpec
from bots.validation import FormatCheck, result_of
from bots.worker.documents import SENT_BYTES
from games.record import RecordError, verify
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document
from ladder.matches.assignments import seeds_key
from ladder.matches.logs import packed
from ladder.models import Seat

MOST_PACKED_BYTES: Final = 2 << 20
MOST_BYTES: Final = 16 << 20
"""Of the compressed and the decompressed document of a match."""

_MOST_US: Final = 10**12
_MOST_TEXT: Final = 4000
_MOST_STDERR: Final = 1 << 20
_MOST_QUESTION: Final = 64 << 10
_FAULTS: Final = ("late", "malformed", "too_long", "wrong_id", "exit", "not_ready", "memory", "time")
"""What the runner says of a bot at a live table. The site itself finds illegal moves."""

Count = Annotated[int, msgspec.Meta(ge=0, le=10**6)]


class BadReport(ValueError):
    """The document is not the report of this match. The message tells nothing of the deal."""


class SentDecision(msgspec.Struct):
    """What a report and a record do not contain of a decision in a bot log."""

    strikes: Count
    clock: dict[str, int]
    decision: dict[str, Any]
    answer: Annotated[str, msgspec.Meta(max_length=_MOST_TEXT)] | None


class SentLog(msgspec.Struct):
    """What a report and a record do not contain of a bot log."""

    hellos: list[dict[str, Any]]
    decisions: list[SentDecision]


class SentMatch(msgspec.Struct):
    """The document of a match: its record, its report, and by seat the logs of uploaded bots."""

    record: dict[str, Any]
    report: dict[str, Any]
    logs: dict[int, SentLog]


Line = Annotated[str, msgspec.Meta(max_length=SENT_BYTES)]
"""The start of a line of a bot, with a character for each byte."""


class SentConversation(msgspec.Struct):
    """The lines between the runner and a seat: what was sent, and what the bot has answered."""

    hellos: list[dict[str, Any]]
    exchanges: list[tuple[dict[str, Any], Line | None]]


class SentTrial(msgspec.Struct):
    """The document of a game that validates an upload: its record, its report, and the lines of all seats."""

    record: dict[str, Any]
    report: dict[str, Any]
    lines: list[SentConversation]
    wall_ms: Annotated[int, msgspec.Meta(ge=0, le=10**8)]


class SentFault(msgspec.Struct):
    """A failure of a bot (``bots.runner.questions.AnswerFault``)."""

    reason: str
    detail: Annotated[str, msgspec.Meta(max_length=_MOST_TEXT)]


class SentAdvice(msgspec.Struct):
    """One process that was asked at a live table (``bots.runner.consultation.Advice``)."""

    move: Any
    fault: SentFault | None
    line: Line | None
    thought: Thought | None
    ready_us: int | None
    machine_delay: MachineDelay | None
    exit_status: int | None
    stderr_tail: str

    def advice(self) -> Advice:
        """Return it as the runner does."""
        fault = None if self.fault is None else AnswerFault(self.fault.reason, self.fault.detail)
        line = None if self.line is None else self.line.encode("latin-1")
        known = (self.thought, self.ready_us, self.machine_delay, self.exit_status, self.stderr_tail)
        return Advice(self.move, fault, line, *known)


class SentDecisions(msgspec.Struct):
    """The document of a decision at a live table: the processes that were asked, of which the last one counts."""

    starts: Annotated[list[SentAdvice], msgspec.Meta(min_length=1, max_length=MAX_REPLAYS + 1)]


Sent = TypeVar("Sent", SentMatch, SentTrial, SentDecisions)


def unpacked(data: bytes, form: type[Sent]) -> Sent:
    """Return the document in ``data``, zlib-compressed JSON. Raises ``BadReport``."""
    if len(data) > MOST_PACKED_BYTES:
        raise BadReport(f"the report is larger than {MOST_PACKED_BYTES >> 20} MiB (the maximum)")
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, MOST_BYTES)
    except zlib.error as error:
        raise BadReport("the report is not compressed with zlib") from error
    if not stream.eof:
        raise BadReport(f"the report is incomplete, or larger than {MOST_BYTES >> 20} MiB after decompression")
    try:
        return msgspec.json.decode(text, type=form)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise BadReport("the report is not a JSON document in the documented form") from error


def report_of(sent: SentMatch, seats: Sequence[Seat]) -> MatchReport:
    """Return the report of a match with ``seats``. Labels and seeds of bots are the site's. Raises ``BadReport``."""
    report = _report(sent, len(seats))
    seeds = bot_seeds(seeds_key(), str(seats[0].match_id), len(seats))
    return _with_names(report, [str(seat.version) for seat in seats], seeds)


def _report(sent: SentMatch | SentTrial, seats: int) -> MatchReport:
    try:
        report = msgspec.convert({**sent.report, "record": sent.record}, MatchReport)
    except msgspec.ValidationError as error:
        raise BadReport("the report is not in the documented form") from error
    if problem := next(_problems(report, seats), ""):
        raise BadReport(f"the report contains {problem}")
    return report


def _with_names(report: MatchReport, labels: Sequence[str], seeds: Sequence[str]) -> MatchReport:
    of_site = zip(report.seats, labels, seeds, strict=True)
    seats = tuple(replace(told, label=label, bot_seed=seed) for told, label, seed in of_site)
    return replace(report, seats=seats)


def _problems(report: MatchReport, seats: int) -> Iterator[str]:
    if len(report.seats) != seats:
        yield "another number of seats"
    delays, forfeits = report.machine_delays, report.forfeits
    if not all(0 <= seat < seats for seat in (*(each.seat for each in forfeits), *(each.seat for each in delays))):
        yield "an entry of an unknown seat"
    if not all(each.reason in FORFEIT_REASONS and len(each.evidence) <= _MOST_TEXT for each in forfeits):
        yield "an invalid forfeit"
    if not all(_is_possible(seat) for seat in report.seats):
        yield "an invalid report of a seat"
    late = [us for delay in delays for us in (delay.wall_us, delay.allowed_us, delay.machine_delay_us)]
    if not all(0 <= us < _MOST_US for us in (report.wall_us, *late)):
        yield "an impossible time"


def _is_possible(seat: SeatReport) -> bool:
    thoughts: list[Thought] = [*seat.decisions, *([] if seat.start is None else [seat.start])]
    times = [us for thought in thoughts for us in (thought.wall_us, thought.cpu_us or 0, thought.machine_delay_us)]
    times += [us for strike in seat.strikes for us in (strike.wall_us, strike.cpu_us or 0)]
    texts = [text for strike in seat.strikes for text in (strike.detail, strike.answer)]
    return (
        all(0 <= us < _MOST_US for us in (*times, seat.ready_us or 0))
        and all(strike.reason in DEFAULT_REASONS for strike in seat.strikes)
        and all(len(text) <= _MOST_TEXT for text in texts)
        and len(seat.stderr_tail) <= _MOST_STDERR
        and [thought.id for thought in seat.decisions] == list(range(1, len(seat.decisions) + 1))
    )


def packed_logs(sent: Mapping[int, SentLog], report: MatchReport, seats: Sequence[Seat]) -> dict[int, bytes]:
    """By seat, the packed bot logs of uploaded bots; those that do not fit to the report are left out."""
    logs = {}
    for seat in seats:
        log = sent.get(seat.index)
        if log is None or not seat.version.archive:
            continue
        try:
            logs[seat.index] = packed(_log(report, seat.index, log))
        except (ValueError, LookupError, TypeError):
            continue  # a log is a service, and does not cost the match its result
    return logs


def _log(report: MatchReport, seat: int, sent: SentLog) -> Document:
    decisions = [msgspec.to_builtins(decision) for decision in sent.decisions]
    if any(not isinstance(decision["decision"].get("kind"), str) for decision in decisions):
        raise ValueError("a decision without a kind")
    return owner_log_of(report, seat, sent.hellos, decisions)


# --- Trials of uploads -----------------------------------------------------------------------------------------------


def trial_result(sent: SentTrial, spec: MatchSpec[Any], lasted: timedelta) -> FormatCheck:
    """Return the result of the game ``spec``, which a host had for ``lasted``.

    The record must be what the rules give for this game: up to its end without a fault, and up to the fault otherwise.
    No time in the report may be longer than the host had the game. Raises ``BadReport``.
    """
    report = _with_names(_report(sent, len(spec.seats)), [seat.label for seat in spec.seats], spec.bot_seeds)
    times = [each.wall_us for seat in report.seats for each in (*seat.decisions, *([seat.start] if seat.start else []))]
    if sum(times) > lasted.total_seconds() * 1e6 or sent.wall_ms > lasted.total_seconds() * 1e3:
        raise BadReport("the report contains an impossible time")
    _re_execute(report, spec)
    try:
        result = result_of(spec, report, _transcript(sent, report))
        result.document()
    except (LookupError, ValueError, TypeError, ArithmeticError) as error:
        raise BadReport("the lines do not fit to the report") from error
    if result.ok and report.record["outcome"] is None:
        raise BadReport("the record ends before the game is over, without a fault")
    return result


def _re_execute(report: MatchReport, spec: MatchSpec[Any]) -> None:
    record = report.record
    try:
        verify(record, report.forfeits_by_seat)
    except RecordError as error:
        raise BadReport(f"the record failed re-execution: {error}") from error
    if (record["game"], record["seats"], record["seed"]) != (spec.game, len(spec.seats), spec.seed.hex()):
        raise BadReport("the record is not of this game")
    faults = len(report.forfeits) + sum(len(seat.strikes) for seat in report.seats)
    if faults > 1:
        raise BadReport("the report contains several faults, but a trial ends with the first")
    if not faults and any("default" in step for step in record["steps"]):
        raise BadReport("the record contains a fault that the report lacks")


def _transcript(sent: SentTrial, report: MatchReport) -> Transcript:
    transcript = Transcript(len(report.seats))
    for conversation, lines in zip(transcript.seats, sent.lines, strict=True):
        conversation.hellos = [msgspec.json.encode(hello) for hello in lines.hellos]
        for question, answer in lines.exchanges:
            said = None if answer is None else answer.encode("latin-1")
            encoded = msgspec.json.encode({"type": "decide", **question})
            if len(encoded) > _MOST_QUESTION:
                raise ValueError("a question is too long")
            conversation.exchanges.append(LoggedDecision(encoded, said))
    return transcript


# --- Decisions at live tables ----------------------------------------------------------------------------------------


def advices(sent: SentDecisions, allowed_us: int, lasted: timedelta) -> list[Advice]:
    """Return the processes of a decision, for which a host had ``lasted`` and a bot had ``allowed_us``.

    An answer can only be late if the host had the decision for so long. Raises ``BadReport``.
    """
    given_us = lasted.total_seconds() * 1e6
    for start in sent.starts:
        times = [start.ready_us or 0]
        if start.thought is not None:
            times += [start.thought.wall_us, start.thought.cpu_us or 0, start.thought.machine_delay_us]
        if not all(0 <= us < _MOST_US for us in times) or sum(times[:2]) > given_us:
            raise BadReport("an impossible time")
        fault = start.fault
        if fault is not None and fault.reason not in _FAULTS:
            raise BadReport("an unknown fault")
        if fault is not None and fault.reason in ("late", "time") and given_us < allowed_us:
            raise BadReport("a late answer, but there was time left")
        if len(start.stderr_tail) > _MOST_STDERR:
            raise BadReport("a stderr that is too long")
    return [start.advice() for start in sent.starts]
