"""Die Weinhändler in C: the numbers of the rules and the fields of a state.

Both are the structs ``Rules`` and ``State`` of ``wine.h``, with the same fields in the same order. All numbers come
from the reference in ``games.die_weinhaendler``.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

from games.chance import SEED_BYTES
from games.die_weinhaendler import cards, cellar, rulings
from games.die_weinhaendler.encoding.moves import NAMES as NAMES_OF_ACTIONS
from games.die_weinhaendler.encoding.moves import STOP
from games.die_weinhaendler.encoding.observation import STAGES as KINDS_OF_DECISIONS
from games.die_weinhaendler.grid import CELLS, PARTNERS
from games.rules import Document

PREFIX: Final = "wine"
"""The prefix of the functions in the library."""

SCORE_COLUMNS: Final = ("points",)
"""The columns of a score."""

STAGES: Final = (*KINDS_OF_DECISIONS, "over")
"""The values of the field ``stage`` in words, as the attribute ``stage`` of the reference."""

KINDS: Final = len(cards.CODES)
DECK: Final = len(cards.deck(5))
MAX_SEATS: Final = 5
MAX_TRIOS: Final = max(map(len, PARTNERS))
_BY_KIND: Final = ctypes.c_uint8 * KINDS
_PAIR: Final = ctypes.c_uint8 * 2


class WineRules(ctypes.Structure):
    """The numbers of the rules for one number of seats."""

    _fields_ = [
        ("seats", ctypes.c_uint8),
        ("hand_size", ctypes.c_uint8),
        ("display_size", ctypes.c_uint8),
        ("hand_limit", ctypes.c_uint8),
        ("idle_limit", ctypes.c_uint8),
        ("same_bonus", ctypes.c_uint8),
        ("mixed_bonus", ctypes.c_uint8),
        ("deck_size", ctypes.c_uint8),
        ("deck", ctypes.c_uint8 * DECK),
        ("varieties", _BY_KIND),
        ("stars", _BY_KIND),
        ("tenths", ctypes.c_int16 * KINDS),
        ("trio_counts", ctypes.c_uint8 * CELLS),
        ("partners", _PAIR * MAX_TRIOS * CELLS),
    ]


STATE: Final[list[tuple[Any, ...]]] = [
    ("seed", "u1", SEED_BYTES),
    ("hands", "u8", MAX_SEATS),
    ("known", "u8", MAX_SEATS),
    ("bids", "u8", MAX_SEATS),
    ("display", "u8"),
    ("laid", "u8"),
    ("chosen", "u8"),
    ("full", "u8", MAX_SEATS),
    ("empty", "u8", MAX_SEATS),
    ("cellars", "u1", (MAX_SEATS, CELLS)),
    ("full_cellars", "u1", MAX_SEATS),
    ("stack", "u1", 2 * DECK),
    ("stack_end", "u1"),
    ("drawn", "u1"),
    ("seen_below", "u1"),
    ("stack_before", "u1"),
    ("totals", "i2", MAX_SEATS),
    ("points", "u2", MAX_SEATS),
    ("passed", "u1", MAX_SEATS),
    ("done", "u1", MAX_SEATS),
    ("round", "u2"),
    ("last_round", "u1"),
    ("idle_rounds", "u1"),
    ("start", "i1"),
    ("leader", "i1"),
    ("turn", "i1"),
    ("stage", "u1"),
    ("chosen_count", "u1"),
    ("ending", "u1"),
]
"""The fields of a state, with types and shapes as NumPy names them. ``wine.h`` says what they contain."""


def rules_of(seats: int) -> WineRules:
    """Return the numbers of the rules from the reference."""
    deck = [cards.NUMBERS[code] for code in cards.deck(seats)]
    rules = WineRules(
        seats=seats,
        hand_size=cards.HAND_SIZE,
        display_size=cards.DISPLAY_SIZE,
        hand_limit=cards.HAND_LIMIT,
        idle_limit=rulings.IDLE_LIMIT,
        same_bonus=cellar.SAME_BONUS,
        mixed_bonus=cellar.MIXED_BONUS,
        deck_size=len(deck),
        deck=tuple(deck),
        varieties=(0, *cards.VARIETY[1:]),
        stars=cards.STARS,
        tenths=cards.TENTHS,
        trio_counts=tuple(map(len, PARTNERS)),
    )
    for cell, pairs in enumerate(PARTNERS):
        for place, pair in enumerate(pairs):
            rules.partners[cell][place][:] = pair
    return rules


NAMES: Final = {"stages": STAGES[:-1], "words": NAMES_OF_ACTIONS[:STOP], "cards": cards.CODES}
"""The texts of records, by the fields of the struct ``Names`` in ``wine_records.c``."""


def score(columns: list[int]) -> Document:
    """Return a score as an outcome contains it."""
    return {"points": columns[0]}
