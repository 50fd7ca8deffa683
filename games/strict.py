"""JSON without leniency: ``true`` is not 1, ``1.0`` is not 1, and no key stands twice."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NoReturn


def same(one: object, two: object) -> bool:
    """Whether two JSON values are equal in type and value at every depth."""
    if type(one) is not type(two) or one != two:
        return False
    if isinstance(one, dict) and isinstance(two, dict):
        return _same_types(one.values(), (two[key] for key in one))
    return not (isinstance(one, list) and isinstance(two, list)) or _same_types(one, two)


def _same_types(ones: Iterable[object], twos: Iterable[object]) -> bool:
    """Whether values that are equal one by one are so in type too; nothing but a word equals a word."""
    return all(type(one) is str or same(one, two) for one, two in zip(ones, twos, strict=True))


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
