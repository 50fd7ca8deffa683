"""A finished record in about 100 bytes: its seed and choices, from which the rules rebuild it exactly.

The format has these parts, in this order:

- one byte each for the version of the format (1 or 2), the number of seats, and 1 if a default move was played, else 0;
- the slug and the rules version of the game, each as a length byte and ASCII text;
- the seed, 32 bytes;
- one byte for the number of forfeits, and for each the seat and the index of the reason in ``FORFEIT_REASONS``,
  in version 2 followed by ``forfeit_at`` as four big-endian bytes;
- a checksum: the first 6 bytes of the SHA-256 of all other bytes, followed by the JSON of the record;
- the choices as one big-endian integer without leading zero bytes, in mixed radix, first choice least significant.

A choice is the index of the move among the legal moves, so its radix is the number of legal moves. If a default move
was played in the game, every radix is one larger. The additional value is a default move, followed by the index of its
reason in ``DEFAULT_REASONS``. A seat makes no more choices after a default with the reason ``forfeit``. Chance and
forced moves take no space.

Only records with ``forfeit_at`` are stored in version 2.

The rebuilt record depends on the rules and the order of legal moves. The checksum detects damaged bytes and changed
rules, so unpacking returns the original record or raises an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from games import strict
from games.chance import SEED_BYTES, commitment
from games.record import accelerator, confirmed, forfeits_of, to_json
from games.registry import GAMES
from games.rules import DEFAULT_REASONS, FORFEIT_REASONS, Document, Forfeit, IllegalMove, State
from games.stepped import FORMAT

_WITHOUT_TIMES: Final = 1
_WITH_TIMES: Final = 2
_TIME_BYTES: Final = 4
_SUM_BYTES: Final = 6


class CompactError(ValueError):
    """A record that cannot be packed, or bytes that cannot be unpacked because of damage or other rules."""


@dataclass(frozen=True)
class _Head:
    """The part of the format before the choices: the game and its forfeits."""

    game: str
    rules: str
    seats: int
    seed: bytes
    defaults: bool
    forfeits: dict[int, Forfeit]

    def require_known(self) -> None:
        """Raise ``CompactError`` for unknown games, rules or seat counts."""
        game = GAMES.get(self.game)
        if game is None or game.rules.version != self.rules or self.seats not in game.seat_counts:
            asked = f"{self.game!r} with the rules {self.rules!r} and {self.seats} seats"
            raise CompactError(f"unknown record: game {asked}")

    def start(self) -> State:
        """Return the state after the deal. Raises ``CompactError`` as above."""
        self.require_known()
        return GAMES[self.game].new(self.seats, self.seed)

    def text(self, steps: bytes, outcome: Document) -> bytes:
        """Return the JSON text of the record with these steps."""
        record = {
            "format": FORMAT,
            "game": self.game,
            "rules": self.rules,
            "seats": self.seats,
            "seed": self.seed.hex(),
            "commitment": commitment(self.seed),
        }
        return b'%s,"steps":%s,"outcome":%s}' % (to_json(record)[:-1].encode(), steps, to_json(outcome).encode())

    def to_bytes(self) -> bytes:
        texts = [text.encode("ascii") for text in (self.game, self.rules)]
        form, lost = _WITHOUT_TIMES, b""
        for seat, (reason, at) in self.forfeits.items():
            lost += bytes([seat, FORFEIT_REASONS.index(reason)])
            if at is not None:
                form, lost = _WITH_TIMES, lost + at.to_bytes(_TIME_BYTES, "big")
        return b"".join(
            [
                bytes([form, self.seats, self.defaults]),
                *(bytes([len(text)]) + text for text in texts),
                self.seed,
                bytes([len(self.forfeits)]),
                lost,
            ]
        )


@dataclass(frozen=True)
class Unpacked:
    """A record from its compact form: the keys of its head, its outcome, and the whole as JSON text."""

    game: str
    seats: int
    seed: bytes
    outcome: Document
    text: bytes

    @cached_property
    def record(self) -> Document:
        """The record as a document."""
        document: Document = json.loads(self.text)
        return document


class _Reader:
    """Reads bytes from the front. Raises ``CompactError`` if there are not enough."""

    def __init__(self, packed: bytes) -> None:
        self.packed = packed
        self.place = 0

    def take(self, count: int) -> bytes:
        taken = self.packed[self.place : self.place + count]
        if len(taken) < count:
            raise CompactError("the data is truncated")
        self.place += count
        return taken

    def byte(self, below: int = 256) -> int:
        number = self.take(1)[0]
        if number >= below:
            raise CompactError("the data is damaged: a number is out of range")
        return number

    def text(self) -> str:
        return self.take(self.byte()).decode("ascii", errors="replace")


def pack(record: Mapping[str, Any]) -> bytes:
    """Return the compact form of a finished record.

    Raises ``CompactError`` for a record of an unfinished game, and if its seed and choices do not give the same record.
    """
    if record["outcome"] is None:
        raise CompactError("only the record of a finished game can be packed")
    forfeits = forfeits_of(record)
    if any(forfeit.at is not None and forfeit.at > len(record["steps"]) for forfeit in forfeits.values()):
        raise CompactError("the record does not have as many steps as forfeit_at says")
    moves = [step for step in record["steps"] if "decision" in step and "forced" not in step]
    head = _Head(
        record["game"],
        record["rules"],
        record["seats"],
        bytes.fromhex(record["seed"]),
        any("default" in step for step in moves),
        forfeits,
    )
    if replayed := confirmed(record, knows_forfeits=False, packs=True):
        front, choices = head.to_bytes(), replayed.choices
        return front + _sum(front, choices, head.text(replayed.steps, record["outcome"])) + choices
    state = head.start()
    number = _number_of(_digits(state, moves, head.defaults))
    rebuilt = _ended(state, head)
    if not strict.same(rebuilt, dict(record)):
        raise CompactError("the record does not match its seed and choices under the rules")
    front, choices = head.to_bytes(), number.to_bytes((number.bit_length() + 7) // 8, "big")
    return front + _sum(front, choices, to_json(rebuilt).encode()) + choices


def unpack(packed: bytes) -> Document:
    """Return the record of a compact form. Raises ``CompactError`` for damaged bytes and for other rules."""
    return read(packed).record


def read(packed: bytes) -> Unpacked:
    """Play the game of a compact form again. Raises ``CompactError`` as :func:`unpack` does.

    It is faster, because it does not make a document of the steps.
    """
    reader = _Reader(packed)
    head = _head(reader)
    front = packed[: reader.place]
    checksum = reader.take(_SUM_BYTES)
    choices = packed[reader.place :]
    head.require_known()
    if fast := accelerator():
        replayed = fast.replay_choices(head.game, head.seats, head.seed, choices, head.forfeits, defaults=head.defaults)
        if replayed and replayed.outcome:
            text = head.text(replayed.steps, replayed.outcome)
            if _sum(front, choices, text) == checksum:
                return Unpacked(head.game, head.seats, head.seed, replayed.outcome, text)
    state = head.start()
    rest = _choose(state, int.from_bytes(choices, "big"), head.defaults)
    record = _ended(state, head)
    text = to_json(record).encode()
    if rest or _sum(front, choices, text) != checksum:
        raise CompactError(
            f"unpacking does not give the original record of {head.game!r}: the data is damaged, or the rules changed "
            f"without a new version"
        )
    return Unpacked(head.game, head.seats, head.seed, record["outcome"], text)


def _head(reader: _Reader) -> _Head:
    form = reader.byte()
    if form not in (_WITHOUT_TIMES, _WITH_TIMES):
        raise CompactError(f"unknown compact form {form}; expected {_WITHOUT_TIMES} or {_WITH_TIMES}")
    seats, defaults = reader.byte(), bool(reader.byte(below=2))
    game, rules, seed = reader.text(), reader.text(), reader.take(SEED_BYTES)
    forfeits = {}
    for _ in range(reader.byte(below=seats + 1)):
        seat = reader.byte(below=seats)
        reason = FORFEIT_REASONS[reader.byte(below=len(FORFEIT_REASONS))]
        at = int.from_bytes(reader.take(_TIME_BYTES), "big") if form == _WITH_TIMES else None
        forfeits[seat] = Forfeit(reason, at)
    return _Head(game, rules, seats, seed, defaults, forfeits)


def _digits(state: State, moves: list[Document], defaults: bool) -> list[tuple[int, int]]:
    """Play the moves and return every choice as (value, radix)."""
    digits: list[tuple[int, int]] = []
    gone: set[int] = set()
    for step in moves:
        seat, reason = step["seat"], step.get("default")
        if seat not in state.pending[:1]:
            raise CompactError(f"seat {seat} moves, but the pending seats are {list(state.pending)}")
        if seat not in gone:
            digits += _choice(state, seat, step["move"], reason, defaults)
        if reason == "forfeit":
            gone.add(seat)
        elif seat in gone:
            raise CompactError(f"seat {seat} moves after its forfeit")
        try:
            state.play(seat, step["move"], default=reason)
        except IllegalMove as error:
            raise CompactError(str(error)) from error
    return digits


def _choice(state: State, seat: int, move: Any, reason: str | None, defaults: bool) -> list[tuple[int, int]]:
    legal = state.numbered_moves(seat)
    if reason is not None:
        return [(len(legal), len(legal) + 1), (DEFAULT_REASONS.index(reason), len(DEFAULT_REASONS))]
    try:
        return [(legal.index(move), len(legal) + defaults)]
    except ValueError as error:
        raise CompactError(f"{move!r} is not legal for seat {seat}") from error


def _number_of(digits: list[tuple[int, int]]) -> int:
    number = 0
    for value, radix in reversed(digits):
        number = number * radix + value
    return number


def _choose(state: State, number: int, defaults: bool) -> int:
    """Play the choices in ``number`` to the end of the game and return the rest of the number."""
    gone: set[int] = set()
    while state.pending:
        seat = state.pending[0]
        if seat in gone:
            state.play(seat, state.default_move(seat), default="forfeit")
            continue
        legal = state.numbered_moves(seat)
        number, place = divmod(number, len(legal) + defaults)
        if place < len(legal):
            state.play(seat, legal[place])
            continue
        number, place = divmod(number, len(DEFAULT_REASONS))
        reason = DEFAULT_REASONS[place]
        state.play(seat, state.default_move(seat), default=reason)
        if reason == "forfeit":
            gone.add(seat)
    return number


def _ended(state: State, head: _Head) -> Document:
    for seat, forfeit in head.forfeits.items():
        state.forfeit(seat, *forfeit)
    return state.record


def _sum(front: bytes, choices: bytes, text: bytes) -> bytes:
    return sha256(front + choices + text).digest()[:_SUM_BYTES]
