"""Operations of live games and their documents, for the OpenAPI document.

The views are in ``esr_platform.api.streams``. Remote bots use the messages of the bot protocol.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from django.conf import settings
from msgspec import UNSET, Struct, UnsetType

from esr_platform.api.authentication import BOT_PARAMETER
from esr_platform.api.documents import Document, Operation, about
from esr_platform.api.parameters import ChoiceParameter, Number, Text

# --- Messages of the bot protocol ------------------------------------------------------------------------------------

Move = Annotated[str | dict[str, Any], about("Move in the format of the game record.", "gems")]
SeatNumber = Annotated[int, about("Number of the seat, from 0.", ge=0)]
Match = Annotated[int, about("Id of the match.", 4711, ge=0)]
Number1 = Annotated[int, about("Number of the decision.", 3, ge=1)]
Log = Annotated[
    list[dict[str, Any]],
    about("Log entries (`game-log/1`).", [{"ply": 7, "step": {"seat": 0, "decision": "action", "move": "gems"}}]),
]
_VIEW: Final = {"game": "edel-stein-reich", "seats": 4, "seat": 1, "phase": 1, "round": 2}
_DECISION: Final = {"kind": "action", "seat": 1, "options": ["money", "event"], "default": "money", "legal": None}
_OUTCOME: Final = {"ranks": [1, 2], "scores": [{"money": 95}, {"money": 81}]}


class Clock(Document):
    """The clock of a seat. Times are in ms."""

    move_ms: Annotated[int, about("Time for this decision.", 5000, ge=0)]
    bank_ms: Annotated[int, about("Time left in the time bank.", 58120, ge=0)]
    game_ms: Annotated[int, about("Time left for the whole game.", 571340, ge=0)]


class Hello(Document, tag_field="type", tag="hello"):
    """The first message to a bot. Its full schema is `/games/{slug}/schemas/hello`."""

    protocol: Annotated[int, about("Version of the protocol.", ge=0)]
    game: Annotated[str, about("Slug of the game.", "edel-stein-reich")]
    rules: Annotated[str, about("Version of the rules.", "1")]
    seats: Annotated[int, about("Number of seats.", 4, ge=0)]
    seat: SeatNumber
    resumed: Annotated[bool, about("Whether the game had already begun: true after a reconnect.", False)]
    limits: Annotated[dict[str, Any], about("Limits in ms and MiB.", {"move_ms": 5000})]
    seed: Annotated[str, about("Random seed for the bot.", "9f0c5be4")]
    library: Annotated[str, about("Version of the package `games` on the site, which hosted bots can import.", "0.1.0")]


class Decide(Document, tag_field="type", tag="decide"):
    """A decision that a bot must answer. Its full schema is `/games/{slug}/schemas/decide`."""

    id: Number1
    strikes: Annotated[int, about("Number of strikes of the bot so far.", 0, ge=0)]
    decision: Annotated[dict[str, Any], about("Decision with its options and default move.", _DECISION)]
    view: Annotated[dict[str, Any], about("View of the seat.", _VIEW)]
    log: Log
    clock: Clock


class End(Document, tag_field="type", tag="end"):
    """The last message to a bot. Its full schema is `/games/{slug}/schemas/end`."""

    outcome: Annotated[dict[str, Any], about("Ranks and scores by seat.", _OUTCOME)]
    log: Log


# --- Events of a remote bot ------------------------------------------------------------------------------------------


class ChallengeEvent(Document, tag_field="type", tag="challenge"):
    """A player proposes a casual game to the bot."""

    challenge: Annotated[dict[str, Any], about("Challenge (`ChallengeDocument`).", {"id": 12})]


class GameStart(Document, tag_field="type", tag="game_start"):
    """A game has begun, or continues after a reconnect."""

    game: Match
    message: Hello
    rated: Annotated[bool | UnsetType, about("Whether the game is rated.", True)] = UNSET
    ladder: Annotated[str | UnsetType, about("Slug of the ladder.", "edel-stein-reich-4-open")] = UNSET
    players: Annotated[list[dict[str, Any]] | UnsetType, about("Players by seat.", [])] = UNSET


class DecideEvent(Document, tag_field="type", tag="decide"):
    """A decision for the bot. The clock starts when the event is sent for the first time."""

    game: Match
    decision: Number1
    message: Decide


class GameEnd(Document, tag_field="type", tag="game_end"):
    """A game has ended. `message` is null if the game has no result."""

    game: Match
    message: End | None
    status: Annotated[str | UnsetType, about("Status of the match.", "finished")] = UNSET
    reason: Annotated[str | UnsetType, about("Reason if the game has no result, or empty.", "")] = UNSET


class Closed(Document, tag_field="type", tag="closed"):
    """The last event of a stream that a newer stream replaced, or whose token was revoked. Do not reconnect."""

    reason: Annotated[str, about("Reason for the end of the stream.", "a newer stream of this bot was opened")]


EVENTS: Final = (DecideEvent, GameStart, GameEnd, ChallengeEvent, Closed)

# --- Documents -------------------------------------------------------------------------------------------------------


class Answer(Struct, kw_only=True):
    """An answer to a decision. Unknown fields are ignored."""

    move: Move
    id: Annotated[int | UnsetType, about("The `id` of the decision message. It must match the URL.", 3)] = UNSET
    thought_ms: Annotated[int, about("Thinking time of your program in ms.", 812, ge=0)] | UnsetType = UNSET


class Played(Document):
    """The move that was played."""

    game: Match
    decision: Number1
    played: Move


class Table(Document):
    """The visible state of a live game.

    With the token of a bot in the game, this is the view of its seat. All other clients see the public view with a
    one-round delay: the state at the beginning of the previous round, and nothing during the first round.
    """

    game: Match
    running: Annotated[bool, about("Whether the game is running.", True)]
    seat: Annotated[int | None, about("Number of the seat that sees this view; null for the public view.", None)]
    view: Annotated[dict[str, Any] | None, about("View; null if nothing is public yet.", _VIEW)]
    log: Log
    round: Annotated[int | UnsetType | None, about("Round of the game, counted from 1 over all phases.", 3)] = UNSET


class Viewers(Document):
    """The number of spectators of a game."""

    game: Match
    viewers: Annotated[int, about("Number of spectators.", 14, ge=0)]


class Seated(Document):
    """The seat of the player."""

    game: Match
    seat: SeatNumber


class Chat(Struct):
    """A chat message."""

    text: Annotated[str | UnsetType, about("Text of the message; only in casual games.")] = UNSET
    preset: Annotated[str | UnsetType, about("Name of a preset message.", "good-game")] = UNSET


class Rematch(Struct):
    """A request for a rematch."""

    want: Annotated[bool, about("`false` withdraws your request or declines the request of another player.", True)] = (
        True
    )


class Report(Struct):
    """A report about a chat message."""

    line: Annotated[int, about("Number of the chat message.", 1203, ge=1)]


# --- Operations ------------------------------------------------------------------------------------------------------

_LOG: Final = Number("log", "First log entry to return.", default=0, most=1_000_000)
_WAIT: Final = Number("wait", "Maximum time to wait, in s.", default=25, most=25)
_AT: Final = Text("at", "Id of the last event that you received, if you do not send `Last-Event-ID`.", pattern=".*")
_WORDS: Final = ChoiceParameter(
    "words",
    "Language in which the events also contain `parts`: the HTML elements of the page that change.",
    example="en",
    words=tuple(code for code, _ in settings.LANGUAGES),
)
_BOT_AT_THE_TABLE: Final = Text(
    "bot",
    "Slug of one of your remote bots. Required if several of your remote bots play in this game; without it, the "
    "response is then 400 (`bot_missing`). Otherwise optional.",
)
_NOTHING: Final = {"204": {"description": "No event within the waiting time. Repeat the request."}}
_CONFLICT: Final = {"409": {"$ref": "#/components/responses/Conflict"}}
STREAM: Final = "text/event-stream"
LIVE_GAMES: Final = "Live games"
REMOTE_BOT: Final = "Remote bot (own token)"
HUMAN_PLAYERS: Final = "Human players (browser session)"
"""Tags of operations. The other tags are in ``esr_platform.api.openapi``."""

_OFFER: Final = {
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
_PRESENT: Final = {"seat": 1, "decision": None, "question": None, "clock": None, "waiting": [0], "round": 2}

ACTIONS: Final[dict[str, tuple[str, str, type[Struct] | None]]] = {
    "resign": (
        "Resign",
        (
            "Resigns the game. If one other player is left, that player wins. Otherwise, a substitute bot takes over. "
            "If only bots are left, a casual game ends without a result."
        ),
        None,
    ),
    "abort": (
        "Abort a game",
        (
            "Ends the game without a result. You can abort a casual game before round 2, and a rated game before the "
            "first answer. A rated game can also be aborted later if all human players agree."
        ),
        None,
    ),
    "claim": ("Claim victory", "Makes all other human players forfeit if they have been offline for a minute.", None),
    "return": ("Return to your seat", "Replaces the substitute bot at your seat. You can return once per game.", None),
    "rematch": (
        "Offer or accept a rematch",
        "Offers a rematch to the other players, or accepts their offer, up to 30 min after the end of the game.",
        Rematch,
    ),
    "chat": ("Send a chat message", "Sends a chat message: either your own `text` or a `preset`.", Chat),
    "report": ("Report a chat message", "Reports a chat message to the moderators.", Report),
}
"""Actions of human players at a table by the last segment of the URL: summary, description and body."""


def _action(act: str, summary: str, description: str, body: type[Struct] | None) -> Operation:
    return Operation(
        f"seat_{act}",
        summary,
        Seated,
        body=body,
        description=f"{description} Returns 404 if you have no seat in the game.",
        others=_CONFLICT,
        tag=HUMAN_PLAYERS,
    )


OPERATIONS: Final[dict[tuple[str, str], Operation]] = {
    ("bot/stream", "get"): Operation(
        "bot_stream",
        "Stream the events of a remote bot",
        EVENTS,
        description="Streams events as server-sent events (`Accept: text/event-stream`) or as JSON lines "
        "(`application/x-ndjson`), with a keep-alive every 7 s. The stream begins with all pending events: running "
        "games, open decisions and open challenges. While it is open, the bot is online and gets games. A bot has one "
        "stream; a new stream replaces it.",
        query=(BOT_PARAMETER,),
        media_type=STREAM,
    ),
    ("bot/decision", "get"): Operation(
        "next_decision",
        "Poll for the next event of a remote bot",
        EVENTS,
        description="Long poll for programs that cannot read a stream. Returns the oldest open decision of any game, "
        "or waits for the next event.",
        query=(_WAIT, BOT_PARAMETER),
        others=_NOTHING,
    ),
    ("matches/{match}/decision", "get"): Operation(
        "game_decision",
        "Poll for the next event of one game",
        EVENTS,
        description="Long poll for the next decision of your bot in one game, or for the end of the game.",
        query=(_WAIT, _LOG, BOT_PARAMETER),
        others=_NOTHING,
        tag=REMOTE_BOT,
    ),
    ("matches/{match}/view", "get"): Operation(
        "table_view",
        "Get the view of a live game",
        Table,
        description="Returns the view of your seat if your token plays in the game. Otherwise returns the public view "
        "with a one-round delay, so that spectators cannot help a player.",
        query=(_LOG, _BOT_AT_THE_TABLE),
        tag=LIVE_GAMES,
    ),
    ("matches/{match}/stream", "get"): Operation(
        "table_stream",
        "Stream a live game as a spectator",
        description="Streams the public events of a game, as server-sent events or JSON lines, with a one-round delay. "
        "Send `Last-Event-ID` to resume a stream.",
        query=(_WORDS,),
        tag=LIVE_GAMES,
        media_type=STREAM,
        example={"type": "game", "game": 4711, "rated": True, "ladder": "edel-stein-reich-4-open", "players": []},
    ),
    ("matches/{match}/viewers", "get"): Operation(
        "game_viewers",
        "Get the number of spectators",
        Viewers,
        description="Returns the number of spectators of a live game. The public stream also sends it as `viewers`.",
        tag=LIVE_GAMES,
    ),
    ("matches/{match}/seat/stream", "get"): Operation(
        "seat_stream",
        "Stream a live game as a human player",
        description="""Streams the events of your seat as server-sent events or JSON lines.

