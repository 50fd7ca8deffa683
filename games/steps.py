"""How one step of a game is written down."""

from __future__ import annotations

from typing import Any, Final

from games.base import Document, Move

FORMAT: Final = "game-record/1"

CHANCE_VALUES: Final = {
    "age_order": "seats",
    "event_deck": "cards",
    "gem_deck": "cards",
    "deck": "cards",
    "starter": "seat",
}
"""Which key holds the value of a chance step."""


def step_document(seat: int, kind: str, move: Move | list[Any] | int, mark: str | bool | None) -> Document:
    """A step as the record has it; ``seat`` −1 is chance, ``mark`` is ``True`` or the reason of a default."""
    if seat < 0:
        return {"chance": kind, CHANCE_VALUES[kind]: copied(move)}
    step: Document = {"seat": seat, "decision": kind, "move": copied(move)}
    if mark is True:
        step["forced"] = True
    elif mark:
        step["default"] = mark
    return step


def copied(value: Any) -> Any:
    """An independent copy of a JSON value; words and numbers are themselves."""
    if type(value) is dict:
        return {key: copied(part) for key, part in value.items()}
    return [copied(part) for part in value] if type(value) is list else value
