"""What the platform says to a bot: ``hello``, ``decide`` and ``end``, each one line of JSON."""

from __future__ import annotations

import hmac
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final, Literal, TypedDict

import orjson

from games.rules import Document

PROTOCOL: Final = 1
"""The number of the protocol; keys may be added under one number, never changed."""


@dataclass(frozen=True)
class Limits:
    """What one seat may use up in a game; milliseconds of wall time, and MiB of address space."""

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
    """:class:`Limits` as a bot reads them."""

    startup_ms: int
    move_ms: int
    bank_ms: int
    game_ms: int
    memory_mb: int


class ClockLeft(TypedDict):
    """``move_ms`` as in the limits; what is left of the bank and of the whole game, never rising."""

    move_ms: int
    bank_ms: int
    game_ms: int


class Hello(TypedDict):
    """The first message of every start; ``resumed`` is true for every start of one game but the first."""

    type: Literal["hello"]
    protocol: int
    game: str
    rules: str
    seats: int
    seat: int
    resumed: bool
    limits: LimitsDocument
    seed: str


class Decide(TypedDict):
    """One question: ``id`` counts this seat's own decisions from 1, ``strikes`` its defaults so far."""

    type: Literal["decide"]
    id: int
    strikes: int
    decision: Document
    view: Document
    log: list[Document]
    clock: ClockLeft


class End(TypedDict):
    """The last message: the outcome and the log entries since the last ``decide``."""

    type: Literal["end"]
    outcome: Document
    log: list[Document]


def limits_document(limits: Limits) -> LimitsDocument:
    """``limits`` as the object that stands in ``hello``."""
    return {
        "startup_ms": limits.startup_ms,
        "move_ms": limits.move_ms,
        "bank_ms": limits.bank_ms,
        "game_ms": limits.game_ms,
        "memory_mb": limits.memory_mb,
    }


def encode(message: Hello | Decide | End | dict[str, Any]) -> bytes:
    """``message`` as one line of UTF-8 JSON, the newline included."""
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def bot_seed(key: bytes, match: str, seat: int, start: int) -> str:
    """The seed for a bot's own random generator: 64 hex digits that tell nothing about the deal.

    It is the HMAC-SHA256 of ``match/seat/start`` under a key that only the server has; ``start`` counts the
    seat's processes of this match from 1.
    """
    return hmac.new(key, f"{match}/{seat}/{start}".encode(), sha256).hexdigest()
