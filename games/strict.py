"""Strict JSON: ``true`` and ``1.0`` are not 1, and duplicate keys are errors."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def same(first: object, second: object) -> bool:
    """Return whether two JSON values are equal, including their types, at every depth."""
    return first == second and _same_types(first, second)


def _same_types(first: object, second: object) -> bool:
    """Return whether two equal values have equal types at every depth. Equal strings need no check."""
    if type(first) is not type(second):
        return False
    if isinstance(first, dict) and isinstance(second, dict):
        for key, part in first.items():
            if type(part) is not str and not _same_types(part, second[key]):
                return False
    elif isinstance(first, list) and isinstance(second, list):
        for part, other in zip(first, second, strict=True):
            if type(part) is not str and not _same_types(part, other):
                return False
    return True


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("duplicate key in an object")
    return document


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not valid JSON")


def parse(text: str | bytes) -> Any:
    """Parse JSON strictly. Raises ``ValueError`` with a readable message for any invalid text."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
