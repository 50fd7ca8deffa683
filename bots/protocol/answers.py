"""Strict parsers of everything that a bot sends. They never raise an exception, whatever the bytes are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import orjson

MAX_ANSWER_BYTES: Final = 64 * 1024
"""Maximum length of a line of a bot, without its newline."""

MAX_DEPTH: Final = 64
"""Maximum nesting depth of lists and objects in an answer, including the keys that are ignored."""

MAX_THOUGHT_MS: Final = 2**31 - 1
"""Maximum thinking time that a client can report."""

ONLY_ANSWERS: Final = "stdout is only for answers, so print debug output to stderr"
"""What the author of a bot that writes something else can do."""

_SHORT_BYTES: Final = 2 * MAX_DEPTH


class Answer(NamedTuple):
    """A move for the decision ``id``. It is not yet checked that this decision is open and the move is legal."""

    id: int
    move: Any


class Posted(NamedTuple):
    """A move for the decision in the URL of a request. ``id`` and ``thought_ms`` are ``None`` if they are omitted."""

    id: int | None
    move: Any
    thought_ms: int | None


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is not an answer, with the reason in words for the owner of the bot."""

    reason: str


def parse_answer(line: bytes) -> Answer | Malformed:
    """Parse one line of a bot: a JSON object with an integer ``id`` and a ``move``. Other keys are ignored."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Malformed(f"not JSON: {error}; {ONLY_ANSWERS}")
    if type(document) is not dict:
        return Malformed(f"the answer is not a JSON object; {ONLY_ANSWERS}")
    # If there are as many colons as keys in the object and in its objects, no key appears twice. Other lines, such as a
    # colon in a string or deeper objects, can also be valid and need the slow check.
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
    """Parse the answer that a remote bot posts: an object with a ``move`` and optionally ``id`` and ``thought_ms``.

    It is parsed as strictly as a line on stdin. An ``id`` or ``thought_ms`` that is not a valid number is malformed.
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
    """Return whether a line is ``{"type": "ready"}``, or ``Malformed`` if it is not an object. Ignores other keys."""
    document = _document(line)
    if isinstance(document, Malformed):
        return document
    return bool(document.get("type") == "ready")


def _document(line: bytes) -> dict[str, Any] | Malformed:
    """Return the JSON object in a line."""
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
    """Check length, depth and duplicate keys at any depth. This is slow, but complete."""
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
    """Return whether lists and objects are nested more than ``MAX_DEPTH`` levels deep."""
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
