"""JSON without leniency: ``true`` is not 1, ``1.0`` is not 1, and no key stands twice."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def same(one: object, two: object) -> bool:
    """Whether two JSON values are equal in type and value at every depth."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(value, two[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return one == two


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return document


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def parse(text: str | bytes) -> Any:
    """Parse JSON strictly. Raises ``ValueError`` with a sentence, whatever is wrong with the text."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
