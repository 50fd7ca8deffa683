"""JSON Schemas (2020-12) of all documents that a game writes or reads.

A game describes its own parts (:class:`GameShapes`); this module adds the parts that all games share. ``Game.schema``
returns a schema, and the API serves it at ``games/{slug}/schemas/{document}``. Schemas are built on first use, in about
1 ms per game.

A schema cannot express two rules: JSON Schema accepts ``1.0`` as an integer, and does not know which moves are legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, LISTED_MOVES, Rules

Schema = dict[str, Any]
Shapes = dict[str, Schema]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

# --- The shapes that all schemas are made of -------------------------------------------------------------------------


def ref(name: str) -> Schema:
    """Return a reference to the definition ``name`` in the same file."""
    return {"$ref": f"#/$defs/{name}"}


def enum(values: Sequence[Any]) -> Schema:
    """Return the schema of a fixed set of values."""
    return {"enum": list(values)}


def const(value: Any) -> Schema:
    """Return the schema of one value."""
    return {"const": value}


def integer(least: int = 0, most: int | None = None) -> Schema:
    """Return the schema of an integer. Both bounds are inclusive."""
    bounds = {"type": "integer", "minimum": least}
    return bounds if most is None else {**bounds, "maximum": most}


def array(items: Schema, least: int = 0, most: int | None = None, unique: bool = False) -> Schema:
    """Return the schema of a list of ``least`` to ``most`` items."""
    shape: Schema = {"type": "array", "items": items}
    if least:
        shape["minItems"] = least
    if most is not None:
        shape["maxItems"] = most
    if unique:
        shape["uniqueItems"] = True
    return shape


def nullable(shape: Schema) -> Schema:
    """Return the schema of ``shape`` or ``null``."""
    return {"oneOf": [{"type": "null"}, shape]}


def one_of(*shapes: Schema) -> Schema:
    """Return the schema of exactly one of several shapes."""
    return shapes[0] if len(shapes) == 1 else {"oneOf": list(shapes)}


def opened(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of an object with all of these keys. Later versions can add others."""
    return {"type": "object", "required": list(properties), "properties": dict(properties)}


