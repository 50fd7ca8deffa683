"""One cellar: where a bottle may be laid, and what it earns there (rules 4.2).

A cellar never changes; laying a bottle gives a new one. So states can share them, and what was worked out about
one stays worked out.
"""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.cards import EMPTY, STARS, VARIETY
from games.die_weinhaendler.grid import BASE, BOTTLES, CELLS, FIRST, PARTNERS, TRIOS, WIDTH, Trio

VACANT: Final = -1
SAME_BONUS: Final = 4
"""Points for three identical bottles."""

MIXED_BONUS: Final = 1
"""Points for one, two and three stars of one variety."""


class Cellar:
    """``cells`` has a bottle's number a cell, or ``VACANT``; ``covered`` the cells in which one lies on an empty.

    ``vacant`` are the cells where any bottle may go, ``empties`` the uncovered empty bottles, and ``for_full`` both of
    them, where a full bottle may go; each ascending. ``full`` says whether it holds fifteen full bottles, so that the
    next one begins a new cellar.
    """

    __slots__ = ("bottles", "cells", "covered", "empties", "for_full", "full", "left", "right", "vacant")

    def __init__(self, cells: list[int], covered: tuple[int, ...], left: int, right: int) -> None:
        """``left`` and ``right`` are the ends of the base row; ``left`` is greater while it is empty."""
        self.cells = cells
        self.covered = covered
        self.left = left
        self.right = right
        taken = [cell for cell in range(left, CELLS) if cells[cell] != VACANT]
        self.bottles = len(taken)
        self.empties = tuple([cell for cell in taken if cells[cell] == EMPTY]) if EMPTY in cells else ()
        self.vacant = () if self.bottles == BOTTLES else tuple(self._base() + self._supported(taken))
        self.for_full = tuple(sorted(self.vacant + self.empties)) if self.empties else self.vacant
        self.full = not self.for_full

    def _base(self) -> list[int]:
        if self.left > self.right:
            return [FIRST]
        return [self.left - 1, self.right + 1] if self.right - self.left < BASE - 1 else []

    def _supported(self, taken: list[int]) -> list[int]:
        """The vacant cells above two neighbours. Rows are shorter than their lines in ``cells``, so none wraps."""
        cells = self.cells
        return [
            cell + WIDTH
            for cell in taken
            if cell + WIDTH < CELLS and cells[cell + 1] != VACANT and cells[cell + WIDTH] == VACANT
        ]

    def cells_for(self, card: int) -> tuple[int, ...]:
        """The cells where ``card`` may be laid, ascending; none of a full cellar."""
        return self.vacant if card == EMPTY else self.for_full

    def allows(self, card: int, cell: int) -> bool:
        """Whether ``card`` may be laid in ``cell``."""
        return cell in (self.vacant if card == EMPTY else self.for_full)

    def with_bottle(self, card: int, cell: int) -> Cellar:
        """The cellar once ``card`` lies in ``cell``, where it may be laid."""
        cells = self.cells[:]
        covered = (*self.covered, cell) if cells[cell] == EMPTY else self.covered
        cells[cell] = card
        left, right = self.left, self.right
        if cell < WIDTH:
            left, right = min(left, cell), max(right, cell)
        return Cellar(cells, covered, left, right)

    def bonus(self, card: int, cell: int) -> int:
        """What ``card`` earns in ``cell`` beyond its stars: the trios it completes there."""
        if card == EMPTY:
            return 0
        cells, points = self.cells, 0
        for one, two in PARTNERS[cell]:
            if cells[one] > EMPTY and cells[two] > EMPTY:
                points += _trio_points(card, cells[one], cells[two])
        return points

    def trios(self, card: int, cell: int) -> list[Trio]:
        """The trios that ``card`` completes in ``cell``, ascending."""
        if card == EMPTY:
            return []
        cells = self.cells
        return [
            trio
            for trio, (one, two) in zip(TRIOS[cell], PARTNERS[cell], strict=True)
            if _trio_points(card, cells[one], cells[two])
        ]


def _trio_points(card: int, one: int, two: int) -> int:
    """The bonus for three bottles, of which the first is a full one; 0 if they are no trio."""
    if one <= EMPTY or two <= EMPTY:
        return 0
    if card == one == two:
        return SAME_BONUS
    variety = VARIETY[card]
    if VARIETY[one] != variety or VARIETY[two] != variety:
        return 0
    return MIXED_BONUS if STARS[card] != STARS[one] != STARS[two] != STARS[card] else 0


NEW: Final = Cellar([VACANT] * CELLS, (), FIRST + 1, FIRST)
"""A cellar that has not been begun."""
