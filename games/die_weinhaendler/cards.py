"""The bottles: their codes, values and stars, and which of them a table plays with (rules 4.1).

Inside the engine a bottle is a small integer, 0 for an empty one and then 1 to 21 by value; equal bottles are the
same integer. A hand or a bid is a tuple of them, ascending.
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
"""The value of the cheapest bottle; every other is worth one more, variety by variety, then star by star."""

EMPTY: Final = 0
"""An empty bottle as a number."""

EMPTY_CODE: Final = "empty"
EMPTY_TENTHS: Final = 2

CODES: Final[tuple[str, ...]] = (
    EMPTY_CODE,
    *(f"{VARIETIES[n % 7]}{CHEAPEST + n}" for n in range(len(VARIETIES) * STAR_GRADES)),
)
"""The code of every bottle, by its number."""

NUMBERS: Final[dict[str, int]] = {code: number for number, code in enumerate(CODES)}
"""The number of every bottle, by its code."""

TENTHS: Final[tuple[int, ...]] = (EMPTY_TENTHS, *(10 * (CHEAPEST + n) for n in range(len(CODES) - 1)))
"""The value of every bottle in tenths."""

VARIETY: Final[tuple[int, ...]] = (-1, *(n % 7 for n in range(len(CODES) - 1)))
"""The variety of every bottle, 0 to 6; −1 for an empty one."""

STARS: Final[tuple[int, ...]] = (0, *(n // 7 + 1 for n in range(len(CODES) - 1)))
"""The stars of every bottle."""

LEFT_OUT: Final[dict[int, str]] = {3: "YP", 4: "O", 5: ""}
"""The varieties that a table of so many does not play with."""

HAND_SIZE: Final = 5
DISPLAY_SIZE: Final = 4
HAND_LIMIT: Final = 6


def deck(seats: int) -> list[str]:
    """The codes of all bottles a table of ``seats`` plays with, by variety, then stars, empties last."""
    full = [
        CODES[1 + variety + len(VARIETIES) * grade]
        for variety, letter in enumerate(VARIETIES)
        if letter not in LEFT_OUT[seats]
        for grade in range(STAR_GRADES)
        for _ in range(COPIES)
    ]
    return full + [EMPTY_CODE] * EMPTIES


def codes(cards: Cards) -> list[str]:
    """The codes of ``cards``, highest first, as documents list them."""
    return [CODES[card] for card in reversed(cards)]


def in_order(cards: Iterable[int]) -> Cards:
    """``cards`` as a hand."""
    return tuple(sorted(cards))


def total(cards: Cards) -> int:
    """The value of ``cards`` together, in tenths."""
    tenths = 0
    for card in cards:
        tenths += TENTHS[card]
    return tenths


def holds(hand: Cards, cards: Cards) -> bool:
    """Whether ``hand`` has every copy of ``cards``."""
    return all(hand.count(card) >= cards.count(card) for card in cards)


def copies(cards: Cards) -> list[tuple[int, int]]:
    """The different bottles of ``cards``, ascending, and how many of each."""
    return [(card, cards.count(card)) for card in dict.fromkeys(cards)]


def without(cards: Cards, card: int) -> Cards:
    """``cards``, which have a ``card``, with one copy of it less."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