def closed(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with all of these keys, optional keys, and no others."""
    shape = opened(properties)
    shape["properties"].update(optional or {})
    shape["additionalProperties"] = False
    return shape


def score(properties: Mapping[str, Schema]) -> Schema:
    """Return the schema of the score of a seat, to which a forfeit can be added."""
    return _with_forfeit(closed(properties, _FORFEIT))


def _with_forfeit(shape: Schema) -> Schema:
    return {**shape, "dependentRequired": {"forfeit_at": ["forfeit"]}}


_FORFEIT: Final[Shapes] = {
    "forfeit": ref("forfeit_reason"),
    "forfeit_at": {**integer(), "description": "number of steps that were recorded when the seat gave up"},
}


def by_key(pattern: str, values: Schema) -> Schema:
    """Return the schema of an object with at least one key. All keys must match ``pattern``."""
    return {
        "type": "object",
        "patternProperties": {pattern: values},
        "additionalProperties": False,
        "minProperties": 1,
    }


def per_seats(counts: Sequence[int], key: str, shape_for: Mapping[int, Schema]) -> list[Schema]:
    """Return conditions that select the shape of ``key`` by the value of ``seats``."""
    return [
        {
            "if": {"properties": {"seats": const(count)}, "required": ["seats"]},
            "then": {"properties": {key: shape_for[count]}},
        }
        for count in counts
    ]


def own_part() -> Schema:
    """Return the condition that ``you`` is an object for a seat and ``null`` for a spectator."""
    return {
        "if": {"properties": {"seat": const(None)}},
        "then": {"properties": {"you": const(None)}},
        "else": {"properties": {"you": {"type": "object"}}},
    }


# --- The ten documents -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GameShapes:
    """The definitions from which the schemas of one game are built.

    ``defs`` has at least ``seat``, ``step`` and ``log_step`` (one step of a record and of a log), ``event``, ``view``,
    ``decision``, ``move``, ``answer_move`` and ``score``. ``opening`` contains the first steps of every record,
    ``dealt`` the conditions that relate them to the number of seats. ``own_events`` contains the types of the events
    that only the log of a seat has.
    """

    slug: str
    rules: str
    seat_counts: tuple[int, ...]
    defs: Shapes
    opening: tuple[Schema, ...]
    dealt: tuple[Schema, ...] = ()
    own_events: tuple[str, ...] = ()

    @property
    def head(self) -> Shapes:
        """The keys that identify the game."""
        return {"game": const(self.slug), "rules": const(self.rules), "seats": enum(self.seat_counts)}


def common(game: GameShapes) -> Shapes:
    """Return the definitions that all games share."""
    least, most = min(game.seat_counts), max(game.seat_counts)
    hex64: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    return {
        "hex64": hex64,
        "outcome": {
            **closed({"ranks": array(integer(1, most), least, most), "scores": array(ref("score"), least, most)}),
            "anyOf": [  # no seat that forfeited states when it gave up, or each of them does
                {"properties": {"scores": {"items": {"not": {"required": ["forfeit_at"]}}}}},
                {"properties": {"scores": {"items": {"dependentRequired": {"forfeit": ["forfeit_at"]}}}}},
            ],
        },
        "entry": {
            "oneOf": [
                opened({"ply": integer(), "step": ref("log_step")}),
                opened({"ply": integer(1), "event": ref("event")}),
            ]
        },
        "limits": opened(
            {
                "startup_ms": integer(1),
                "move_ms": integer(1),
                "bank_ms": integer(),
                "game_ms": integer(1),
                "memory_mb": integer(1),
            }
        ),
        "clock": opened({name: integer() for name in ("move_ms", "bank_ms", "game_ms")}),
    }


def outcome_per_seats(game: GameShapes) -> list[Schema]:
    """Return the conditions that there is one rank and one score per seat."""
    sizes = {
        count: {
            "properties": {
                "ranks": {"minItems": count, "maxItems": count},
                "scores": {"minItems": count, "maxItems": count},
            }
        }
        for count in game.seat_counts
    }
    return per_seats(game.seat_counts, "outcome", sizes) if len(game.seat_counts) > 1 else []


def steps(game: GameShapes, least: int) -> Schema:
    """Return the schema of the steps of a record, beginning with the setup."""
    return {"type": "array", "prefixItems": list(game.opening), "items": ref("step"), "minItems": least}


def record(game: GameShapes) -> Schema:
    shape = closed(
        {
            "format": const("game-record/1"),
            **game.head,
            "seed": ref("hex64"),
            "commitment": ref("hex64"),
            "steps": steps(game, len(game.opening) + 1),
            "outcome": ref("outcome"),
        }
    )
    return with_conditions(shape, [*outcome_per_seats(game), *game.dealt])


def match_log(game: GameShapes) -> Schema:
    shape = closed(
        {
            "format": const("match-log/1"),
            **game.head,
            "seed": ref("hex64"),
            "commitment": ref("hex64"),
            "status": enum(("void", "aborted")),
            "reason": {"type": "string", "minLength": 1},
            "steps": steps(game, 0),
        }
    )
    return with_conditions(shape, list(game.dealt))


def log(game: GameShapes) -> Schema:
    shape = opened(
        {
            "format": const("game-log/1"),
            **game.head,
            "seat": nullable(ref("seat")),
            "commitment": ref("hex64"),
            "entries": array(ref("entry")),
            "outcome": nullable(ref("outcome")),
        }
    )
    public: Schema = {"properties": {"step": {"properties": {"forced": False, "default": False}}}}
    if game.own_events:
        public["properties"]["event"] = {"properties": {"type": {"not": enum(game.own_events)}}}
    spectator: Schema = {
        "if": {"properties": {"seat": const(None)}},
        "then": {"properties": {"entries": {"items": public}}},
    }
    return with_conditions(shape, [spectator, *outcome_per_seats(game)])


def hello(game: GameShapes) -> Schema:
    return opened(
        {
            "type": const("hello"),
            "protocol": const(1),
            **game.head,
            "seat": ref("seat"),
            "resumed": {"type": "boolean"},
            "limits": ref("limits"),
            "seed": {
                **ref("hex64"),
                "description": "seed for the bot's random number generator; independent of the deal",
            },
            "library": {
                "type": "string",
                "minLength": 1,
                "description": "version of the package games on the site, which hosted bots can import",
            },
        }
    )


DECIDE = opened(
    {
        "type": const("decide"),
        "id": integer(1),
        "strikes": integer(),
        "decision": ref("decision"),
        "view": ref("view"),
        "log": array(ref("entry")),
        "clock": ref("clock"),
    }
)
END = opened({"type": const("end"), "outcome": ref("outcome"), "log": array(ref("entry"))})
READY = opened({"type": const("ready")})
ANSWER = opened({"id": integer(1), "move": ref("answer_move")})


def with_conditions(shape: Schema, conditions: list[Schema]) -> Schema:
    """Return ``shape`` with additional conditions."""
    return {**shape, "allOf": conditions} if conditions else shape


MEANINGS: Final[dict[str, str]] = {
    "record": "complete, verifiable record of one finished game",
    "match-log": "log of a game that ended without a result",
    "log": "everything that one seat or a spectator has seen so far",
    "view": "everything that one seat or a spectator can see now",
    "decision": "decision of one seat",
    "hello": "first message to a bot",
    "decide": "message that asks a bot for a move",
    "end": "last message to a bot",
    "ready": "answer of a bot to hello",
    "answer": "answer of a bot to decide",
}
"""The description of each document, by name."""

DOCUMENTS: Final[tuple[str, ...]] = tuple(MEANINGS)
"""The names of all documents."""

REASONS: Shapes = {"default_reason": enum(DEFAULT_REASONS), "forfeit_reason": enum(FORFEIT_REASONS)}


def documents(game: GameShapes) -> dict[str, Schema]:
    """Return the documents of one game, in the order of ``MEANINGS``."""
    return {
        "record": record(game),
        "match-log": match_log(game),
        "log": log(game),
        "view": dict(game.defs["view"]),
        "decision": dict(game.defs["decision"]),
        "hello": hello(game),
        "decide": DECIDE,
        "end": END,
        "ready": READY,
        "answer": ANSWER,
    }


def names_in(shape: Any) -> Iterator[str]:
    """Yield the names of the definitions that ``shape`` refers to directly."""
    if isinstance(shape, dict):
        if "$ref" in shape:
            yield shape["$ref"].removeprefix("#/$defs/")
        for inner in shape.values():
            yield from names_in(inner)
    elif isinstance(shape, list):
        for inner in shape:
            yield from names_in(inner)


def needed(shape: Schema, defs: Shapes) -> Shapes:
    """Return the part of ``defs`` that ``shape`` needs, directly or indirectly, in the order of ``defs``."""
    names: set[str] = set()
    waiting = list(names_in(shape))
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting.extend(names_in(defs[name]))
    return {name: part for name, part in defs.items() if name in names}


def build(game: GameShapes) -> dict[str, Schema]:
    """Return all schemas of a game by document. Each schema contains the definitions that it needs."""
    defs = {**common(game), **REASONS, **game.defs}
    built: dict[str, Schema] = {}
    for document, shape in documents(game).items():
        head = {"$schema": DIALECT, "title": f"{game.slug}: {document}", "description": MEANINGS[document]}
        parts = needed(shape, defs)
        built[document] = {**head, **shape, **({"$defs": parts} if parts else {})}
    return built


# --- A game that describes nothing -----------------------------------------------------------------------------------


def plain_shapes(rules: Rules) -> GameShapes:
    """Return the definitions of a game without its own: moves, views and scores are any JSON objects."""
    most = max(rules.seat_counts)
    seat = integer(0, most - 1)
    values = {"cards": array({"type": "string"}), "seats": array(ref("seat")), "seat": ref("seat")}
    chance = [closed({"chance": const(name), key: values[key]}) for name, key in rules.chance_values.items()]
    move: Schema = {"type": ["string", "object"]}
    marks: Shapes = {"default": ref("default_reason"), "forced": const(True)}
    made = closed({"seat": ref("seat"), "decision": {"type": "string"}, "move": ref("move")}, marks)
    view = opened(
        {
            "game": const(rules.slug),
            "seats": enum(rules.seat_counts),
            "seat": nullable(ref("seat")),
            "turn": nullable(ref("seat")),
            "players": array({"type": "object"}, min(rules.seat_counts), most),
            "you": {"type": ["object", "null"]},
        }
    )
    legal = nullable(array(ref("move"), 2, LISTED_MOVES, unique=True))
    defs: Shapes = {
        "seat": seat,
        "move": move,
        "answer_move": move,
        "step": {"anyOf": [*chance, {**made, "not": {"required": ["forced", "default"]}}]},
        "log_step": ref("step"),
        "event": opened({"type": {"type": "string"}}),
        "view": {**view, "allOf": [own_part()]},
        "decision": opened({"kind": {"type": "string"}, "seat": ref("seat"), "default": ref("move"), "legal": legal}),
        "score": _with_forfeit({"type": "object", "properties": _FORFEIT}),
    }
    return GameShapes(rules.slug, rules.version, rules.seat_counts, defs, ())
