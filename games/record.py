"""The record of a finished game: read, written, replayed without chance, and verified against its seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from games import strict
from games.base import FORFEIT_REASONS, Document, IllegalMove, State
from games.chance import Chance, ChanceError, ScriptedChance, SeededChance, commitment
from games.registry import GAMES
from games.shapes import RecordError, check_shape
from games.steps import CHANCE_VALUES

__all__ = ["RecordError", "from_json", "replay", "to_json", "verify"]


def to_json(record: Mapping[str, Any]) -> str:
    """The record on one line, without white space."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def from_json(text: str | bytes) -> Document:
    """Read one record strictly. Raises ``RecordError`` unless the text is JSON in the shape of a record."""
    try:
        document = strict.parse(text)
    except ValueError as error:
        raise RecordError(None, f"this is not JSON: {error}") from error
    return check_shape(document)


def verify(record: Mapping[str, Any], forfeits: Mapping[int, str] | None = None) -> State:
    """Play a record again from its seed and return the finished state.

    Every chance outcome is computed from the seed and every move judged by the rules. ``forfeits`` (reasons
    by seat) are what the runner reported; without them, those that the record's scores carry are taken.
    Raises ``RecordError`` with the ply and a sentence for the first thing that is wrong.
    """
    document = check_shape(dict(record))
    seed = bytes.fromhex(document["seed"])
    if document["commitment"] != commitment(seed):
        raise RecordError(None, "the commitment is not the SHA-256 of the seed")
    return _play_again(document, SeededChance(seed), forfeits)


def replay(record: Mapping[str, Any], forfeits: Mapping[int, str] | None = None) -> State:
    """Play a record again with the chance outcomes it holds and no random generator. Raises ``RecordError``."""
    document = check_shape(dict(record))
    script = [(s["chance"], s[CHANCE_VALUES[s["chance"]]]) for s in document["steps"] if "chance" in s]
    return _play_again(document, ScriptedChance(bytes.fromhex(document["seed"]), script), forfeits)


def _play_again(record: Document, chance: Chance, forfeits: Mapping[int, str] | None) -> State:
    state = _start(record, chance)
    steps = record["steps"]
    compared = cursor = 0
    while True:
        for produced in state.steps_since(compared):
            _compare(steps, compared, produced)
            compared += 1
        cursor = max(cursor, compared)
        if cursor == len(steps):
            break
        _play_step(state, steps[cursor], cursor)
        cursor += 1
    if compared < len(steps):
        raise RecordError(compared, "simultaneous moves stand in a record once the last one is in, not before")
    _check_end(record, state, forfeits)
    return state


def _start(record: Document, chance: Chance) -> State:
    try:
        return GAMES[record["game"]].start(record["seats"], chance)
    except ChanceError as error:
        raise RecordError(None, str(error)) from error


def _compare(steps: list[Document], ply: int, produced: Document) -> None:
    if ply >= len(steps):
        raise RecordError(ply, f"the record ends here, but the rules go on with {produced}")
    if not strict.same(steps[ply], produced):
        raise RecordError(ply, f"the rules give {produced}, the record has {steps[ply]}")


def _play_step(state: State, step: Document, ply: int) -> None:
    """Play one recorded move that a player, or the platform for him, has chosen."""
    if "chance" in step:
        raise RecordError(ply, f"no chance step {step['chance']!r} stands here")
    if step.get("forced"):
        raise RecordError(ply, "this move is marked as forced, but nothing is forced here")
    seat = step["seat"]
    if seat not in state.pending:
        raise RecordError(ply, f"seat {seat} is not asked here; asked are {list(state.pending)}")
    kind = state.decision_kind
    if step["decision"] != kind:
        raise RecordError(ply, f"seat {seat} is asked for {kind!r} here, not {step['decision']!r}")
    try:
        state.play(seat, step["move"], default=step.get("default"))
    except (IllegalMove, ChanceError) as error:
        raise RecordError(ply, str(error)) from error


def _check_end(record: Document, state: State, forfeits: Mapping[int, str] | None) -> None:
    reported = _forfeits_of(record) if forfeits is None else forfeits
    known = forfeits is not None or record["outcome"] is not None
    _check_forfeit_defaults(record["steps"], reported if known else None)
    for seat, reason in reported.items():
        state.forfeit(seat, reason)
    if not strict.same(state.outcome, record["outcome"]):
        raise RecordError(None, f"the outcome is {state.outcome}, the record has {record['outcome']}")


def _forfeits_of(record: Document) -> dict[int, str]:
    scores = record["outcome"]["scores"] if record["outcome"] else []
    return {seat: score["forfeit"] for seat, score in enumerate(scores) if "forfeit" in score}


def _check_forfeit_defaults(steps: list[Document], forfeits: Mapping[int, str] | None) -> None:
    """Once a step of a seat says ``forfeit``, the seat has forfeited and never moves itself again.

    ``forfeits`` is ``None`` for a running game that came without them.
    """
    gone: set[int] = set()
    for ply, step in enumerate(steps):
        seat = step.get("seat", -1) if "decision" in step else -1
        if step.get("default") == "forfeit":
            gone.add(seat)
            if forfeits is not None and forfeits.get(seat) not in FORFEIT_REASONS:
                raise RecordError(ply, f"seat {seat} has forfeited here, but the outcome does not say so")
        elif seat in gone and not step.get("forced"):
            raise RecordError(ply, f"seat {seat} has forfeited before, but moves here")
