"""Game record and bot log files: verification, and the decisions in them as the bot received them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from bots.cli.frame import UsageError
from bots.protocol import Limits, Malformed, bot_seed, hello, parse_answer
from bots.runner.bot_log import FORMAT, decided_plies
from games import strict
from games.record import RecordError, check_shape, require_valid
from games.registry import GAMES
from games.rules import Document, IllegalMove, Move, State

# --- Verification ----------------------------------------------------------------------------------------------------

MAX_RECORD_BYTES = 2 * 1024 * 1024
"""Longer records are rejected without reading them. A game has about 50 KiB."""


@dataclass(frozen=True)
class RecordFault:
    """An error in one record: the file, the line on which the record starts (from 1), and the ply if known."""

    path: Path
    line: int
    ply: int | None
    message: str

    def __str__(self) -> str:
        """Format as ``games.jsonl:12: ply 57: message``."""
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.message}" if self.ply is None else f"{where}: ply {self.ply}: {self.message}"

    def document(self) -> dict[str, Any]:
        """Return the fault as JSON values."""
        return {"file": str(self.path), "line": self.line or None, "ply": self.ply, "message": self.message}


@dataclass(frozen=True)
class Checked:
    """Result for one record, or for an unreadable file (line 0). ``read`` is the number of bytes read."""

    read: int
    fault: RecordFault | None


def check_file(path: Path) -> Iterator[Checked]:
    """Verify every record of a file that contains JSON lines (also of ``esr download``) or one JSON document."""
    try:
        with path.open("rb") as stream:
            head = stream.read(MAX_RECORD_BYTES + 1)
            if _is_one_document(head):
                yield _check(path, 1, head)
                return
            stream.seek(0)
            yield from _check_lines(path, stream)
    except OSError as error:
        yield Checked(0, RecordFault(path, 0, None, f"cannot read the file: {error.strerror}"))


def _is_one_document(head: bytes) -> bool:
    """Return whether ``head`` is one object on several lines, not one object per line."""
    lines = [line.strip() for line in head.splitlines() if line.strip()][:2]
    spread = len(lines) == 2 and not lines[0].endswith(b"}") and not lines[1].startswith(b"{")
    return spread and len(head) <= MAX_RECORD_BYTES


def _check_lines(path: Path, stream: BinaryIO) -> Iterator[Checked]:
    has_lines = False
    for number, line, read in lines_of(stream):
        has_lines = True
        if line is not None:
            yield _check(path, number, line)
        else:
            fault = f"longer than {MAX_RECORD_BYTES // 2**20} MiB; not a game record"
            yield Checked(read, RecordFault(path, number, None, fault))
    if not has_lines:
        yield Checked(0, RecordFault(path, 0, None, "the file contains no game records"))


def lines_of(stream: BinaryIO) -> Iterator[tuple[int, bytes | None, int]]:
    """Yield the lines that are not blank: number from 1, text (``None`` if longer than a record), and bytes read."""
    number = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if len(line) > MAX_RECORD_BYTES:
            yield number, None, _skip_line(stream, line)
        elif line.strip():
            yield number, line, len(line)


def _skip_line(stream: BinaryIO, part: bytes) -> int:
    """Skip the rest of a line that starts with ``part``; return the length of the whole line in bytes."""
    read = len(part)
    while part and not part.endswith(b"\n"):
        part = stream.readline(MAX_RECORD_BYTES)
        read += len(part)
    return read


def _document_in(text: bytes) -> Any:
    """Parse a game record, or a line of ``esr download LADDER``, which contains one. Raises ``RecordError``."""
    try:
        document = strict.parse(text)
    except ValueError as error:
        raise RecordError(None, f"invalid JSON: {error}") from error
    if type(document) is dict and "record" in document and "format" not in document:
        document = document["record"]
    return document


def _check(path: Path, line: int, text: bytes) -> Checked:
    try:
        require_valid(_document_in(text))
    except RecordError as error:
        return Checked(len(text), RecordFault(path, line, error.ply, error.message))
    return Checked(len(text), None)


# --- Input files -----------------------------------------------------------------------------------------------------


def read_record(word: str) -> Document:
    """Read the record in ``FILE``, or in one line of it (``FILE:12``). Raises ``UsageError``."""
    path, line = Path(word), None
    before, _, number = word.rpartition(":")
    if not path.exists() and before and number.isdecimal():
        path, line = Path(before), int(number)
    text = _read(path)
    lines = text.splitlines()
    if line is not None:
        if not 1 <= line <= len(lines):
            raise UsageError(f"Line {line} does not exist in {path}. Choose a line from 1 to {len(lines)}.")
        return _record(path, lines[line - 1])
    if len(lines) > 1 and lines[1].lstrip().startswith(b"{"):
        raise UsageError(f"{path} contains several records. Select one by its line, for example {path}:1.")
    return _record(path, text)


def read_log(path: Path) -> Document:
    """Read the bot log in ``path``. Raises ``UsageError``."""
    try:
        document: Any = json.loads(_read(path))
    except ValueError as error:
        raise UsageError(f"{path} is not valid JSON: {error}.") from error
    if type(document) is not dict or not {"starts", "decisions"} <= document.keys():
        raise UsageError(f"{path} is not a bot log ({FORMAT}). `esr play --logs DIR` writes bot logs.")
    return document


def _record(path: Path, text: bytes) -> Document:
    if len(text) > MAX_RECORD_BYTES:
        raise UsageError(
            f"{path} is longer than {MAX_RECORD_BYTES // 2**20} MiB, so it is not a game record. Choose another file."
        )
    try:
        return check_shape(_document_in(text))
    except RecordError as error:
        raise UsageError(
            f"{path} is not a game record: {error}. Choose another file or download the record again."
        ) from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read {path}: {error.strerror}.") from error


# --- Decisions of a log ----------------------------------------------------------------------------------------------
#
# The record determines views, decisions, logs and strikes. Only the bot log contains the ``hello`` and the clocks.

_ASKED_BEFORE_FORFEIT: Final = ("exit", "memory", "time")
"""Forfeits that happen during a decision. The bot received that decision, although its step says ``forfeit``."""


@dataclass(frozen=True)
class RecordedDecision:
    """One decision: the ``decide`` message, the move in the game, and the reason if it was the default move."""

    ply: int
    message: Document
    played: Move
    default: str | None
    state: State

    @property
    def id(self) -> int:
        """Number of the decision for this seat, starting at 1."""
        number: int = self.message["id"]
        return number

    def judge(self, line: bytes) -> tuple[Move | None, str]:
        """Return the move in the answer ``line``, or ``None`` and a description of the error."""
        answer = parse_answer(line)
        if isinstance(answer, Malformed):
            debugger = " This looks like a debugger prompt; use --pdb." if b"(Pdb)" in line or b"> /" in line else ""
            return None, f"malformed: {answer.reason}.{debugger}"
        if answer.id != self.id:
            return None, f"wrong_id: the answer has id {answer.id}; expected {self.id}."
        try:
            return self.state.check(self.message["decision"]["seat"], answer.move), ""
        except IllegalMove as error:
            return None, f"illegal: {error}"


@dataclass(frozen=True)
class DecisionReplay:
    """The messages for the bot: the ``hello``, the earlier decisions, and finally the decision to replay."""

    hello: Document
    questions: tuple[RecordedDecision, ...]

    @property
    def messages(self) -> list[Document]:
        """All messages in the order of the bot's standard input."""
        return [self.hello, *(question.message for question in self.questions)]


