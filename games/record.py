"""Read, write, replay and verify the record of a game (``game-record/1``).

If the accelerator is compiled, it confirms correct records. The plain engine judges all others, so that it alone
describes errors, and it returns the same results without the accelerator.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from games import strict
from games.chance import Chance, ChanceError, ScriptedChance, SeededChance, commitment
from games.registry import GAMES
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document, Forfeit, IllegalMove, State
from games.stepped import FORMAT

if TYPE_CHECKING:
    from games.fast.records import Replayed
    from games.game import Game

_KEYS: Final = ("format", "game", "rules", "seats", "seed", "commitment", "steps", "outcome")
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_HEX: Final = re.compile(r"[0-9a-f]{64}\Z")


class RecordError(ValueError):
    """A record is invalid. ``ply`` is the step (from 0), or ``None`` if the error is not in a step."""

    def __init__(self, ply: int | None, message: str) -> None:
        super().__init__(message if ply is None else f"step {ply}: {message}")
        self.ply = ply
        self.message = message


def to_json(record: Mapping[str, Any]) -> str:
    """Return the record as one line of JSON without white space."""
    return _ENCODER.encode(record)


def from_json(text: str | bytes) -> Document:
    """Parse one record strictly. Raises ``RecordError`` unless the text is JSON in the form of a record."""
    try:
        document = strict.parse(text)
    except ValueError as error:
        raise RecordError(None, f"invalid JSON: {error}") from error
    return check_shape(document)


def verify(record: Mapping[str, Any], forfeits: Mapping[int, Forfeit] | None = None) -> State:
    """Replay a record from its seed and return the final state.

    Every chance outcome is computed from the seed, and the rules check every move. ``forfeits`` contains the forfeits
    by seat that the runner reported; by default they are read from the scores of the record. Raises ``RecordError``
    with the step and a description of the first error.
    """
    if confirmed(record, forfeits):
        return _played(record, forfeits_of(record) if forfeits is None else forfeits)
    return _verified(check_shape(dict(record)), forfeits)


def require_valid(record: Any, forfeits: Mapping[int, Forfeit] | None = None) -> None:
    """Raise ``RecordError`` unless ``record``, any JSON value, is one that :func:`verify` accepts.

    It is faster, because it returns no state.
    """
    if not confirmed(record, forfeits):
        _verified(check_shape(record), forfeits)


def _verified(document: Document, forfeits: Mapping[int, Forfeit] | None) -> State:
    """Replay a record with the plain engine."""
    seed = bytes.fromhex(document["seed"])
    if document["commitment"] != commitment(seed):
        raise RecordError(None, "the commitment is not the SHA-256 hash of the seed")
    return _play_again(document, SeededChance(seed), forfeits)


def _played(record: Mapping[str, Any], forfeits: Mapping[int, Forfeit]) -> State:
    """Return the final state of a record that is correct."""
    state = GAMES[record["game"]].new(record["seats"], bytes.fromhex(record["seed"]))
    for step in record["steps"]:
        if "decision" in step and "forced" not in step:
            state.play(step["seat"], step["move"], default=step.get("default"))
    for seat, forfeit in forfeits.items():
        state.forfeit(seat, *forfeit)
    return state


def replay(record: Mapping[str, Any], forfeits: Mapping[int, Forfeit] | None = None) -> State:
    """Replay a record with its own chance outcomes, without a random generator, and return the final state.

    ``forfeits`` is as in :func:`verify`. Raises ``RecordError`` for the first error.
    """
    document = check_shape(dict(record))
    values = GAMES[document["game"]].rules.chance_values
    script = [(step["chance"], step[values[step["chance"]]]) for step in document["steps"] if "chance" in step]
    return _play_again(document, ScriptedChance(bytes.fromhex(document["seed"]), script), forfeits)


def _play_again(record: Document, chance: Chance, forfeits: Mapping[int, Forfeit] | None) -> State:
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
        raise RecordError(compared, "incomplete simultaneous moves: a record must contain all of them or none")
    _check_end(record, state, forfeits)
    return state


def _start(record: Document, chance: Chance) -> State:
    try:
        return GAMES[record["game"]].rules.start(record["seats"], chance)
    except ChanceError as error:
        raise RecordError(None, str(error)) from error


def _compare(steps: list[Document], ply: int, produced: Document) -> None:
    if ply >= len(steps):
        raise RecordError(ply, f"the record ends here, but the rules produce {produced}")
    if not strict.same(steps[ply], produced):
        raise RecordError(ply, f"the rules produce {produced}, but the record has {steps[ply]}")


def _play_step(state: State, step: Document, ply: int) -> None:
    """Play one recorded move that a player, or the platform for the player, has chosen."""
    if "chance" in step:
        raise RecordError(ply, f"unexpected chance step {step['chance']!r}")
    if step.get("forced"):
        raise RecordError(ply, "the move is marked as forced, but there is another legal move")
    seat = step["seat"]
    if seat not in state.pending:
        raise RecordError(ply, f"seat {seat} has no pending decision; pending seats: {list(state.pending)}")
    kind = state.decision_kind
    if step["decision"] != kind:
        raise RecordError(ply, f"the pending decision of seat {seat} is {kind!r}, not {step['decision']!r}")
    try:
        state.play(seat, step["move"], default=step.get("default"))
    except (IllegalMove, ChanceError) as error:
        raise RecordError(ply, str(error)) from error


def _check_end(record: Document, state: State, forfeits: Mapping[int, Forfeit] | None) -> None:
    reported = forfeits_of(record) if forfeits is None else forfeits
    known = forfeits is not None or record["outcome"] is not None
    _check_forfeit_defaults(record["steps"], reported if known else None)
    for seat, forfeit in reported.items():
        state.forfeit(seat, *forfeit)
    if not strict.same(state.outcome, record["outcome"]):
        raise RecordError(None, f"the outcome is {state.outcome}, but the record has {record['outcome']}")


def forfeits_of(record: Mapping[str, Any]) -> dict[int, Forfeit]:
    """Return the forfeits in the scores of a record by seat; none while its game runs."""
    scores = record["outcome"]["scores"] if record["outcome"] else []
    return {
        seat: Forfeit(score["forfeit"], score.get("forfeit_at"))
        for seat, score in enumerate(scores)
        if "forfeit" in score
    }


def _check_forfeit_defaults(steps: list[Document], forfeits: Mapping[int, Forfeit] | None) -> None:
    """Check that a step with the default reason ``forfeit`` follows a forfeit, and that its seat makes no moves later.

    ``forfeits`` is ``None`` for the record of a running game if the forfeits are not known.
    """
    gone: set[int] = set()
    for ply, step in enumerate(steps):
        seat = step.get("seat", -1) if "decision" in step else -1
        if step.get("default") == "forfeit":
            gone.add(seat)
            if forfeits is None:
                continue
            if seat not in forfeits or forfeits[seat].reason not in FORFEIT_REASONS:
                raise RecordError(ply, f"seat {seat} forfeits here, but the outcome does not contain the forfeit")
            at = forfeits[seat].at
            if at is not None and at > ply:
                raise RecordError(ply, f"seat {seat} has forfeited here, but it gave up later, at step {at}")
        elif seat in gone and not step.get("forced"):
            raise RecordError(ply, f"seat {seat} moves after its forfeit")


# --- The accelerator -------------------------------------------------------------------------------------------------


@cache
def accelerator() -> ModuleType | None:
    """Return ``games.fast.records``, or ``None`` if the accelerator is switched off or not compiled."""
    #: ESR_ACCELERATOR: Set it to `0` for records and PettingZoo games in plain Python. Default: used if compiled.
    if os.environ.get("ESR_ACCELERATOR", "1") == "0":
        return None
    try:
        from games.fast import records
        from games.fast.library import load

        load()
    except ImportError:
        return None
    return records


def confirmed(
    record: Any,
    forfeits: Mapping[int, Forfeit] | None = None,
    *,
    knows_forfeits: bool = True,
    packs: bool = False,
) -> Replayed | None:
    """Return the game as the accelerator has replayed it from its seed, if that gives exactly this record.

    ``None`` says nothing about the record: it may be wrong, or the accelerator is missing. Arguments are as in
    :func:`verify` and ``games.fast.records.replay_steps``.
    """
    fast = accelerator()
    if fast is None or type(record) is not dict:
        return None
    try:
        _check_head(record)
        _check_outcome(record["outcome"], record["seats"], len(record["steps"]))
    except RecordError:
        return None
    seed, seats = bytes.fromhex(record["seed"]), record["seats"]
    reported = forfeits_of(record) if forfeits is None else forfeits
    possible = all(_is_forfeit(seat, seats, forfeit) for seat, forfeit in reported.items())
    if not possible or record["commitment"] != commitment(seed):
        return None
    knows_forfeits &= forfeits is not None or record["outcome"] is not None
    replayed: Replayed | None = fast.replay_steps(
        record["game"],
        seats,
        seed,
        record["steps"],
        record["outcome"],
        reported,
        knows_forfeits=knows_forfeits,
        packs=packs,
    )
    return replayed


def _is_forfeit(seat: Any, seats: int, forfeit: Forfeit) -> bool:
    at = 0 if forfeit.at is None else forfeit.at
    known = forfeit.reason in FORFEIT_REASONS
    return known and type(seat) is int and 0 <= seat < seats and type(at) is int and 0 <= at < 2**63


# --- The shape of a record -------------------------------------------------------------------------------------------


def check_shape(record: Any) -> Document:
    """Return ``record`` if it has the form of a record of a known game. Raises ``RecordError`` if not."""
    game = _check_head(record)
    for ply, step in enumerate(record["steps"]):
        _check_step(ply, step, record["seats"], game.rules.chance_values)
    _check_outcome(record["outcome"], record["seats"], len(record["steps"]))
    document: Document = record
    return document


def _check_head(record: Any) -> Game:
    """Check everything but the single steps and the outcome. Return the game."""
    if type(record) is not dict or "format" not in record or "rules" not in record:
        raise RecordError(None, "a record must be an object with the keys format and rules")
    game = GAMES.get(record["game"]) if type(record.get("game")) is str else None
    known = game.rules.version if game else None
    if record["format"] != FORMAT or record["rules"] != known or type(record["rules"]) is not str:
        read = (
            f"expected format {FORMAT!r} and rules {known!r}"
            if game
            else f"expected one of the games {', '.join(GAMES)}"
        )
        raise RecordError(
            None,
            f"format {record['format']!r} with rules {record['rules']!r} of game {record.get('game')!r} "
            f"is not supported: {read}",
        )
    assert game is not None
    if record.keys() != set(_KEYS):
        raise RecordError(None, f"a record must have exactly the keys {', '.join(_KEYS)}")
    if type(record["seats"]) is not int or record["seats"] not in game.seat_counts:
        raise RecordError(None, f"{game.name} has {game.seat_counts} seats, not {record['seats']!r}")
    for key in ("seed", "commitment"):
        if type(record[key]) is not str or not _HEX.match(record[key]):
            raise RecordError(None, f"{key} must be 64 lower-case hex digits")
    if type(record["steps"]) is not list:
        raise RecordError(None, "steps must be a list")
    return game


def _check_step(ply: int, step: Any, seats: int, chance_values: Mapping[str, str]) -> None:
    if type(step) is not dict:
        raise RecordError(ply, "a step must be an object")
    if "chance" in step:
        value = chance_values.get(step["chance"]) if type(step["chance"]) is str else None
        if value is None or step.keys() != {"chance", value}:
            raise RecordError(ply, "a chance step must have exactly its name and its value")
        if not _is_chance_value(step[value], value):
            raise RecordError(ply, f"{value!r} has the wrong type")
        return
    if not {"seat", "decision", "move"} <= step.keys() <= {"seat", "decision", "move", "forced", "default"}:
        raise RecordError(ply, "a move must have the keys seat, decision and move, and optionally forced or default")
    if type(step["seat"]) is not int or not 0 <= step["seat"] < seats or type(step["decision"]) is not str:
        raise RecordError(ply, "seat is not a seat of this game, or decision is not a string")
    if "forced" in step and (step["forced"] is not True or "default" in step):
        raise RecordError(ply, "forced must be true and cannot be combined with default")
    if "default" in step and not (type(step["default"]) is str and step["default"] in DEFAULT_REASONS):
        raise RecordError(ply, f"default must be one of {', '.join(DEFAULT_REASONS)}")


def _is_chance_value(value: Any, key: str) -> bool:
    if key == "seat":
        return type(value) is int
    element = int if key == "seats" else str
    return type(value) is list and all(type(item) is element for item in value)


def _check_outcome(outcome: Any, seats: int, steps: int) -> None:
    if outcome is None:
        return
    if type(outcome) is not dict or outcome.keys() != {"ranks", "scores"}:
        raise RecordError(None, "the outcome must be null or have exactly the keys ranks and scores")
    if type(outcome["scores"]) is not list or len(outcome["scores"]) != seats:
        raise RecordError(None, "scores must have one object per seat")
    for score in outcome["scores"]:
        if type(score) is not dict:
            raise RecordError(None, "scores must have one object per seat")
        if "forfeit" in score and not (type(score["forfeit"]) is str and score["forfeit"] in FORFEIT_REASONS):
            raise RecordError(None, f"forfeit must be one of {', '.join(FORFEIT_REASONS)}")
        at = score.get("forfeit_at", 0)
        if type(at) is not int or not 0 <= at <= steps:
            raise RecordError(None, f"forfeit_at must be a number of steps of the record, from 0 to {steps}")
    forfeits = {seat for seat, score in enumerate(outcome["scores"]) if "forfeit" in score}
    timed = {seat for seat, score in enumerate(outcome["scores"]) if "forfeit_at" in score}
    if timed and timed != forfeits:
        raise RecordError(None, "forfeit_at must be in the scores of all seats with forfeit, or of none")
