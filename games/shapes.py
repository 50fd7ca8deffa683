"""The shape of a record: what must hold before its game is played again."""

from __future__ import annotations

import re
from typing import Any, Final

from games.base import DEFAULT_REASONS, FORFEIT_REASONS, Document
from games.registry import GAMES
from games.steps import CHANCE_VALUES, FORMAT

_KEYS: Final = ("format", "game", "rules", "seats", "seed", "commitment", "steps", "outcome")
_HEX: Final = re.compile(r"[0-9a-f]{64}\Z")


class RecordError(ValueError):
    """Something in a record is wrong: at step ``ply`` (from 0), or ``None`` if it is not in a step."""

    def __init__(self, ply: int | None, message: str) -> None:
        super().__init__(message if ply is None else f"step {ply}: {message}")
        self.ply = ply
        self.message = message


def check_shape(record: Any) -> Document:
    """Return ``record`` if it has the shape of a record of a known game. Raises ``RecordError``."""
    if type(record) is not dict or "format" not in record or "rules" not in record:
        raise RecordError(None, "a record is an object with a format and rules")
    game = GAMES.get(record["game"]) if type(record.get("game")) is str else None
    known = game.rules if game else None
    if record["format"] != FORMAT or record["rules"] != known or type(record["rules"]) is not str:
        read = f"this reads {FORMAT!r} with the rules {known!r}" if game else f"this knows {', '.join(GAMES)}"
        raise RecordError(
            None,
            f"format {record['format']!r} and rules {record['rules']!r} of game {record.get('game')!r} "
            f"cannot be read: {read}",
        )
    assert game is not None
    if record.keys() != set(_KEYS):
        raise RecordError(None, f"a record has exactly the keys {', '.join(_KEYS)}")
    if type(record["seats"]) is not int or record["seats"] not in game.seat_counts:
        raise RecordError(None, f"{game.name} has {game.seat_counts} seats, not {record['seats']!r}")
    for key in ("seed", "commitment"):
        if type(record[key]) is not str or not _HEX.match(record[key]):
            raise RecordError(None, f"{key} is not 64 lower-case hex digits")
    if type(record["steps"]) is not list:
        raise RecordError(None, "steps is not a list")
    for ply, step in enumerate(record["steps"]):
        _check_step(ply, step, record["seats"])
    _check_outcome(record["outcome"], record["seats"])
    return record


def _check_step(ply: int, step: Any, seats: int) -> None:
    if type(step) is not dict:
        raise RecordError(ply, "a step is an object")
    if "chance" in step:
        value = CHANCE_VALUES.get(step["chance"]) if type(step["chance"]) is str else None
        if value is None or step.keys() != {"chance", value}:
            raise RecordError(ply, "a chance step has exactly its name and its value")
        if not _is_chance_value(step[value], value):
            raise RecordError(ply, f"{value!r} has the wrong type")
        return
    if not {"seat", "decision", "move"} <= step.keys() <= {"seat", "decision", "move", "forced", "default"}:
        raise RecordError(ply, "a move has exactly seat, decision, move, and perhaps forced or default")
    if type(step["seat"]) is not int or not 0 <= step["seat"] < seats or type(step["decision"]) is not str:
        raise RecordError(ply, "seat is no seat of this table, or decision is not a word")
    if "forced" in step and (step["forced"] is not True or "default" in step):
        raise RecordError(ply, "forced is only ever true, and never together with default")
    if "default" in step and not (type(step["default"]) is str and step["default"] in DEFAULT_REASONS):
        raise RecordError(ply, f"default is one of {', '.join(DEFAULT_REASONS)}")


def _is_chance_value(value: Any, key: str) -> bool:
    if key == "seat":
        return type(value) is int
    element = int if key == "seats" else str
    return type(value) is list and all(type(item) is element for item in value)


def _check_outcome(outcome: Any, seats: int) -> None:
    if outcome is None:
        return
    if type(outcome) is not dict or outcome.keys() != {"ranks", "scores"}:
        raise RecordError(None, "the outcome is null, or has exactly ranks and scores")
    if type(outcome["scores"]) is not list or len(outcome["scores"]) != seats:
        raise RecordError(None, "scores has one object a seat")
    for score in outcome["scores"]:
        if type(score) is not dict:
            raise RecordError(None, "scores has one object a seat")
        if "forfeit" in score and not (type(score["forfeit"]) is str and score["forfeit"] in FORFEIT_REASONS):
            raise RecordError(None, f"forfeit is one of {', '.join(FORFEIT_REASONS)}")