def rebuild(record: Document, ply: int, log: Document | None) -> DecisionReplay:
    """Rebuild the decision at ``ply`` of ``record`` and all earlier decisions of that seat.

    With ``log``, the messages are exactly those of the game. Raises ``UsageError`` for an invalid record, a step
    without a decision, and a log of another game.
    """
    try:
        require_valid(record)
    except RecordError as error:
        raise UsageError(
            f"Invalid game record: {error}. Download the record again or fix the program that wrote it."
        ) from error
    seat = _asked_seat(record, ply)
    number = decided_plies(record, seat).index(ply) + 1
    if log is not None:
        _require_match(record, seat, log)
    asked = len(log["decisions"]) if log is not None else _asked(record, seat)
    if number > asked:
        raise UsageError(
            f"Seat {seat} forfeited the game before ply {ply} and received no decision there. Choose an earlier ply."
        )
    hello, first = _start(record, seat, log, number)
    return DecisionReplay(hello, tuple(_questions(record, seat, first, number, log)))


def _asked_seat(record: Document, ply: int) -> int:
    steps = record["steps"]
    if not 0 <= ply < len(steps):
        raise UsageError(f"Ply {ply} does not exist. Choose a ply from 0 to {len(steps) - 1}.")
    step = steps[ply]
    if "chance" in step or step.get("forced"):
        what = "a chance step" if "chance" in step else "a forced move"
        nearest = next((k for k in range(ply + 1, len(steps)) if _is_asked(steps[k])), None)
        hint = "" if nearest is None else f" The next decision is at ply {nearest} (seat {steps[nearest]['seat']})."
        raise UsageError(f"Ply {ply} is {what}, not a decision.{hint}")
    seat: int = step["seat"]
    return seat


