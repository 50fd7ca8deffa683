"""The streams and the other operations of live games, for the OpenAPI document.

Their views are in ``streams/``. The messages of a remote bot are those of the bot protocol (docs/bot-protocol.md).
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import UNSET, Struct, UnsetType

from esr_platform.api.authentication import BOT_PARAMETER
from esr_platform.api.documents import Document, Operation, about
from esr_platform.api.parameters import Number, Text

# --- Messages of the bot protocol ------------------------------------------------------------------------------------

Move = Annotated[str | dict[str, Any], about("A move as in docs/record.md.", "gems")]
Count = Annotated[int, about("A number from 0.", ge=0)]
Match = Annotated[int, about("Id of the match.", 4711, ge=0)]
Number1 = Annotated[int, about("Number of the decision.", 3, ge=1)]
Log = Annotated[
    list[dict[str, Any]],
    about("Entries of `game-log/1`.", [{"ply": 7, "step": {"seat": 0, "decision": "action", "move": "gems"}}]),
]
_VIEW: Final = {"game": "edel-stein-reich", "seats": 4, "seat": 1, "phase": 1, "round": 2}
_DECISION: Final = {"kind": "action", "seat": 1, "options": ["money", "event"], "default": "money", "legal": None}
_OUTCOME: Final = {"ranks": [1, 2], "scores": [{"money": 95}, {"money": 81}]}


class Clock(Document):
    """The clock of a seat, in ms."""

    move_ms: Annotated[int, about("Time for the decision.", 5000, ge=0)]
    bank_ms: Annotated[int, about("What is left of the time bank.", 58120, ge=0)]
    game_ms: Annotated[int, about("What is left of the time for the game.", 571340, ge=0)]


class Hello(Document, tag_field="type", tag="hello"):
    """The first message to a bot: `/games/{slug}/schemas/hello`."""

    protocol: Count
    game: Annotated[str, about("Slug of the game.", "edel-stein-reich")]
    rules: Annotated[str, about("Version of the rules.", "1")]
    seats: Count
    seat: Count
    resumed: Annotated[bool, about("Whether the game has begun before.", False)]
    limits: Annotated[dict[str, Any], about("The limits, in ms and MiB.", {"move_ms": 5000})]
    seed: Annotated[str, about("A random seed for the bot.", "9f0c5be4")]


class Decide(Document, tag_field="type", tag="decide"):
    """A decision that a bot has to answer: `/games/{slug}/schemas/decide`."""

    id: Number1
    strikes: Annotated[int, about("Strikes of the bot so far.", 0, ge=0)]
    decision: Annotated[dict[str, Any], about("The decision with its default move.", _DECISION)]
    view: Annotated[dict[str, Any], about("What the seat sees.", _VIEW)]
    log: Log
    clock: Clock


class End(Document, tag_field="type", tag="end"):
    """The last message to a bot: `/games/{slug}/schemas/end`."""

    outcome: Annotated[dict[str, Any], about("Ranks and scores.", _OUTCOME)]
    log: Log


# --- Events of a remote bot ------------------------------------------------------------------------------------------


class ChallengeEvent(Document, tag_field="type", tag="challenge"):
    """Somebody proposes a casual game."""

    challenge: Annotated[dict[str, Any], about("A `ChallengeDocument`.", {"id": 12})]


class GameStart(Document, tag_field="type", tag="game_start"):
    """A game has begun, or continues after you reconnect."""

    game: Match
    message: Hello
    rated: Annotated[bool | UnsetType, about("Whether it is rated.", True)] = UNSET
    ladder: Annotated[str | UnsetType, about("Slug of the ladder.", "edel-stein-reich-4-open")] = UNSET
    players: Annotated[list[dict[str, Any]] | UnsetType, about("The players by seat.", [])] = UNSET


class DecideEvent(Document, tag_field="type", tag="decide"):
    """A decision for the bot. Its clock starts when it is sent for the first time."""

    game: Match
    decision: Number1
    message: Decide


class GameEnd(Document, tag_field="type", tag="game_end"):
    """The end of a game. `message` is null if the game has no result."""

    game: Match
    message: End | None
    status: Annotated[str | UnsetType, about("Status of the match.", "finished")] = UNSET
    reason: Annotated[str | UnsetType, about("Why it has no result; else empty.", "")] = UNSET


class Closed(Document, tag_field="type", tag="closed"):
    """The last event: a newer stream has replaced this one, or the token was revoked."""

    reason: Annotated[str, about("Why the stream ends.", "another stream")]


EVENTS: Final = (DecideEvent, GameStart, GameEnd, ChallengeEvent, Closed)

# --- Documents -------------------------------------------------------------------------------------------------------


class Answer(Struct, kw_only=True):
    """An answer to a decision. Other fields are ignored."""

    move: Move
    id: Annotated[int | UnsetType, about("The id of the message. Another id is refused.", 3)] = UNSET
    thought_ms: Annotated[int, about("Your own thinking time in ms.", 812, ge=0)] | UnsetType = UNSET


class Played(Document):
    """The move that counts."""

    game: Match
    decision: Number1
    played: Move


class Table(Document):
    """What you may see of a live game.

    The program of a seat sees everything that the seat sees. Everybody else sees the game as it was at the beginning
    of the round before, and nothing in the first round.
    """

    game: Match
    running: Annotated[bool, about("Whether the game is running.", True)]
    seat: Annotated[int | None, about("The seat whose view it is; null for the public view.", None)]
    view: Annotated[dict[str, Any] | None, about("The view.", _VIEW)]
    log: Log
    round: Annotated[int | UnsetType | None, about("Round of the whole game, from 1.", 3)] = UNSET


class Viewers(Document):
    """The number of spectators."""

    game: Match
    viewers: Annotated[int, about("The number of spectators.", 14, ge=0)]


class Seated(Document):
    """The seat of the user."""

    game: Match
    seat: Count


class Chat(Struct):
    """A chat message."""

    text: Annotated[str | UnsetType, about("Your own words, at casual tables.")] = UNSET
    preset: Annotated[str | UnsetType, about("The name of a preset message.", "good-game")] = UNSET


class Rematch(Struct):
    """A request for a rematch."""

    want: Annotated[bool, about("`false` withdraws your request, or declines that of another player.", True)] = True


class Report(Struct):
    """A report about a chat message."""

    line: Annotated[int, about("Number of the message.", 1203, ge=1)]


# --- Operations ------------------------------------------------------------------------------------------------------

_LOG: Final = Number("log", "The first entry of the log that is returned.", default=0, most=1_000_000)
_WAIT: Final = Number("wait", "The maximum time to wait, in s.", default=25, most=25)
_AT: Final = Text("at", "The id of the last event, for clients that send no `Last-Event-ID`.", pattern=".*")
_BOT_AT_THE_TABLE: Final = Text(
    "bot",
    "The slug of one of your remote bots. Required if several bots of your token play in this game: the request then "
    "gets status 400 (`bot_missing`) without it. Otherwise optional.",
)
_NOTHING: Final = {"204": {"description": "There was no event. Ask again at once."}}
_CONFLICT: Final = {"409": {"$ref": "#/components/responses/Conflict"}}
STREAM: Final = "text/event-stream"
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
    "resign": ("Resign", "With two players you lose at once. With more, a house bot substitutes for you.", None),
    "abort": (
        "End the game without a result",
        "Possible in a casual game before round 2; in a rated game before the first answer, or if all players agree.",
        None,
    ),
    "claim": ("Claim victory", "Possible when all other players have been away for a minute.", None),
    "return": ("Return to your seat", "Replaces the substitute bot, once per game.", None),
    "rematch": ("Ask for a rematch, or accept one", "Possible within half an hour after the end.", Rematch),
    "chat": ("Send a chat message", 'Send your own words, `{"text": …}`, or a preset, `{"preset": …}`.', Chat),
    "report": ("Report a chat message", "Moderators read the report.", Report),
}
"""What human players do at their tables: summary, description and body by the last word of the URL."""


def _action(act: str, summary: str, description: str, body: type[Struct] | None) -> Operation:
    session = "Needs the session of a browser with the header `X-CSRFToken`, no token. 404: you have no seat there."
    return Operation(
        f"seat_{act}", summary, Seated, body=body, description=f"{description} {session}", others=_CONFLICT
    )


OPERATIONS: Final[dict[tuple[str, str], Operation]] = {
    ("bot/stream", "get"): Operation(
        "bot_stream",
        "Stream the events of a remote bot",
        EVENTS,
        description="Server-sent events (`Accept: text/event-stream`) or JSON lines (`application/x-ndjson`), one "
        "event per line, with a keep-alive every 7 s. The stream begins with everything that is pending. A bot has "
        "one stream: a new one replaces the old one. While it is open, the bot is online and gets games.",
        query=(BOT_PARAMETER,),
        media_type=STREAM,
    ),
    ("bot/decision", "get"): Operation(
        "next_decision",
        "Wait for the next event of a remote bot",
        EVENTS,
        description="For programs that cannot read a stream. The response comes as soon as there is an event of any "
        "game.",
        query=(_WAIT, BOT_PARAMETER),
        others=_NOTHING,
    ),
    ("matches/{match}/decision", "get"): Operation(
        "game_decision",
        "Wait for the next event of one game",
        EVENTS,
        description="The next decision of your bot in the game, or the end of the game.",
        query=(_WAIT, _LOG, BOT_PARAMETER),
        others=_NOTHING,
    ),
    ("matches/{match}/view", "get"): Operation(
        "table_view",
        "Get a live game",
        Table,
        description="With a token that plays in the game, the view of its seat. Without, the game as it was at the "
        "beginning of the round before, so that spectators cannot help a player.",
        query=(_LOG, _BOT_AT_THE_TABLE),
    ),
    ("matches/{match}/stream", "get"): Operation(
        "table_stream",
        "Stream a live game to spectators",
        description="Server-sent events or JSON lines, one round late. Send `Last-Event-ID` to continue a stream.",
        media_type=STREAM,
        example={"type": "game", "game": 4711, "rated": True, "ladder": "edel-stein-reich-4-open", "players": []},
    ),
    ("matches/{match}/viewers", "get"): Operation(
        "game_viewers",
        "Count the spectators of a live game",
        Viewers,
        description="The number of open public streams of the game. The stream also sends it as `viewers`.",
    ),
    ("matches/{match}/seat/stream", "get"): Operation(
        "seat_stream",
        "Stream a live game to a human player",
        description="Needs the session of a browser, no token. `moments` contains what the seat was shown, step by "
        "step, and the state of the game; `present` the state if nothing else is new; `chat` messages; `viewers` the "
        "number of spectators; `end` how the game ended; `rematch` who wants another game; `closed` that the session "
        "has ended. `Last-Event-ID` continues a stream on any server: every later event comes once. A new stream "
        "begins with the round before the current one. 404: you have no seat there. 401: nobody is signed in.",
        query=(_AT,),
        media_type=STREAM,
        example={"type": "present", "present": _PRESENT},
    ),
    **{(f"matches/{{match}}/seat/{act}", "post"): _action(act, *more) for act, more in ACTIONS.items()},
    ("lobby/stream", "get"): Operation(
        "lobby_stream",
        "Stream the lobby",
        description="Server-sent events or JSON lines: `lobby` with all open games and the number of users who look "
        "for an opponent, at the beginning and after each change. With a session also `game` when your game begins, "
        "`challenge` when somebody challenges you, and `closed` when the session has ended.",
        media_type=STREAM,
        example={"type": "lobby", "offers": [_OFFER], "looking": {"edel-stein-reich-duel-2-people": 1}},
    ),
    ("matches/{match}/decisions/{number}", "post"): Operation(
        "decide",
        "Submit a decision",
        Played,
        body=Answer,
        description="The same answer again returns 200 again. Another answer returns 409, and so does a late one, "
        "with the move that was played. An illegal or malformed move returns 422 with the decision: the default move "
        "is played, and the bot gets a strike. Validate a move by the decision before you send it. Human players use "
        "the session of their browser: an illegal move also returns 422, but nothing is played, and they can send "
        "another one. 404 means that the seat is not asked this decision, or not yet.",
        query=(BOT_PARAMETER,),
        others=_CONFLICT,
    ),
}
"""By URL below ``/api/v1/`` and method."""
