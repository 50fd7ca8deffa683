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

MAX_THOUGHT_MS: Final = 2**31 - 1
"""The longest time that a client may say it has thought."""

_SHORT_BYTES: Final = 2 * MAX_DEPTH


class Answer(NamedTuple):
    """A move for the decision ``id``; whether the id was asked and the move is legal is not judged yet."""

    id: int
    move: Any


class Posted(NamedTuple):
    """A move for a decision that an address names; ``id`` and ``thought_ms`` are ``None`` where nothing was said."""

    id: int | None
    move: Any
    thought_ms: int | None


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
        return Malformed("the key id is missing or not an integer")
    if "move" not in document:
        return Malformed("the key move is missing")
    return Answer(number, document["move"])


def parse_posted(body: bytes) -> Posted | Malformed:
    """What a remote bot posts as its answer: an object with a ``move``, and perhaps an ``id`` and ``thought_ms``.

    It is judged as strictly as a line on stdin; an ``id`` or ``thought_ms`` that is no such number is malformed.
    """
    document = _document(body)
    if isinstance(document, Malformed):
        return document
    for key in ("id", "thought_ms"):
        if key in document and type(document[key]) is not int:
            return Malformed(f"the key {key} is missing or not an integer")
    if "move" not in document:
        return Malformed("the key move is missing")
    thought_ms = document.get("thought_ms")
    if thought_ms is not None and not 0 <= thought_ms <= MAX_THOUGHT_MS:
        return Malformed(f"thought_ms must be from 0 to {MAX_THOUGHT_MS}")
    return Posted(document.get("id"), document["move"], thought_ms)


def is_ready(line: bytes) -> bool | Malformed:
    """Whether a line is ``{"type": "ready"}``; other keys are ignored. ``Malformed`` where it is no object."""
    document = _document(line)
    if isinstance(document, Malformed):
        return document
    return bool(document.get("type") == "ready")


def _document(line: bytes) -> dict[str, Any] | Malformed:
    """The object that a line is."""
    if len(line) > MAX_ANSWER_BYTES:
        return Malformed(f"the answer is longer than {MAX_ANSWER_BYTES} bytes")
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Malformed(f"not JSON: {error}")
    if type(document) is not dict:
        return Malformed("the line is not a JSON object")
    return _search_faults(line, document) or document


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
        raise ValueError("duplicate key in an object")


def _any_number(_digits: str) -> int:
    return 0
