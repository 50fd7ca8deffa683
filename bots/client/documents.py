"""What the site sends to a remote bot. The ``message`` of an event is the document that a bot reads on stdin."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from bots.protocol import Decide, End, Hello

Document = dict[str, Any]
"""One JSON object."""


class GameStart(TypedDict):
    """A game that runs, told at its beginning and again whenever a stream is opened; ``players`` are by seat."""

    type: Literal["game_start"]
    game: int
    rated: bool
    ladder: str
    players: list[Document]
    message: Hello


class Asked(TypedDict):
    """A decision that is owed; ``decision`` is its number, the ``id`` of ``message``.

    ``log_from`` is where the log of ``message`` begins in that of the whole game: 0 after a (re)connect.
    """

    type: Literal["decide"]
    game: int
    decision: int
    log_from: int
    message: Decide


class GameEnd(TypedDict):
    """A game has ended; ``message`` is ``None`` where it has no result, and ``reason`` says why."""

    type: Literal["game_end"]
    game: int
    message: End | None
    status: str
    reason: NotRequired[str | None]


class Challenged(TypedDict):
    """Somebody would like to play; ``challenge`` has its ``id``, ``ladder``, ``players`` and when it ``expires``."""

    type: Literal["challenge"]
    challenge: Document


class StreamClosed(TypedDict):
    """The last event of a stream that is not to be opened again."""

    type: Literal["closed"]
    reason: str


Event = GameStart | Asked | GameEnd | Challenged
"""What ``events()`` gives; what later versions of the API add is left out."""
