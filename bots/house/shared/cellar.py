"""Bottles and their points in a wine cellar. Every house bot for Die Weinhändler gets a copy of this file.

A cell is ``(level, x)``. It rests on ``(level - 1, x)`` and ``(level - 1, x + 1)``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from wire import Document

    Cell = tuple[int, int]
    Cellar = dict[Cell, str]
    """The uppermost bottle of every occupied cell."""

EMPTY = "empty"

SHAPES = (
    ((0, 0), (0, 1), (0, 2)),
    ((0, 0), (1, 0), (2, 0)),
    ((0, 0), (1, -1), (2, -2)),
    ((0, 0), (0, 1), (1, 0)),
    ((0, 1), (1, 0), (1, 1)),
)
"""The cells of a trio: in a row, on either diagonal, in a triangle, in a triangle on its tip."""

PARTNERS = tuple(
    tuple((level - at[0], x - at[1]) for level, x in shape if (level, x) != at) for shape in SHAPES for at in shape
)
"""The relative cells of the two other bottles of a trio: all fifteen possibilities."""


def tenths(card: str) -> int:
    """Return the value of a bottle in a bid, in tenths: 160 for ``B16``, 2 for an empty bottle."""
    return 2 if card == EMPTY else 10 * int(card[1:])


def stars(card: str) -> int:
    """Return the points of a single bottle: values 5-11 have one star, 12-18 two, 19-25 three."""
    return 0 if card == EMPTY else (int(card[1:]) - 5) // 7 + 1


def price(cards: Iterable[str]) -> float:
    """Return the stars of bottles. An empty bottle has a small value, because it changes a bid by 0.2."""
    return sum(stars(card) or 0.3 for card in cards)


def trio(first: str, second: str, third: str) -> int:
    """Return the points of three full bottles: 4 if they are identical, 1 if they are the three kinds of one color."""
    if not first[0] == second[0] == third[0]:
        return 0
    return {1: 4, 2: 0, 3: 1}[len({first, second, third})]


def open_cellar(view: Document, decision: Document) -> Cellar:
    """Return the cellar for the next bottle, which is empty if it is new."""
    if decision["new_cellar"]:
        return {}
    return {(cell["level"], cell["x"]): cell["card"] for cell in view["players"][decision["seat"]]["cellars"][-1]}


def points(cellar: Cellar, card: str, cell: Cell) -> int:
    """Return the points for laying ``card`` in ``cell``: its stars and every trio that it completes."""
    if card == EMPTY:
        return 0
    level, x = cell
    scored = stars(card)
    for (up, right), (up2, right2) in PARTNERS:
        second = cellar.get((level + up, x + right), EMPTY)
        third = cellar.get((level + up2, x + right2), EMPTY)
        if second != EMPTY and third != EMPTY:
            scored += trio(card, second, third)
    return scored
