"""Messages of the platform to a bot: ``hello``, ``decide`` and ``end``, one line of JSON each."""

from __future__ import annotations

import hmac
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final, Literal, TypedDict

import orjson

import games
from games.rules import Document, Rules

PROTOCOL: Final = 1
"""The version of the protocol. Keys can be added without a new version, but never changed."""


@dataclass(frozen=True)
class Limits:
    """The limits of one seat in a game: milliseconds of wall time, and MiB of resident memory."""

    startup_ms: int = 3000
    move_ms: int = 1000
    bank_ms: int = 10_000
    game_ms: int = 60_000
    memory_mb: int = 512

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            least = 0 if name == "bank_ms" else 1
            if type(value) is not int or value < least:
                raise ValueError(f"the limit {name} must be an integer of at least {least}, not {value!r}")


class LimitsDocument(TypedDict):
    """:class:`Limits` as a JSON object."""

    startup_ms: int
    move_ms: int
    bank_ms: int
    game_ms: int
    memory_mb: int


class ClockLeft(TypedDict):
    """``move_ms`` of the limits, and the remaining milliseconds of the time bank and of the whole game.

    The remaining times never increase.
    """

    move_ms: int
    bank_ms: int
    game_ms: int


class Hello(TypedDict):
    """The first message after each start. ``resumed`` is true for every start in a game except the first.

    ``library`` is the version of the package ``games`` on the site, which hosted bots can import.
    """

    type: Literal["hello"]
    protocol: int
    game: str
    rules: str
    seats: int
    seat: int
    resumed: bool
    limits: LimitsDocument
    seed: str
    library: str


class Decide(TypedDict):
    """A request for one decision. ``id`` counts the decisions of the seat from 1, ``strikes`` its strikes so far."""

    type: Literal["decide"]
    id: int
    strikes: int
    decision: Document
    view: Document
    log: list[Document]
    clock: ClockLeft


class End(TypedDict):
    """The last message: the outcome, and the log entries since the last ``decide``."""

    type: Literal["end"]
    outcome: Document
    log: list[Document]


def limits_document(limits: Limits) -> LimitsDocument:
    """Return ``limits`` as the object in ``hello``."""
    return {
        "startup_ms": limits.startup_ms,
        "move_ms": limits.move_ms,
        "bank_ms": limits.bank_ms,
        "game_ms": limits.game_ms,
        "memory_mb": limits.memory_mb,
    }


def hello(rules: Rules, seats: int, seat: int, limits: Limits, seed: str, *, resumed: bool = False) -> Hello:
    """Return the ``hello`` for ``seat`` in a game of ``seats`` seats. ``seed`` is a :func:`bot_seed`."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": rules.slug,
        "rules": rules.version,
        "seats": seats,
        "seat": seat,
        "resumed": resumed,
        "limits": limits_document(limits),
        "seed": seed,
        "library": games.__version__,
    }


def encode(message: Hello | Decide | End | dict[str, Any]) -> bytes:
    """Return ``message`` as one line of UTF-8 JSON, including the newline."""
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def bot_seed(key: bytes, match: str, seat: int, start: int) -> str:
    """Return the seed for the random generator of a bot: 64 hex digits that reveal nothing about the deal.

    It is the HMAC-SHA256 of ``match/seat/start`` with a secret key of the server. ``start`` counts the processes of the
    seat in this match from 1.
    """
    return hmac.new(key, f"{match}/{seat}/{start}".encode(), sha256).hexdigest()


def bot_seeds(key: bytes, match: str, seats: int) -> tuple[str, ...]:
    """Return the :func:`bot_seed` of each seat for its first process."""
    return tuple(bot_seed(key, match, seat, 1) for seat in range(seats))
