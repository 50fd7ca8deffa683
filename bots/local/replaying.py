"""One decision of a finished game, asked again: every message the bot was sent up to it, rebuilt from the record.

View, decision, log and strikes follow from the record. The ``hello`` and the clocks do not; the owner's log has them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from bots.local.faults import UsageError
from bots.protocol import PROTOCOL, Limits, Malformed, bot_seed, parse_answer
from bots.protocol.messages import limits_document
from bots.runner.owner_log import FORMAT, decided_plies
from games.base import Document, IllegalMove, Move, State
from games.record import RecordError, verify
from games.registry import GAMES

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
