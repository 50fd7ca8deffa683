"""Die Weinhändler in C: the numbers of the rules and the fields of a state.

Both are the structs ``Rules`` and ``State`` of ``wine.h``, with the same fields in the same order. All numbers come
from the reference in ``games.die_weinhaendler``.
"""

from __future__ import annotations

import ctypes
from typing import Final

import numpy as np

from games.chance import SEED_BYTES
from games.die_weinhaendler import cards, cellar, rulings
from games.die_weinhaendler.encoding.observation import STAGES as KINDS_OF_DECISIONS
from games.die_weinhaendler.grid import CELLS, PARTNERS

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


STATE: Final = np.dtype(
    [
        ("seed", np.uint8, SEED_BYTES),
        ("hands", np.uint64, MAX_SEATS),
        ("known", np.uint64, MAX_SEATS),
        ("bids", np.uint64, MAX_SEATS),
        ("display", np.uint64),
        ("laid", np.uint64),
        ("chosen", np.uint64),
        ("full", np.uint64, MAX_SEATS),
        ("empty", np.uint64, MAX_SEATS),
        ("cellars", np.uint8, (MAX_SEATS, CELLS)),
        ("full_cellars", np.uint8, MAX_SEATS),
        ("stack", np.uint8, 2 * DECK),
        ("stack_end", np.uint8),
        ("drawn", np.uint8),
        ("seen_below", np.uint8),
        ("stack_before", np.uint8),
        ("totals", np.int16, MAX_SEATS),
        ("points", np.uint16, MAX_SEATS),
        ("passed", np.uint8, MAX_SEATS),
        ("done", np.uint8, MAX_SEATS),
        ("round", np.uint16),
        ("last_round", np.uint8),
        ("idle_rounds", np.uint8),
        ("start", np.int8),
        ("leader", np.int8),
        ("turn", np.int8),
        ("stage", np.uint8),
        ("chosen_count", np.uint8),
        ("ending", np.uint8),
    ],
    align=True,
)
"""The fields of a state. ``wine.h`` says what they contain."""


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
