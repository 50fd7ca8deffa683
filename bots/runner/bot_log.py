"""The bot log: what is stored of a game for the owner of a bot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

import orjson

from bots.runner.report import MatchReport, escaped
from games.rules import Document, State

# --- Lines -----------------------------------------------------------------------------------------------------------

_HELLO: Final = b'{"type":"hello"'
_DECIDE: Final = b'{"type":"decide"'


@dataclass(slots=True)
class LoggedDecision:
    """One decision: the ``decide`` message and the line of the bot that was judged, both without newline.

    ``answer`` is ``None`` if no line was judged: no answer in time, an answer that was too long, or a bot that exited.
    """

    question: bytes
    answer: bytes | None = None


@dataclass(slots=True)
class Conversation:
    """All lines between the runner and one seat.

    ``hellos`` has one line per start. ``exchanges`` has one entry per decision, in order: entry k is the decision with
    the id k + 1, and ``SeatReport.decisions[k]`` of the report contains its times. ``end`` is ``None`` for a seat that
    forfeited.
    """

    hellos: list[bytes] = field(default_factory=list)
    exchanges: list[LoggedDecision] = field(default_factory=list)
    end: bytes | None = None


class Transcript:
    """An :class:`~bots.runner.launcher.Observer` that stores all lines of one game with ``seats`` seats.

    ``kept`` contains the seats whose lines are stored, by default all. It uses some kilobytes of memory per decision.
    Use a new transcript for a re-run of a game.
    """

    def __init__(self, seats: int, kept: Collection[int] | None = None) -> None:
        self.seats = tuple(Conversation() for _ in range(seats))
        self.kept = range(seats) if kept is None else frozenset(kept)

    def moved(self, state: State) -> None:
        """Do nothing: the record contains the moves."""

    def sent(self, seat: int, line: bytes) -> None:
        """Store a line that was sent to the bot of ``seat``."""
        if seat not in self.kept:
            return
        conversation, line = self.seats[seat], line.removesuffix(b"\n")
        if line.startswith(_DECIDE):
            conversation.exchanges.append(LoggedDecision(line))
        elif line.startswith(_HELLO):
            conversation.hellos.append(line)
        else:
            conversation.end = line

    def heard(self, seat: int, line: bytes) -> None:
        """Store the line that was judged as the answer to the last question of ``seat``."""
        if seat in self.kept:
            self.seats[seat].exchanges[-1].answer = line.removesuffix(b"\n")


# --- Logs ------------------------------------------------------------------------------------------------------------
#
# A bot log contains what the record does not: the exact ``hello`` of every start, times, strikes, raw answers, stderr.
# Both together are enough to rebuild every message to the bot, so a bot log does not contain views and logs.

FORMAT: Final = "owner-log/1"


def owner_logs(report: MatchReport, transcript: Transcript) -> list[Document]:
    """Return the bot log of every seat, in order."""
    return [owner_log(report, transcript, seat) for seat in range(len(transcript.seats))]


def owner_log(report: MatchReport, transcript: Transcript, seat: int) -> Document:
    """Return the bot log of one ``seat``. The transcript must have stored its lines."""
    return owner_log_of(report, seat, **logged(transcript.seats[seat]))


def logged(conversation: Conversation) -> dict[str, list[Document]]:
    """Return what a bot log contains beyond record and report: the ``hellos``, and a document for each decision."""
    decisions = []
    for exchange in conversation.exchanges:
        question = orjson.loads(exchange.question)
        asked = {key: question[key] for key in ("strikes", "clock", "decision")}
        decisions.append({**asked, "answer": None if exchange.answer is None else escaped(exchange.answer)})
    return {"hellos": [orjson.loads(hello) for hello in conversation.hellos], "decisions": decisions}


def owner_log_of(report: MatchReport, seat: int, hellos: Sequence[Document], decisions: Sequence[Document]) -> Document:
    """Return the bot log of a seat whose lines are given as by :func:`logged`.

    Raises ``ValueError`` or ``LookupError`` if they do not fit to the report and its record.
    """
    record, told = report.record, report.seats[seat]
    plies = decided_plies(record, seat)
    forfeit = next((forfeit for forfeit in report.forfeits if forfeit.seat == seat), None)
    return {
        "format": FORMAT,
        **{key: record[key] for key in ("game", "rules", "seats", "commitment")},
        "seat": seat,
        "bot": told.label,
        "starts": [{"first": 1, "hello": hello, "ready_us": told.ready_us} for hello in hellos],
        "decisions": [
            {
                "id": thought.id,
                "ply": plies[thought.id - 1],
                **decision,
                "wall_us": thought.wall_us,
                "cpu_us": thought.cpu_us,
                "machine_delay_us": thought.machine_delay_us,
            }
            for decision, thought in zip(decisions, told.decisions, strict=True)
        ],
        "strikes": [asdict(strike) for strike in told.strikes],
        "forfeit": None if forfeit is None else asdict(forfeit),
        "exit_status": told.exit_status,
        "stderr_tail": told.stderr_tail,
    }


def decided_plies(record: Document, seat: int) -> list[int]:
    """Return the plies at which ``seat`` had a choice, in order: its moves that were not forced.

    Entry k belongs to the decision with the id k + 1 as long as the bot was asked. After a forfeit the bot is no longer
    asked, but the seat still has entries.
    """
    return [
        ply
        for ply, step in enumerate(record["steps"])
        if "decision" in step and step["seat"] == seat and not step.get("forced")
    ]
