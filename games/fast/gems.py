"""Edel, Stein & Reich and its version for two in C: the numbers of the rules and the fields of a state.

Both are the structs ``Rules`` and ``State`` of ``gems.h``, with the same fields in the same order. All numbers come
from the reference in ``games.edel_stein_reich``.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

from games.chance import SEED_BYTES
from games.edel_stein_reich import actions, cards, duel, rulings
from games.edel_stein_reich.encoding.moves import WORDS
from games.edel_stein_reich.encoding.observation import KINDS
from games.rules import Document

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


STATE: Final[list[tuple[Any, ...]]] = [
    ("seed", "u1", SEED_BYTES),
    ("money", "u2", MAX_SEATS),
    ("gems", "u1", (MAX_SEATS, _COLORS)),
    ("supply", "u1", _COLORS),
    ("age_order", "i1", MAX_SEATS),
    ("age", "i1", MAX_SEATS),
    ("event_pile", "u1", len(cards.EVENT_CARDS)),
    ("event_pile_count", "u1"),
    ("event_discards", "u1", len(cards.EVENT_CARDS)),
    ("event_discard_count", "u1"),
    ("event_shuffles", "u1"),
    ("display", "i1"),
    ("kept", "u1", MAX_KEPT),
    ("kept_by", "i1", MAX_KEPT),
    ("kept_count", "u1"),
    ("gem_pile", "u1", GEM_CARDS),
    ("gem_discard_count", "u1"),
    ("gem_shuffles", "u1"),
    ("gem_cards", "i1", MAX_SEATS),
    ("phase", "u1"),
    ("round", "u1"),
    ("stage", "u1"),
    ("turn", "i1"),
    ("choices", "i1", MAX_SEATS),
    ("revealed", "u1"),
    ("action_index", "u1"),
    ("resolving", "i1"),
    ("opener", "i1"),
    ("other", "i1"),
    ("opener_declined", "u1"),
    ("offer_count", "u1"),
    ("offerer", "i1"),
    ("standing", "u1", _COLORS),
    ("free_order", "i1", MAX_SEATS),
    ("free_count", "u1"),
    ("free_next", "u1"),
    ("immediate", "i1"),
    ("active", "i1"),
    ("starter", "i1"),
    ("guesses", "i1", MAX_GUESSES),
    ("guess_count", "u1"),
    ("chosen", "u1", MAX_CHOSEN),
    ("chosen_count", "u1"),
]
"""The fields of a state, with types and shapes as NumPy names them. ``gems.h`` says what they contain."""


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


NAMES: Final = {
    "stages": STAGES[:-1],
    "words": WORDS,
    "colors": tuple(cards.COLOURS),
    "events": EVENTS,
    "gem_cards": cards.GEM_CARDS,
}
"""The texts of records, by the fields of the struct ``Names`` in ``gems_records.c``."""


def score(columns: list[int]) -> Document:
    """Return a score as an outcome contains it."""
    return {"money": columns[0], "gems": columns[1 : 1 + _COLORS]}
