"""Bottles: their codes, values and stars, and the bottles in play by number of seats (rules 4.1).

Inside the engine a bottle is an integer: 0 for an empty one, then 1 to 21 by value. Equal bottles are the same integer.
A hand or a bid is an ascending tuple.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

Cards = tuple[int, ...]
"""Bottles in ascending order of value."""

VARIETIES: Final = "YRGOBSP"
"""Dornfelder, Merlot, Zinfandel, Chardonnay, Cabernet Sauvignon, Portugieser and Bordeaux, from the cheapest up."""

STAR_GRADES: Final = 3
COPIES: Final = 3
EMPTIES: Final = 3
CHEAPEST: Final = 5
"""The value of the cheapest bottle. Each following bottle is worth one more, by stars, then by variety."""

EMPTY: Final = 0
"""An empty bottle as a number."""

EMPTY_CODE: Final = "empty"
EMPTY_TENTHS: Final = 2

CODES: Final[tuple[str, ...]] = (
    EMPTY_CODE,
    *(f"{VARIETIES[n % 7]}{CHEAPEST + n}" for n in range(len(VARIETIES) * STAR_GRADES)),
)
"""The code of every bottle by number."""

NUMBERS: Final[dict[str, int]] = {code: number for number, code in enumerate(CODES)}
"""The number of every bottle by code."""

TENTHS: Final[tuple[int, ...]] = (EMPTY_TENTHS, *(10 * (CHEAPEST + n) for n in range(len(CODES) - 1)))
"""The value of every bottle in tenths."""

VARIETY: Final[tuple[int, ...]] = (-1, *(n % 7 for n in range(len(CODES) - 1)))
"""The variety of every bottle, 0 to 6; −1 for an empty one."""

STARS: Final[tuple[int, ...]] = (0, *(n // 7 + 1 for n in range(len(CODES) - 1)))
"""The stars of every bottle."""

LEFT_OUT: Final[dict[int, str]] = {3: "YP", 4: "O", 5: ""}
"""The varieties that are not in play, by the number of seats."""

HAND_SIZE: Final = 5
DISPLAY_SIZE: Final = 4
HAND_LIMIT: Final = 6


def deck(seats: int) -> list[str]:
    """Return the codes of all bottles in play with ``seats`` seats, by variety, then stars, empties last."""
    full = [
        CODES[1 + variety + len(VARIETIES) * grade]
        for variety, letter in enumerate(VARIETIES)
        if letter not in LEFT_OUT[seats]
        for grade in range(STAR_GRADES)
        for _ in range(COPIES)
    ]
    return full + [EMPTY_CODE] * EMPTIES


def codes(cards: Cards) -> list[str]:
    """Return the codes of ``cards``, highest first, as in documents."""
    return [CODES[card] for card in reversed(cards)]


def in_order(cards: Iterable[int]) -> Cards:
    """Return ``cards`` as a hand: an ascending tuple."""
    return tuple(sorted(cards))


def total(cards: Cards) -> int:
    """Return the total value of ``cards`` in tenths."""
    tenths = 0
    for card in cards:
        tenths += TENTHS[card]
    return tenths


def holds(hand: Cards, cards: Cards) -> bool:
    """Return whether ``hand`` contains all copies of ``cards``."""
    return all(hand.count(card) >= cards.count(card) for card in cards)


def copies(cards: Cards) -> list[tuple[int, int]]:
    """Return the different bottles of ``cards``, ascending, with their numbers of copies."""
    return [(card, cards.count(card)) for card in dict.fromkeys(cards)]


def without(cards: Cards, card: int) -> Cards:
    """Return ``cards`` without one copy of ``card``, which they must contain."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
