"""Files with records and logs of games: verification, and the decisions in them as they were asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from bots.cli.frame import UsageError
from bots.protocol import PROTOCOL, Limits, Malformed, bot_seed, parse_answer
from bots.protocol.messages import limits_document
from bots.runner.bot_log import FORMAT, decided_plies
from games.record import RecordError, from_json, verify
from games.registry import GAMES
from games.rules import Document, IllegalMove, Move, State

# --- Verification ----------------------------------------------------------------------------------------------------

MAX_RECORD_BYTES = 2 * 1024 * 1024
"""A longer record is refused unread: a game has some 50 KiB."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with one record: the file, the line it begins on (from 1), the ply where there is one."""

    path: Path
    line: int
    ply: int | None
    message: str

    def __str__(self) -> str:
        """``games.jsonl:12: ply 57: what is wrong``."""
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.message}" if self.ply is None else f"{where}: ply {self.ply}: {self.message}"

    def document(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {"file": str(self.path), "line": self.line or None, "ply": self.ply, "message": self.message}


@dataclass(frozen=True)
class Checked:
    """One record that was looked at, or a file that could not be (line 0); ``read`` counts the bytes it took."""

    read: int
    fault: Fault | None


def check_file(path: Path) -> Iterator[Checked]:
    """Check every record of a file: JSON lines, or one JSON document over any number of lines."""
    try:
        with path.open("rb") as stream:
            head = stream.read(MAX_RECORD_BYTES + 1)
            if _is_one_document(head):
                yield _check(path, 1, head)
                return
            stream.seek(0)
            yield from _check_lines(path, stream)
    except OSError as error:
        yield Checked(0, Fault(path, 0, None, f"cannot be read: {error.strerror}"))


def _is_one_document(head: bytes) -> bool:
    """Whether ``head`` is one object spread over lines, rather than an object a line."""
    lines = [line.strip() for line in head.splitlines() if line.strip()][:2]
    spread = len(lines) == 2 and not lines[0].endswith(b"}") and not lines[1].startswith(b"{")
    return spread and len(head) <= MAX_RECORD_BYTES


def _check_lines(path: Path, stream: BinaryIO) -> Iterator[Checked]:
    number = found = 0
    while line := stream.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if not line.strip():
            continue
        found += 1
        if len(line) <= MAX_RECORD_BYTES:
            yield _check(path, number, line)
        else:
            rest = _skip_line(stream, line)
            yield Checked(rest, Fault(path, number, None, f"longer than {MAX_RECORD_BYTES // 2**20} MiB: not a record"))
    if not found:
        yield Checked(0, Fault(path, 0, None, "holds no record"))


def _skip_line(stream: BinaryIO, part: bytes) -> int:
    """Read to the end of a line of which ``part`` was the beginning; the bytes of the whole line."""
    read = len(part)
    while part and not part.endswith(b"\n"):
        part = stream.readline(MAX_RECORD_BYTES)
        read += len(part)
    return read


def _check(path: Path, line: int, text: bytes) -> Checked:
    try:
        verify(from_json(text))
    except RecordError as error:
        return Checked(len(text), Fault(path, line, error.ply, error.message))
    return Checked(len(text), None)


# --- Input files -----------------------------------------------------------------------------------------------------


def read_record(word: str) -> Document:
    """The record of ``FILE``, or of one line of it: ``FILE:12``. Raises ``UsageError``."""
    path, line = Path(word), None
    before, _, number = word.rpartition(":")
    if not path.exists() and before and number.isdecimal():
        path, line = Path(before), int(number)
    text = _read(path)
    lines = text.splitlines()
    if line is not None:
        if not 1 <= line <= len(lines):
            raise UsageError(f"{path} has {len(lines)} lines, and none with the number {line}.")
        return _record(path, lines[line - 1])
    if len(lines) > 1 and lines[1].lstrip().startswith(b"{"):
        raise UsageError(f"{path} holds several records. Say which one: {path}:1 is the first.")
    return _record(path, text)


def read_log(path: Path) -> Document:
    """The owner's log of ``path``. Raises ``UsageError``."""
    try:
        document: Any = json.loads(_read(path))
    except ValueError as error:
        raise UsageError(f"{path} is not JSON: {error}.") from error
    if type(document) is not dict or not {"starts", "decisions"} <= document.keys():
        raise UsageError(f"{path} is not an owner's log ({FORMAT}), as `esr play --logs DIR` writes it.")
    return document


def _record(path: Path, text: bytes) -> Document:
    if len(text) > MAX_RECORD_BYTES:
        raise UsageError(f"{path} is longer than {MAX_RECORD_BYTES // 2**20} MiB: not a record.")
    try:
        return from_json(text)
    except RecordError as error:
        raise UsageError(f"{path} holds no record: {error}.") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error


# --- Decisions of a log ----------------------------------------------------------------------------------------------
#
# View, decision, log and strikes follow from the record. The ``hello`` and the clocks do not; the owner's log has them.

_ASKED_BEFORE_FORFEIT: Final = ("exit", "memory", "time")
"""The forfeits that happen while a question is open: that one was asked, although its step says ``forfeit``."""


@dataclass(frozen=True)
class Question:
    """One decision: the ``decide`` as it was sent, what was played, and the reason where that was the default move."""

    ply: int
    message: Document
    played: Move
    default: str | None
    state: State

    @property
    def id(self) -> int:
        """The number of the decision in the seat's game, from 1."""
        number: int = self.message["id"]
        return number

    def judge(self, line: bytes) -> tuple[Move | None, str]:
        """The move that ``line`` answers with, or ``None`` and what is wrong with it."""
        answer = parse_answer(line)
        if isinstance(answer, Malformed):
            debugger = " That looks like a debugger's prompt: use --pdb." if b"(Pdb)" in line or b"> /" in line else ""
            return None, f"malformed: {answer.reason}.{debugger}"
        if answer.id != self.id:
            return None, f"wrong_id: it answers the decision {answer.id}, and {self.id} was asked."
        try:
            return self.state.check(self.message["decision"]["seat"], answer.move), ""
        except IllegalMove as error:
            return None, f"illegal: {error}"


@dataclass(frozen=True)
class Replay:
    """All that is fed to the bot: the ``hello``, the earlier questions, and last the one that it is about."""

    hello: Document
    questions: tuple[Question, ...]

    @property
    def messages(self) -> list[Document]:
        """Everything in order, as it stood on the bot's standard input."""
        return [self.hello, *(question.message for question in self.questions)]


def rebuild(record: Document, ply: int, log: Document | None) -> Replay:
    """The decision at ``ply`` of ``record`` and all before it of that seat, exactly as sent if ``log`` is given.

    Raises ``UsageError`` for a record that is wrong, a step that nobody was asked for, and a log of another game.
    """
    try:
        verify(record)
    except RecordError as error:
        raise UsageError(f"This record is wrong: {error}.") from error
    seat = _asked_seat(record, ply)
    number = decided_plies(record, seat).index(ply) + 1
    if log is not None:
        _require_match(record, seat, log)
    asked = len(log["decisions"]) if log is not None else _asked(record, seat)
    if number > asked:
        raise UsageError(f"Seat {seat} had lost the game by then and was not asked at ply {ply} any more.")
    hello, first = _start(record, seat, log, number)
    return Replay(hello, tuple(_questions(record, seat, first, number, log)))


def _asked_seat(record: Document, ply: int) -> int:
    steps = record["steps"]
    if not 0 <= ply < len(steps):
        raise UsageError(f"The record has the plies 0 to {len(steps) - 1}, and not {ply}.")
    step = steps[ply]
    if "chance" in step or step.get("forced"):
        what = "chance" if "chance" in step else "a forced move"
        nearest = next((k for k in range(ply + 1, len(steps)) if _is_asked(steps[k])), None)
        hint = "" if nearest is None else f" The next decision is at ply {nearest}, of seat {steps[nearest]['seat']}."
        raise UsageError(f"Ply {ply} is {what}: nobody was asked.{hint}")
    seat: int = step["seat"]
    return seat


def _is_asked(step: Document) -> bool:
    return "decision" in step and not step.get("forced")


def _asked(record: Document, seat: int) -> int:
    """How many decisions ``seat`` was asked, as far as a record can tell: no more after a forfeit."""
    defaults = [record["steps"][ply].get("default") for ply in decided_plies(record, seat)]
    reason = record["outcome"]["scores"][seat].get("forfeit") if record["outcome"] else None
    before = defaults.index("forfeit") if "forfeit" in defaults else len(defaults)
    return min(before + (reason in _ASKED_BEFORE_FORFEIT), len(defaults))


def _require_match(record: Document, seat: int, log: Document) -> None:
    if log.get("format") != FORMAT:
        raise UsageError(f"The log has the format {log.get('format')!r}, and {FORMAT!r} is read here.")
    for key in ("game", "rules", "seats", "commitment"):
        if log.get(key) != record[key]:
            raise UsageError(
                f"The log is of another game: its {key} is {log.get(key)!r}, the record's {record[key]!r}."
            )
    if log.get("seat") != seat:
        raise UsageError(f"The log is of seat {log.get('seat')}, and the decision is one of seat {seat}.")


def _start(record: Document, seat: int, log: Document | None, number: int) -> tuple[Document, int]:
    """The hello of the process that got question ``number``, and the number of the first question that it got."""
    if log is not None:
        start = [start for start in log["starts"] if start["first"] <= number][-1]
        return start["hello"], start["first"]
    limits = limits_document(Limits())
    seed = bot_seed(b"", record["commitment"], seat, 1)
    about = {"game": record["game"], "rules": record["rules"], "seats": record["seats"], "seat": seat}
    return {"type": "hello", "protocol": PROTOCOL, **about, "resumed": False, "limits": limits, "seed": seed}, 1


def _questions(record: Document, seat: int, first: int, last: int, log: Document | None) -> Iterator[Question]:
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
) -> Question:
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
    return Question(ply, message, step["move"], step.get("default"), state.copy())


def _moments(record: Document, seat: int) -> Iterator[tuple[int, State]]:
    """The state at every question to ``seat``, with the ply of its answer; it goes on when the next one is wanted."""
    state = GAMES[record["game"]].new(record["seats"], bytes.fromhex(record["seed"]))
    moves = [(ply, step) for ply, step in enumerate(record["steps"]) if _is_asked(step)]
    while pending := state.pending:
        now, moves = moves[: len(pending)], moves[len(pending) :]
        for ply, step in now:
            if step["seat"] == seat:
                yield ply, state
        for _, step in now:
            state.play(step["seat"], step["move"], default=step.get("default"))