- `moments`: new steps as your seat sees them, with the state of the game.
- `present`: the state of the game, if only the state has changed.
- `chat`: new chat messages.
- `viewers`: the number of spectators.
- `end`: the result of the game.
- `rematch`: the state of a rematch offer.
- `closed`: the session has ended. Do not reconnect.

`Last-Event-ID` resumes a stream after the last event that you received. A new stream begins with the previous round. \
Returns 401 if you are not signed in, and 404 if you have no seat in the game.""",
        query=(_AT,),
        tag=HUMAN_PLAYERS,
        media_type=STREAM,
        example={"type": "present", "present": _PRESENT},
    ),
    **{(f"matches/{{match}}/seat/{act}", "post"): _action(act, *more) for act, more in ACTIONS.items()},
    ("lobby/stream", "get"): Operation(
        "lobby_stream",
        "Stream the lobby",
        description="""Streams the state of the lobby as server-sent events or JSON lines.

- `lobby`: all open games, and the number of players in quick pairing; sent first and after each change.
- `game`: your game has begun; only with a browser session.
- `challenge`: a player challenges you; only with a browser session.
- `closed`: the session has ended. Do not reconnect.""",
        query=(_WORDS,),
        media_type=STREAM,
        example={"type": "lobby", "offers": [_OFFER], "looking": {"edel-stein-reich-duel-2-people": 1}},
    ),
    ("matches/{match}/decisions/{number}", "post"): Operation(
        "decide",
        "Submit a decision",
        Played,
        body=Answer,
        description="""Submits the answer to a decision. The call is idempotent: the same answer returns 200 again.

- 404: the decision is not open for your seat.
- 409: the answer is late, or another answer was already submitted. `played` contains the move that was played.
- 422: the move is illegal or malformed. A bot gets a strike, and the default move is played. A human player, with a \
browser session, can submit another move.

Check the move against the decision before you submit it.""",
        query=(BOT_PARAMETER,),
        others=_CONFLICT,
        tag=REMOTE_BOT,
    ),
}
"""Operations by URL below ``/api/v1/`` and method."""
