"""The wine cards (`rules.md` 4.1), in the order in which they stand before a shuffle (`record.md`)."""

from __future__ import annotations

EMPTY = "empty"
EMPTY_VALUE = 2
EMPTIES = 3
COPIES = 3
BASE_VALUES = {"Y": 5, "R": 6, "G": 7, "O": 8, "B": 9, "S": 10, "P": 11}
LEFT_OUT = {3: "YP", 4: "O", 5: ""}

HAND_AT_START = 5
DISPLAY_SIZE = 4
HAND_LIMIT = 6
BASE_ROW = 5
CELLAR_SIZE = 15
IDLE_LIMIT = 20
IDENTICAL_BONUS, DIFFERENT_BONUS = 4, 1


def deck(seats: int) -> list[str]:
    """The cards of a game with so many seats."""
    full = [
        f"{variety}{base + 7 * (stars - 1)}"
        for variety, base in BASE_VALUES.items()
        if variety not in LEFT_OUT[seats]
        for stars in (1, 2, 3)
        for _ in range(COPIES)
    ]
    return full + [EMPTY] * EMPTIES


def value(card: str) -> int:
    """In tenths: 50 to 250, an empty bottle 2."""
    return EMPTY_VALUE if card == EMPTY else 10 * int(card[1:])


def stars(card: str) -> int:
    """1 to 3, an empty bottle none."""
    return 0 if card == EMPTY else 1 + (int(card[1:]) - BASE_VALUES[card[0]]) // 7


def total(bid: list[str]) -> int:
    """The value of a bid in tenths."""
    return sum(map(value, bid))


def highest_first(wines: list[str]) -> list[str]:
    """How a list of cards is written; every value belongs to one variety alone."""
    return sorted(wines, key=value, reverse=True)
