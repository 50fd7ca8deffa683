"""What a worker host sends at the end of a match, parsed strictly: nothing in it is believed before it is checked."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

import msgspec

from bots.protocol import bot_seeds
from bots.runner.bot_log import owner_log_of
from bots.runner.report import MatchReport, SeatReport, Thought
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


def unpacked(data: bytes) -> SentMatch:
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
        return msgspec.json.decode(text, type=SentMatch)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise BadReport("the report is not a JSON document in the documented form") from error


def report_of(sent: SentMatch, seats: Sequence[Seat]) -> MatchReport:
    """Return the report of a match with ``seats``. Labels and seeds of bots are the site's. Raises ``BadReport``."""
    try:
        report = msgspec.convert({**sent.report, "record": sent.record}, MatchReport)
    except msgspec.ValidationError as error:
        raise BadReport("the report is not in the documented form") from error
    if problem := next(_problems(report, len(seats)), ""):
        raise BadReport(f"the report contains {problem}")
    seeds = bot_seeds(seeds_key(), str(seats[0].match_id), len(seats))
    of_site = zip(report.seats, seats, seeds, strict=True)
    return replace(
        report,
        seats=tuple(replace(told, label=str(seat.version), bot_seed=seed) for told, seat, seed in of_site),
    )


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
