"""The log of one seat's game for its owner (``owner-log/1``, described in ``docs/library/owner-log.md``). Pure.

It holds what the record cannot: the exact ``hello`` of every start, times, strikes, raw answers, stderr. Together with
the record every message that the bot was sent can be rebuilt, so views and logs are not in it again.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import orjson

from bots.runner.report import Forfeit, MatchReport, SeatReport, Thought, escaped
from bots.runner.transcript import Conversation, Exchange, Transcript
from games.base import Document

FORMAT: Final = "owner-log/1"


def owner_logs(report: MatchReport, transcript: Transcript) -> list[Document]:
    """The owner's log of every seat, in order, from what the runner reports and what was said at the table."""
    return [owner_log(report, transcript, seat) for seat in range(len(transcript.seats))]


def owner_log(report: MatchReport, transcript: Transcript, seat: int) -> Document:
    """The owner's log of one ``seat``, whose lines the transcript must have kept."""
    forfeit = next((forfeit for forfeit in report.forfeits if forfeit.seat == seat), None)
    return _seat_log(report.record, seat, transcript.seats[seat], report.seats[seat], forfeit)


def decided_plies(record: Document, seat: int) -> list[int]:
    """The plies at which ``seat`` had to decide, in order: its moves that were not forced.

    Entry k belongs to the decision with the id k + 1, for as long as the seat was asked: once it has forfeited it is
    not asked any more, and the entries go on.
    """
    return [
        ply
        for ply, step in enumerate(record["steps"])
        if "decision" in step and step["seat"] == seat and not step.get("forced")
    ]


def _seat_log(
    record: Document, seat: int, conversation: Conversation, report: SeatReport, forfeit: Forfeit | None
) -> Document:
    plies = decided_plies(record, seat)
    return {
        "format": FORMAT,
        **{key: record[key] for key in ("game", "rules", "seats", "commitment")},
        "seat": seat,
        "bot": report.label,
        "starts": [
            {"first": 1, "hello": orjson.loads(hello), "ready_us": report.ready_us} for hello in conversation.hellos
        ],
        "decisions": [
            _decision(exchange, thought, plies[thought.id - 1])
            for exchange, thought in zip(conversation.exchanges, report.decisions, strict=True)
        ],
        "strikes": [asdict(strike) for strike in report.strikes],
        "forfeit": None if forfeit is None else asdict(forfeit),
        "exit_status": report.exit_status,
        "stderr_tail": report.stderr_tail,
    }


def _decision(exchange: Exchange, thought: Thought, ply: int) -> dict[str, Any]:
    question = orjson.loads(exchange.question)
    return {
        "id": thought.id,
        "ply": ply,
        "strikes": question["strikes"],
        "clock": question["clock"],
        "decision": question["decision"],
        "answer": None if exchange.answer is None else escaped(exchange.answer),
        "wall_us": thought.wall_us,
        "cpu_us": thought.cpu_us,
        "machine_delay_us": thought.machine_delay_us,
    }
