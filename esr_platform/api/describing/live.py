"""The streams in the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

from esr_platform.api.authentication import BOT_NAMED

# --- Messages --------------------------------------------------------------------------------------------------------

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


# --- Streams ---------------------------------------------------------------------------------------------------------

DECIDE: Final[Shape] = {
    "type": "decide",
    "id": 3,
    "strikes": 0,
    "decision": {"kind": "action", "seat": 1, "options": ["money", "event", "gems"], "default": "money", "legal": None},
    "view": {"game": "edel-stein-reich", "seats": 4, "seat": 1, "phase": 1, "round": 2},
    "log": [{"ply": 7, "step": {"seat": 0, "decision": "action", "move": "gems"}}],
    "clock": {"move_ms": 5000, "bank_ms": 58120, "game_ms": 571340},
}
_TABLE: Final[Shape] = {
    "game": 4711,
    "running": True,
    "seat": None,
    "round": 3,
    "view": DECIDE["view"],
    "log": DECIDE["log"],
}
_EVENT: Final[Shape] = {"type": "decide", "game": 4711, "decision": 3, "message": DECIDE}
_HEAD: Final[Shape] = {"type": "game", "game": 4711, "rated": True, "ladder": "edel-stein-reich-4-open", "players": []}
_VIEWERS: Final[Shape] = {"game": 4711, "viewers": 14}
_OFFER: Final[Shape] = {
    "id": 7,
    "ladder": "edel-stein-reich-4-people",
    "game": "edel-stein-reich",
    "seats": 4,
    "free": 2,
    "rated": True,
    "clock": "usual",
    "by": "miriam",
    "players": ["miriam", "carl"],
}
_LOBBY: Final[Shape] = {"type": "lobby", "offers": [_OFFER], "looking": {"edel-stein-reich-duel-2-people": 1}}
_PLAYED: Final[Shape] = {"game": 4711, "decision": 3, "played": "gems"}


def _json(schema: Shape, example: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema, "example": example}}


def _streamed(schema: Shape, example: Shape) -> dict[str, Any]:
    return {
        "text/event-stream": {"schema": {"type": "string"}, "example": f"event: {example['type']}\ndata: {{…}}\n\n"},
        "application/x-ndjson": {"schema": schema, "example": example},
    }


def _parameter(name: str, where: str, about: str, schema: Shape) -> Shape:
    return {"name": name, "in": where, "description": about, "schema": schema, "required": where == "path"}


_BOT: Final = _parameter("bot", "query", BOT_NAMED, {"type": "string"})
_BOT_AT_THE_TABLE: Final = _parameter(
    "bot",
    "query",
    "The slug of one of your remote bots. Required if several bots of your token play in this game: the request then "
    "gets status 400 (`bot_missing`) without it. Otherwise optional.",
    {"type": "string"},
)
_GAME: Final = _parameter("match", "path", "the game's number", WHOLE)
_LOG: Final = _parameter(
    "log", "query", "from which entry on the log comes", {**WHOLE, "maximum": 1_000_000, "default": 0}
)
_WAIT: Final = _parameter(
    "wait", "query", "seconds to wait at most", {"type": "integer", "minimum": 0, "maximum": 25, "default": 25}
)
_NOTHING: Final = {"description": "Nothing was asked in the time to wait. Ask again at once."}
_POLLED: Final = {
    "200": {"description": "What is to be told.", "content": _json(ref("Event"), _EVENT)},
    "204": _NOTHING,
}

_AT: Final = _parameter(
    "at", "query", "the id of the last event, for clients that send no `Last-Event-ID`", {"type": "string"}
)
_PRESENT: Final[Shape] = {
    "type": "present",
    "present": {"seat": 1, "decision": None, "question": None, "clock": None, "waiting": [0], "round": 2},
}
_SEATED: Final[Shape] = {"game": 4711, "seat": 1}

ACTS: Final[dict[str, tuple[str, str]]] = {
    "resign": ("Give up", "Among two that loses at once; among more a bot of the house plays on in the chair."),
    "abort": (
        "End the game without a result, or say that you would",
        "A casual game before its second round; a rated one before anybody has answered, or once all have said so.",
    ),
    "claim": ("Claim the game", "When everybody else has been away for a minute."),
    "return": ("Take your chair back from the bot that stands in", "Once a game."),
    "rematch": (
        "Ask for a rematch, or accept one",
        'Within half an hour of the end. `{"want": false}` withdraws your request or declines that of another player.',
    ),
    "chat": ("Say something to those who play there", 'Words of your own, `{"text": …}`, or `{"preset": …}`.'),
    "report": ("Report to staff what somebody said", '`{"line": …}`, the number of the line.'),
}
"""What people do at their tables: by the last word of the address, its summary and when it can be done."""

_SENT: Final[dict[str, Any]] = {
    "chat": (
        {"type": "object", "properties": {"text": {"type": "string"}, "preset": {"type": "string"}}},
        {"preset": "good-game"},
    ),
    "rematch": ({"type": "object", "properties": {"want": {"type": "boolean", "default": True}}}, {"want": True}),
    "report": (
        {"type": "object", "properties": {"line": {"type": "integer", "minimum": 1}}, "required": ["line"]},
        {"line": 1203},
    ),
}


def _acted(act: str, summary: str, about: str) -> Shape:
    seated = {"type": "object", "properties": {"game": WHOLE, "seat": WHOLE}, "required": ["game", "seat"]}
    operation = {
        "operationId": f"seat_{act}",
        "summary": summary,
        "description": f"{about} Takes the session of a browser with the header `X-CSRFToken`, no token. 404: you have "
        "no seat there.",
        "parameters": [_GAME],
        "responses": {
            "200": {"description": "It is done.", "content": _json(seated, _SEATED)},
            "400": {"$ref": "#/components/responses/Invalid"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "422": {"$ref": "#/components/responses/Refused"},
        },
    }
    if act in _SENT:
        operation["requestBody"] = {"required": True, "content": _json(*_SENT[act])}
    return operation


OPERATIONS: Final[dict[tuple[str, str], Shape]] = {
    ("/api/v1/bot/stream", "get"): {
        "operationId": "bot_stream",
        "summary": "Everything that a remote bot is asked and told, as it happens",
        "description": "Server-sent events (`Accept: text/event-stream`) or JSON lines (`application/x-ndjson`), one "
        "event a line, with a keep-alive every 7 s. It begins with everything that is pending. A bot has one stream: "
        "the newer one takes over. While it is open the bot is here, and is given games.",
        "parameters": [_BOT],
        "responses": {
            "200": {
                "description": "The stream.",
                "content": _streamed(ref("Event"), _EVENT),
            }
        },
    },
    ("/api/v1/bot/decision", "get"): {
        "operationId": "next_decision",
        "summary": "The next thing that a remote bot is to be told of, of any game",
        "description": "For programs that cannot read a stream: answers as soon as there is something.",
        "parameters": [_WAIT, _BOT],
        "responses": _POLLED,
    },
    ("/api/v1/matches/{match}/decision", "get"): {
        "operationId": "game_decision",
        "summary": "The decision that your bot owes in a game, or its end",
        "parameters": [_GAME, _WAIT, _LOG, _BOT],
        "responses": _POLLED,
    },
    ("/api/v1/matches/{match}/view", "get"): {
        "operationId": "table_view",
        "summary": "A live game as it may be seen now",
        "description": "With a token that plays at the table, as its seat sees it. Else as it was when the round "
        "before had begun: whoever watches helps nobody.",
        "parameters": [_GAME, _LOG, _BOT_AT_THE_TABLE],
        "responses": {"200": {"description": "The table.", "content": _json(ref("Table"), _TABLE)}},
    },
    ("/api/v1/matches/{match}/stream", "get"): {
        "operationId": "table_stream",
        "summary": "A live game round by round, for whoever watches",
        "description": "Server-sent events or JSON lines. `Last-Event-ID` goes on where a stream broke off.",
        "parameters": [_GAME],
        "responses": {"200": {"description": "The stream.", "content": _streamed({"type": "object"}, _HEAD)}},
    },
    ("/api/v1/matches/{match}/viewers", "get"): {
        "operationId": "game_viewers",
        "summary": "How many watch a live game",
        "description": "Those who hold its public stream open, everywhere; the stream tells them as `viewers`, too.",
        "parameters": [_GAME],
        "responses": {"200": {"description": "The number.", "content": _json(ref("Viewers"), _VIEWERS)}},
    },
    ("/api/v1/matches/{match}/seat/stream", "get"): {
        "operationId": "seat_stream",
        "summary": "A person's table in a browser, as their seat is shown it",
        "description": "Takes the session of a browser, no token. `moments` has what the seat was shown, step by step, "
        "and how things stand; `present` how they stand where nothing else is new; `chat` what was said; `viewers` how "
        "many watch; `end` how the game ended, `rematch` who wants another one, `closed` that the session has. "
        "`Last-Event-ID` goes on where a stream broke off, whichever server it comes to: everything after it, once. A "
        "new one begins with the round before the one that runs. 404: you have no seat there. "
        "401: nobody is signed in.",
        "parameters": [_GAME, _AT],
        "responses": {"200": {"description": "The stream.", "content": _streamed({"type": "object"}, _PRESENT)}},
    },
    **{
        (f"/api/v1/matches/{{match}}/seat/{act}", "post"): _acted(act, summary, about)
        for act, (summary, about) in ACTS.items()
    },
    ("/api/v1/lobby/stream", "get"): {
        "operationId": "lobby_stream",
        "summary": "What is on offer in the lobby, for people in a browser",
        "description": "Server-sent events or JSON lines: `lobby` with all offers and how many look for a game, at the "
        "beginning and when they change; with a session also `game`, when a game of yours begins, `challenge`, when "
        "somebody asks you to play, and `closed`, when the session has ended.",
        "parameters": [],
        "responses": {
            "200": {"description": "The stream.", "content": _streamed({"type": "object"}, _LOBBY)},
        },
    },
    ("/api/v1/matches/{match}/decisions/{number}", "post"): {
        "operationId": "decide",
        "summary": "Answer a decision",
        "description": "The same answer again is 200 again. Another one is 409, and so is one that comes too late, "
        "with what was played. What is illegal or malformed is 422 with what was asked: the default move is played, "
        "and it is the decision's strike. Check a move against the decision before you send it. People answer with the "
        "session of their browser: what is illegal of theirs is 422, too, but nothing is played and it may be sent "
        "better. 404 says that the seat is not asked this decision, or not yet; not that the game is over.",
        "parameters": [
            _GAME,
            _parameter("number", "path", "the decision's number", {"type": "integer", "minimum": 1}),
            _BOT,
        ],
        "requestBody": {
            "required": True,
            "content": _json(ref("Answer"), {"id": 3, "move": "gems", "thought_ms": 812}),
        },
        "responses": {
            "200": {"description": "It counts.", "content": _json(ref("Played"), _PLAYED)},
            "400": {"$ref": "#/components/responses/Invalid"},
            "409": {"$ref": "#/components/responses/Conflict"},
            "422": {"$ref": "#/components/responses/Refused"},
        },
    },
}
"""By address and method, what the generator cannot know."""