def _is_asked(step: Document) -> bool:
    return "decision" in step and not step.get("forced")


def _asked(record: Document, seat: int) -> int:
    """Number of decisions that ``seat`` received before it forfeited, according to the record."""
    defaults = [record["steps"][ply].get("default") for ply in decided_plies(record, seat)]
    reason = record["outcome"]["scores"][seat].get("forfeit") if record["outcome"] else None
    before = defaults.index("forfeit") if "forfeit" in defaults else len(defaults)
    return min(before + (reason in _ASKED_BEFORE_FORFEIT), len(defaults))


def _require_match(record: Document, seat: int, log: Document) -> None:
    if log.get("format") != FORMAT:
        raise UsageError(
            f"Unsupported log format {log.get('format')!r} (expected {FORMAT!r}). Update esr or download the log again."
        )
    for key in ("game", "rules", "seats", "commitment"):
        if log.get(key) != record[key]:
            raise UsageError(
                f"The log belongs to another game: {key} is {log.get(key)!r}, but {record[key]!r} in the record."
                " Choose the log of this game."
            )
    if log.get("seat") != seat:
        raise UsageError(
            f"The log belongs to seat {log.get('seat')}, but the decision at this ply belongs to seat {seat}."
            " Choose the log of that seat or another ply."
        )


def _start(record: Document, seat: int, log: Document | None, number: int) -> tuple[Document, int]:
    """Return the hello of the process that received decision ``number``, and the first decision it received."""
    if log is not None:
        start = [start for start in log["starts"] if start["first"] <= number][-1]
        return start["hello"], start["first"]
    seed = bot_seed(b"", record["commitment"], seat, 1)
    return {**hello(GAMES[record["game"]].rules, record["seats"], seat, Limits(), seed)}, 1


def _questions(record: Document, seat: int, first: int, last: int, log: Document | None) -> Iterator[RecordedDecision]:
    read = strikes = 0
    for number, (ply, state) in enumerate(_moments(record, seat), 1):
        if number >= first:
            entries = state.entries(seat, read)
            read += len(entries)
            yield _question(record, number, ply, state, entries, strikes, log)
        if number == last:
            return
        strikes += record["steps"][ply].get("default", "forfeit") != "forfeit"


def _question(
    record: Document, number: int, ply: int, state: State, entries: list[Document], strikes: int, log: Document | None
) -> RecordedDecision:
    step: dict[str, Any] = record["steps"][ply]
    seat = step["seat"]
    limits = Limits()
    full = {"move_ms": limits.move_ms, "bank_ms": limits.bank_ms, "game_ms": limits.game_ms}
    message = {
        "type": "decide",
        "id": number,
        "strikes": strikes,
        "decision": state.decision(seat),
        "view": state.view(seat),
        "log": entries,
        "clock": full if log is None else log["decisions"][number - 1]["clock"],
    }
    return RecordedDecision(ply, message, step["move"], step.get("default"), state.copy())


def _moments(record: Document, seat: int) -> Iterator[tuple[int, State]]:
    """Yield the state at every decision of ``seat`` with its ply. The state changes on the next iteration."""
    state = GAMES[record["game"]].new(record["seats"], bytes.fromhex(record["seed"]))
    moves = [(ply, step) for ply, step in enumerate(record["steps"]) if _is_asked(step)]
    while pending := state.pending:
        now, moves = moves[: len(pending)], moves[len(pending) :]
        for ply, step in now:
            if step["seat"] == seat:
                yield ply, state
        for _, step in now:
            state.play(step["seat"], step["move"], default=step.get("default"))
