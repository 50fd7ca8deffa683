"""The few shapes that all schemas are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Schema = dict[str, Any]
Shapes = dict[str, Schema]

LEGAL_MOST: Final = 64
"""A decision lists its legal moves up to this number."""


def ref(name: str) -> Schema:
    """The definition ``name`` of the same file."""
    return {"$ref": f"#/$defs/{name}"}


def enum(values: Sequence[Any]) -> Schema:
    """Exactly these values."""
    return {"enum": list(values)}


def const(value: Any) -> Schema:
    """Exactly this value."""
    return {"const": value}


def integer(least: int = 0, most: int | None = None) -> Schema:
    """A whole number within bounds, both included."""
    bounds = {"type": "integer", "minimum": least}
    return bounds if most is None else {**bounds, "maximum": most}


def array(items: Schema, least: int = 0, most: int | None = None, unique: bool = False) -> Schema:
    """A list of like things."""
    shape: Schema = {"type": "array", "items": items}
    if least:
        shape["minItems"] = least
    if most is not None:
        shape["maxItems"] = most
    if unique:
        shape["uniqueItems"] = True
    return shape


def nullable(shape: Schema) -> Schema:
    """The shape, or ``null``."""
    return {"oneOf": [{"type": "null"}, shape]}


def one_of(*shapes: Schema) -> Schema:
    """Exactly one of several shapes."""
    return shapes[0] if len(shapes) == 1 else {"oneOf": list(shapes)}


def opened(properties: Mapping[str, Schema]) -> Schema:
    """An object with all of these keys; later versions may add others."""
    return {"type": "object", "required": list(properties), "properties": dict(properties)}


def closed(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with all of these keys, perhaps the optional ones, and no others."""
    shape = opened(properties)
    shape["properties"].update(optional or {})
    shape["additionalProperties"] = False
    return shape


def by_key(pattern: str, values: Schema) -> Schema:
    """A closed object of at least one entry, whose keys match ``pattern``."""
    return {
        "type": "object",
        "patternProperties": {pattern: values},
        "additionalProperties": False,
        "minProperties": 1,
    }


def per_seats(counts: Sequence[int], key: str, shape_for: Mapping[int, Schema]) -> list[Schema]:
    """Conditions that tie the shape of ``key`` to the value of ``seats``."""
    return [
        {
            "if": {"properties": {"seats": const(count)}, "required": ["seats"]},
            "then": {"properties": {key: shape_for[count]}},
        }
        for count in counts
    ]


def own_part() -> Schema:
    """``you`` is an object for a seat and ``null`` for a spectator."""
    return {
        "if": {"properties": {"seat": const(None)}},
        "then": {"properties": {"you": const(None)}},
        "else": {"properties": {"you": {"type": "object"}}},
    }
