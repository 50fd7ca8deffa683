"""Edel, Stein & Reich and its version for two in C: the numbers of the rules and the fields of a state.

Both are the structs ``Rules`` and ``State`` of ``gems.h``, with the same fields in the same order. All numbers come
from the reference in ``games.edel_stein_reich``.
"""

from __future__ import annotations

import ctypes
from typing import Final

import numpy as np

from games.chance import SEED_BYTES
from games.edel_stein_reich import actions, cards, duel, rulings
from games.edel_stein_reich.encoding.moves import WORDS
from games.edel_stein_reich.encoding.observation import KINDS

PREFIX: Final = "gems"
"""The prefix of the functions in the library."""

SCORE_COLUMNS: Final = ("money", "red", "yellow", "green", "blue")
"""The columns of a score: millions, then gems by color."""

STAGES: Final = ("", *KINDS, "over")
"""The values of the field ``stage`` in words, as the attribute ``stage`` of the reference."""

ACTION_CARDS: Final = WORDS[:4]
EVENTS: Final = tuple(cards.EVENT_ORDER)
GEM_CARDS: Final = len(cards.GEM_CARDS)
MAX_SEATS: Final = 5
MAX_KEPT: Final = 10
MAX_GUESSES: Final = 3
MAX_CHOSEN: Final = 4
_COLORS: Final = len(cards.COLOURS)
_BY_COLOR: Final = ctypes.c_uint8 * _COLORS


class GemRules(ctypes.Structure):
    """The numbers of the rules for one number of seats."""

    _fields_ = [
        ("seats", ctypes.c_uint8),
        ("duel", ctypes.c_uint8),
        ("phases", ctypes.c_uint8),
        ("rounds", ctypes.c_uint8),
        ("aside", ctypes.c_uint8),
        ("actions", ctypes.c_uint8),
        ("gems_at_start", ctypes.c_uint8),
        ("offer_limit", ctypes.c_uint8),
        ("low_supply", ctypes.c_uint8),
        ("tie_return", ctypes.c_uint8),
        ("adjusted", ctypes.c_uint8),
        ("free_choice_takes", ctypes.c_uint8),
        ("three_takes", ctypes.c_uint8),
        ("guesses", ctypes.c_uint8),
        ("majority_values", _BY_COLOR),
        ("half_values", _BY_COLOR),
        ("sole_bonus", _BY_COLOR),
        ("sole_any_bonus", ctypes.c_uint8),
        ("certificate_values", ctypes.c_uint8 * 2),
        ("event_cards", ctypes.c_uint8 * len(cards.EVENT_CARDS)),
        ("gem_card_money", ctypes.c_uint8 * GEM_CARDS),
        ("gem_card_gems", _BY_COLOR * GEM_CARDS),
        ("gem_card_kinds", ctypes.c_uint8 * GEM_CARDS),
    ]


STATE: Final = np.dtype(
    [
        ("seed", np.uint8, SEED_BYTES),
        ("money", np.uint16, MAX_SEATS),
        ("gems", np.uint8, (MAX_SEATS, _COLORS)),
        ("supply", np.uint8, _COLORS),
        ("age_order", np.int8, MAX_SEATS),
        ("age", np.int8, MAX_SEATS),
        ("event_pile", np.uint8, len(cards.EVENT_CARDS)),
        ("event_pile_count", np.uint8),
        ("event_discards", np.uint8, len(cards.EVENT_CARDS)),
        ("event_discard_count", np.uint8),
        ("event_shuffles", np.uint8),
        ("display", np.int8),
        ("kept", np.uint8, MAX_KEPT),
        ("kept_by", np.int8, MAX_KEPT),
        ("kept_count", np.uint8),
        ("gem_pile", np.uint8, GEM_CARDS),
        ("gem_discard_count", np.uint8),
        ("gem_shuffles", np.uint8),
        ("gem_cards", np.int8, MAX_SEATS),
        ("phase", np.uint8),
        ("round", np.uint8),
        ("stage", np.uint8),
        ("turn", np.int8),
        ("choices", np.int8, MAX_SEATS),
        ("revealed", np.uint8),
        ("action_index", np.uint8),
        ("resolving", np.int8),
        ("opener", np.int8),
        ("other", np.int8),
        ("opener_declined", np.uint8),
        ("offer_count", np.uint8),
        ("offerer", np.int8),
        ("standing", np.uint8, _COLORS),
        ("free_order", np.int8, MAX_SEATS),
        ("free_count", np.uint8),
        ("free_next", np.uint8),
        ("immediate", np.int8),
        ("active", np.int8),
        ("starter", np.int8),
        ("guesses", np.int8, MAX_GUESSES),
        ("guess_count", np.uint8),
        ("chosen", np.uint8, MAX_CHOSEN),
        ("chosen_count", np.uint8),
    ],
    align=True,
)
"""The fields of a state. ``gems.h`` says what they contain."""


def rules_of(seats: int) -> GemRules:
    """Return the numbers of the rules from the reference."""
    layout = cards.TABLES[seats]
    kinds = list(dict.fromkeys(cards.GEM_CARDS))
    return GemRules(
        seats=seats,
        duel=seats == 2,
        phases=cards.PHASES,
        rounds=layout.rounds,
        aside=layout.aside,
        actions=len(layout.actions),
        gems_at_start=cards.GEMS_AT_START,
        offer_limit=rulings.OFFER_LIMIT,
        low_supply=rulings.LOW_SUPPLY,
        tie_return=rulings.TIE_RETURN,
        adjusted=actions.ADJUSTED,
        free_choice_takes=actions.FREE_CHOICE_TAKES,
        three_takes=actions.THREE_TAKES,
        guesses=duel.GUESSES,
        majority_values=cards.MAJORITY_VALUES,
        half_values=cards.HALF_VALUES,
        sole_bonus=cards.SOLE_BONUS,
        sole_any_bonus=cards.SOLE_ANY_BONUS,
        certificate_values=cards.CERTIFICATE_VALUES,
        event_cards=tuple(EVENTS.index(card) for card in cards.EVENT_CARDS),
        gem_card_money=tuple(cards.MONEY_ON_CARD[card] for card in cards.GEM_CARDS),
        gem_card_gems=tuple(cards.GEMS_ON_CARD[card] for card in cards.GEM_CARDS),
        gem_card_kinds=tuple(map(kinds.index, cards.GEM_CARDS)),
    )
