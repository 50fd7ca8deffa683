"""Records in C: play a game again from its seed, and compare or write each step of its record.

This needs no NumPy. ``games.record`` and ``games.compact`` use it and explain errors with the plain engine.
"""

from __future__ import annotations

import ctypes
import marshal
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from games.fast.library import FAMILIES, function, load, require_sizes
from games.outcomes import outcome
from games.rules import DEFAULT_REASONS, Document, Forfeit

MAX_SEATS: Final = 5
_MAX_COLUMNS: Final = 5
_NO_TIME: Final = -1
_MARSHAL_VERSION: Final = 4
_WITHOUT_REFERENCES: Final = 2
"""The version of ``marshal`` in which equal values have equal bytes."""

_REASONS: Final = (ctypes.c_char_p * len(DEFAULT_REASONS))(*map(str.encode, DEFAULT_REASONS))


class _Replay(ctypes.Structure):
    """The struct ``Replay`` of ``recorder.h``."""

    _fields_ = [
        ("rules", ctypes.c_void_p),
        ("names", ctypes.c_void_p),
        ("reasons", ctypes.c_void_p),
        ("seed", ctypes.c_char_p),
        ("steps", ctypes.c_char_p),
        ("steps_size", ctypes.c_int64),
        ("choices", ctypes.c_char_p),
        ("choices_size", ctypes.c_int64),
        ("text", ctypes.c_void_p),
        ("text_size", ctypes.c_int64),
        ("packed", ctypes.c_void_p),
        ("packed_size", ctypes.c_int64),
        ("forfeited_at", ctypes.c_int64 * MAX_SEATS),
        ("scores", ctypes.c_int32 * _MAX_COLUMNS * MAX_SEATS),
        ("ranks", ctypes.c_int8 * MAX_SEATS),
        ("forfeited", ctypes.c_uint8 * MAX_SEATS),
        ("knows_forfeits", ctypes.c_uint8),
        ("reason_count", ctypes.c_uint8),
        ("forfeit_reason", ctypes.c_uint8),
        ("defaults", ctypes.c_uint8),
        ("packs", ctypes.c_uint8),
        ("over", ctypes.c_uint8),
    ]


class Replayed(NamedTuple):
    """A game that was played again.

    ``outcome`` is ``None`` if the record ends before the game. ``steps`` is the JSON text of all steps, and ``choices``
    are those of the compact form; ``defaults`` says whether one of them is a default move. All three are only given if
    they were asked for.
    """

    outcome: Document | None
    steps: bytes
    choices: bytes
    defaults: bool


def _names_of(texts: Mapping[str, Sequence[str]]) -> ctypes.Structure:
    """Return a struct with a field for each of ``texts``, an array of C strings."""
    fields = [(name, ctypes.c_char_p * len(words)) for name, words in texts.items()]
    names: type[ctypes.Structure] = type("Names", (ctypes.Structure,), {"_fields_": fields})
    return names(**{name: tuple(map(str.encode, words)) for name, words in texts.items()})


class _Format:
    """A game with a number of seats."""

    def __init__(self, game: str, seats: int) -> None:
        family = FAMILIES[game]
        self.seats = seats
        self.score = family.score
        self.rules = family.rules_of(seats)
        self.names = _names_of(family.NAMES)
        require_sizes(family, self.rules, names=ctypes.sizeof(self.names), replay=ctypes.sizeof(_Replay))
        self.function = function(family, "replay", ctypes.c_int32, ctypes.POINTER(_Replay))
        self.release = load().records_release
        self.release.restype, self.release.argtypes = None, (ctypes.c_void_p, ctypes.c_void_p)
        self.constants = bytes(
            _Replay(
                rules=ctypes.addressof(self.rules),
                names=ctypes.addressof(self.names),
                reasons=ctypes.addressof(_REASONS),
                reason_count=len(DEFAULT_REASONS),
                forfeit_reason=DEFAULT_REASONS.index("forfeit"),
            )
        )

    def new(self, seed: bytes, forfeits: Mapping[int, Forfeit]) -> _Replay:
        replay = _Replay.from_buffer_copy(self.constants)
        replay.seed = seed
        for seat, (_, at) in forfeits.items():
            replay.forfeited[seat] = 1
            replay.forfeited_at[seat] = _NO_TIME if at is None else at
        return replay

    def play(self, replay: _Replay, forfeits: Mapping[int, Forfeit]) -> Replayed | None:
        same = self.function(replay)
        try:
            if not same:
                return None
            ended = None
            if replay.over:
                keys = [-rank for rank in replay.ranks[: self.seats]]
                scores = [self.score(row[:]) for row in replay.scores[: self.seats]]
                ended = outcome(keys, scores, forfeits)
            return Replayed(
                ended,
                ctypes.string_at(replay.text, replay.text_size) if replay.text else b"",
                ctypes.string_at(replay.packed, replay.packed_size) if replay.packed else b"",
                bool(replay.defaults),
            )
        finally:
            if replay.text or replay.packed:
                self.release(replay.text, replay.packed)


@cache
def _format(game: str, seats: int) -> _Format | None:
    """Return ``None`` if the accelerator does not cover the game, or not with the components that it has now."""
    try:
        return _Format(game, seats) if game in FAMILIES else None
    except RuntimeError:
        return None


def replay_steps(
    game: str,
    seats: int,
    seed: bytes,
    steps: list[Document],
    result: Document | None,
    forfeits: Mapping[int, Forfeit],
    *,
    knows_forfeits: bool,
    packs: bool = False,
) -> Replayed | None:
    """Play the moves of a record. Return ``None`` unless the rules give exactly ``steps`` and the outcome ``result``.

    Also returns ``None`` for a record that only the plain engine can judge, such as one whose keys have another order.
    If ``knows_forfeits``, moves because of a forfeit are compared with ``forfeits``, by seat. With ``packs``, the game
    must be over, and the texts and choices are written. Raises ``ImportError`` if the accelerator is not compiled.
    """
    played = _format(game, seats)
    if played is None:
        return None
    try:
        written = marshal.dumps(steps, _MARSHAL_VERSION)
        expected = marshal.dumps(result, _WITHOUT_REFERENCES)
    except ValueError:  # not JSON values
        return None
    replay = played.new(seed, forfeits)
    replay.steps, replay.steps_size = written, len(written)
    replay.knows_forfeits, replay.packs = knows_forfeits, packs
    replayed = played.play(replay, forfeits)
    same = replayed and marshal.dumps(replayed.outcome, _WITHOUT_REFERENCES) == expected
    return replayed if same else None


def replay_choices(
    game: str, seats: int, seed: bytes, choices: bytes, forfeits: Mapping[int, Forfeit], *, defaults: bool
) -> Replayed | None:
    """Play the choices of a compact record and write its steps. Return ``None`` if they do not give a whole game.

    Also returns ``None`` for choices that only the plain engine can read. Raises ``ImportError`` as above.
    """
    played = _format(game, seats)
    if played is None:
        return None
    replay = played.new(seed, forfeits)
    replay.choices, replay.choices_size, replay.defaults = choices, len(choices), defaults
    return played.play(replay, forfeits)
