"""The messages of live games, as JSON Schema. What is in a `hello`, a `decide` and an `end` says the bot protocol."""

from __future__ import annotations

from typing import Any, Final

Shape = dict[str, Any]

WHOLE: Final[Shape] = {"type": "integer", "minimum": 0}
_CLOCK: Final[Shape] = {
    "type": "object",
    "description": "milliseconds; `bank_ms` and `game_ms` are what is left",
    "properties": {"move_ms": WHOLE, "bank_ms": WHOLE, "game_ms": WHOLE},
    "required": ["move_ms", "bank_ms", "game_ms"],
}
_ENTRIES: Final[Shape] = {"type": "array", "items": {"type": "object"}, "description": "entries of `game-log/1`"}


def described(about: str, required: dict[str, Any], **optional: Any) -> Shape:
    return {
        "type": "object",
        "description": about,
        "properties": {**required, **optional},
        "required": list(required),
    }


def ref(name: str) -> Shape:
    return {"$ref": f"#/components/schemas/{name}"}


def _typed(name: str) -> Shape:
    return {"type": "string", "const": name}


SCHEMAS: Final[dict[str, Shape]] = {
    "Move": {
        "description": 'A move as `docs/record.md` writes it: a word, or an object such as `{"offer": [0, 1, 0, 0]}`.',
        "oneOf": [{"type": "string"}, {"type": "object"}],
    },
    "Hello": described(
        "What a bot reads on stdin first: `/games/{slug}/schemas/hello`.",
        {
            "type": _typed("hello"),
            "protocol": WHOLE,
            "game": {"type": "string"},
            "rules": {"type": "string"},
            "seats": WHOLE,
            "seat": WHOLE,
            "resumed": {"type": "boolean"},
            "limits": {"type": "object"},
            "seed": {"type": "string"},
        },
    ),
    "Decide": described(
        "What a bot reads on stdin when it is asked: `/games/{slug}/schemas/decide`.",
        {
            "type": _typed("decide"),
            "id": {"type": "integer", "minimum": 1},
            "strikes": WHOLE,
            "decision": {"type": "object"},
            "view": {"type": "object"},
            "log": _ENTRIES,
            "clock": _CLOCK,
        },
    ),
    "End": described(
        "What a bot reads on stdin last: `/games/{slug}/schemas/end`.",
        {"type": _typed("end"), "outcome": {"type": "object"}, "log": _ENTRIES},
    ),
    "Answer": described(
        "A move. Other keys are ignored.",
        {"move": ref("Move")},
        id={"type": "integer", "description": "the decision's, as on stdin; one that differs is refused"},
        thought_ms={**WHOLE, "description": "your own time for it, for the latency that your page shows"},
    ),
    "Played": described(
        "What counts.", {"game": WHOLE, "decision": {"type": "integer", "minimum": 1}, "played": ref("Move")}
    ),
    "ChallengeEvent": described(
        "Somebody proposes a casual game.", {"type": _typed("challenge"), "challenge": {"type": "object"}}
    ),
    "GameStart": described(
        "A game has begun, or goes on after a reconnect.",
        {"type": _typed("game_start"), "game": WHOLE, "message": ref("Hello")},
        rated={"type": "boolean"},
        ladder={"type": "string"},
        players={"type": "array", "items": {"type": "object"}},
    ),
    "DecideEvent": described(
        "A decision is owed. Its clock runs from when it was told first.",
        {"type": _typed("decide"), "game": WHOLE, "decision": {"type": "integer"}, "message": ref("Decide")},
    ),
    "GameEnd": described(
        "A game is over; `message` is null where it has no result.",
        {
            "type": _typed("game_end"),
            "game": WHOLE,
            "message": {"oneOf": [ref("End"), {"type": "null"}]},
        },
        status={"type": "string"},
        reason={"type": "string"},
    ),
    "Closed": described(
        "The last event: a newer stream has taken over, or the token was revoked.",
        {"type": _typed("closed"), "reason": {"type": "string"}},
    ),
    "Table": described(
        "What somebody may see of a live game: its seat's program everything that the seat sees, everybody else what "
        "was seen when the round before had begun, and nothing in the first round.",
        {
            "game": WHOLE,
            "running": {"type": "boolean"},
            "seat": {"type": ["integer", "null"], "description": "whose view it is; null: everybody's"},
            "view": {"type": ["object", "null"]},
            "log": _ENTRIES,
        },
        round={"type": ["integer", "null"], "description": "of the whole game, from 1"},
    ),
    "Viewers": described("How many watch.", {"game": WHOLE, "viewers": WHOLE}),
    "Event": {
        "description": "One event of a bot's stream.",
        "oneOf": [ref(name) for name in ("ChallengeEvent", "GameStart", "DecideEvent", "GameEnd", "Closed")],
    },
}
