"""What a bot says to the platform, read strictly. Whatever the bytes are, nothing here raises."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import orjson

MAX_ANSWER_BYTES: Final = 64 * 1024
"""The longest line a bot may send, its newline not counted."""


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
    document = _object(line)
    if type(document) is not dict:
        return cast("Malformed", document)
    number = document.get("id")
    if type(number) is not int:
        return Malformed("the answer has no integer under the key id")
    if "move" not in document:
        return Malformed("the answer has no key move")
    return Answer(number, document["move"])


def is_ready(line: bytes) -> bool | Malformed:
    """Whether a line is ``{"type": "ready"}``; other keys are ignored. ``Malformed`` where it is no object."""
    document = _object(line)
    if isinstance(document, Malformed):
        return document
    return bool(document.get("type") == "ready")


def _object(line: bytes) -> dict[str, Any] | Malformed:
    """One JSON object out of a line in which no key stands twice, at no depth."""
    if len(line) > MAX_ANSWER_BYTES:
        return Malformed(f"the line is longer than {MAX_ANSWER_BYTES} bytes")
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
    return _search_twins(line) or document if colons else document


def _search_twins(line: bytes) -> Malformed | None:
    """The slow and certain way, for the few lines whose colons do not settle whether a key stands twice."""
    try:
        json.loads(line.decode(), object_pairs_hook=_unique, parse_int=_any_number, parse_float=_any_number)
    except ValueError as error:
        return Malformed(str(error))
    except RecursionError:
        return Malformed("the answer is nested too deeply")
    return None


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice in one object")


def _any_number(_digits: str) -> int:
    return 0
