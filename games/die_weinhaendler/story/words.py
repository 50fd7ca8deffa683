"""Names of bottles and money for all texts of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.die_weinhaendler.cards import CODES, EMPTY_CODE
from games.words import listing, number

VARIETIES: Final = {
    "Y": "yellow",
    "R": "red",
    "G": "green",
    "O": "orange",
    "B": "blue",
    "S": "gray",
    "P": "purple",
}
"""The color of each variety by its code."""

BOTTLES: Final = {code: "empty bottle" if code == EMPTY_CODE else f"{VARIETIES[code[0]]} {code[1:]}" for code in CODES}
"""Names of the bottles by code."""


def euros(tenths: int) -> str:
    """Return tenths as an amount: ``19.20`` for 192, and ``41`` for 410."""
    return f"{tenths // 10}.{tenths % 10}0" if tenths % 10 else str(tenths // 10)


def that_bottle(code: str) -> str:
    """Return the name of one of several bottles that were just named: ``blue 16`` or ``the empty bottle``."""
    return f"the {BOTTLES[code]}" if code == EMPTY_CODE else BOTTLES[code]


def bottles(codes: Sequence[str]) -> str:
    """Return bottles in words: ``gray 24, two blue 16 and an empty bottle``."""
    return listing([_several(code, codes.count(code)) for code in dict.fromkeys(codes)])


def _several(code: str, count: int) -> str:
    name = BOTTLES[code]
    if count == 1:
        return f"an {name}" if code == EMPTY_CODE else name
    return f"{number(count)} {name}s" if code == EMPTY_CODE else f"{number(count)} {name}"
