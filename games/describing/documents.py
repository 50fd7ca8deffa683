"""The ten documents, built from the definitions that a game brings."""

from __future__ import annotations

from dataclasses import dataclass

from games.base import DEFAULT_REASONS, FORFEIT_REASONS
from games.describing.shapes import (
    Schema,
    Shapes,
    array,
    closed,
    const,
    enum,
    integer,
    nullable,
    opened,
    per_seats,
    ref,
)

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class GameShapes:
    """What a game brings: its slug and seat counts, and the definitions that its documents are made of.

    ``defs`` must hold ``seat``, ``step`` and ``log_step`` (one step of a record, of a log), ``event``, ``view``,
    ``decision``, ``move``, ``answer_move`` and ``score``; ``opening`` are the steps every record begins with, and
    ``dealt`` are conditions that tie them to the number of seats. ``own_events`` are the types of the events that
    only a seat's own log has.
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
        """The keys that say which game it is."""
        return {"game": const(self.slug), "rules": const(self.rules), "seats": enum(self.seat_counts)}


def common(game: GameShapes) -> Shapes:
    """Definitions that every game shares."""
    least, most = min(game.seat_counts), max(game.seat_counts)
    hex64: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    return {
        "hex64": hex64,
        "outcome": closed(
            {"ranks": array(integer(1, most), least, most), "scores": array(ref("score"), least, most)},
        ),
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
    """As many ranks and scores as seats."""
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
    """The steps of a record: the setup, then everything else."""
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
            "seed": {**ref("hex64"), "description": "for the bot's own random generator, and no part of the deal"},
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
    """The shape, and all of the conditions."""
    return {**shape, "allOf": conditions} if conditions else shape


MEANINGS: dict[str, str] = {
    "record": "one finished game, complete and checkable",
    "match-log": "a game that ended without a result",
    "log": "what one seat, or a spectator, has been allowed to see so far",
    "view": "everything one seat, or a spectator, may see now",
    "decision": "what one seat is asked",
    "hello": "the first message to a bot",
    "decide": "the message that asks a bot for a move",
    "end": "the last message to a bot",
    "ready": "a bot's answer to hello",
    "answer": "a bot's answer to decide",
}
"""Every document, and what it is."""


def documents(game: GameShapes) -> dict[str, Schema]:
    """The documents of one game, in the order of ``MEANINGS``."""
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


REASONS: Shapes = {"default_reason": enum(DEFAULT_REASONS), "forfeit_reason": enum(FORFEIT_REASONS)}
