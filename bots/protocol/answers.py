"""What a bot says to the platform, read strictly. Whatever the bytes are, nothing here raises."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

MAX_ANSWER_BYTES: Final = 64 * 1024
"""The longest line a bot may send, its newline not counted."""

MAX_DEPTH: Final = 64
"""How deep lists and objects of an answer may stand in each other, what is ignored included."""

_SHORT_BYTES: Final = 2 * MAX_DEPTH


class Answer(NamedTuple):
    """A move for the decision ``id``; whether the id was asked and the move is legal is not judged yet."""

    id: int
    move: Any


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no answer, with the reason in words for the bot's owner."""

    reason: str


def parse_answer(line: bytes) -> Answer | Malformed:
    """One line of a bot as an answer: a JSON object with an integer ``id`` and a ``move``; other keys are ignored."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Malformed(f"not JSON: {error}")
    if type(document) is not dict:
        return Malformed("the answer is not a JSON object")
    # As many colons as keys in the object and the objects in it: then no key stands twice. Other lines (a colon in a
    # string, deeper objects) may be as good; only the slow way knows.
    colons = line.count(b":") - len(document)
    if colons:
        for value in document.values():
            if type(value) is dict:
                colons -= len(value)
    if colons or len(line) > _SHORT_BYTES:
        fault = _search_faults(line, document)
        if fault is not None:
            return fault
    number = document.get("id")
    if type(number) is not int:
        return Malformed("the answer has no integer under the key id")
    if "move" not in document:
        return Malformed("the answer has no key move")
    return Answer(number, document["move"])


def is_ready(line: bytes) -> bool | Malformed:
    """Whether a line is ``{"type": "ready"}``; other keys are ignored. ``Malformed`` where it is no object."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Malformed(f"not JSON: {error}")
    if type(document) is not dict:
        return Malformed("the line is not a JSON object")
    return _search_faults(line, document) or bool(document.get("type") == "ready")


def _search_faults(line: bytes, document: dict[str, Any]) -> Malformed | None:
    """The slow and certain way: length, depth, and whether a key stands twice anywhere."""
    if len(line) > MAX_ANSWER_BYTES:
        return Malformed(f"the line is longer than {MAX_ANSWER_BYTES} bytes")
    if _is_deep(document):
        return Malformed("the answer is nested too deeply")
    try:
        json.loads(line.decode(), object_pairs_hook=_unique, parse_int=_any_number, parse_float=_any_number)
    except ValueError as error:
        return Malformed(str(error))
    return None


def _is_deep(document: dict[str, Any]) -> bool:
    """Whether lists and objects stand more than ``MAX_DEPTH`` deep in each other."""
    level: list[Any] = [document]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for value in level
            for inner in (value.values() if type(value) is dict else value)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice in one object")


def _any_number(_digits: str) -> int:
    return 0
