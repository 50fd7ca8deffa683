"""One cellar: where a bottle may be laid, and what it earns there (rules 4.2).

A cellar never changes; laying a bottle gives a new one. So states can share them, and what was worked out about
one stays worked out.
"""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.cards import EMPTY, STARS, VARIETY
from games.die_weinhaendler.grid import CELLS, PARTNERS, TRIOS, Trio
from games.die_weinhaendler.outline import NOTHING, Outline

Cells = tuple[int, ...]
"""Cells in ascending order, or in that in which they were covered."""

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

    __slots__ = ("cells", "covered", "empties", "for_full", "full", "outline", "vacant")

    def __init__(self, cells: list[int], outline: Outline, empties: Cells, covered: Cells) -> None:
        """``outline`` and ``empties`` must be those of ``cells``."""
        self.cells = cells
        self.outline = outline
        self.empties = empties
        self.covered = covered
        self.vacant = outline.vacant
        self.for_full = tuple(sorted(self.vacant + empties)) if empties else self.vacant
        self.full = not self.for_full

    def __reduce__(self) -> tuple[type[Cellar], tuple[list[int], Outline, Cells, Cells]]:
        """For ``copy`` and ``pickle``, which could not make an object of a compiled class without its arguments."""
        return Cellar, (self.cells, self.outline, self.empties, self.covered)

    def cells_for(self, card: int) -> tuple[int, ...]:
        """The cells where ``card`` may be laid, ascending; none of a full cellar."""
        return self.vacant if card == EMPTY else self.for_full

    def allows_some(self, card: int) -> bool:
        """Whether ``card`` may be laid anywhere."""
        return bool(self.vacant if card == EMPTY else self.for_full)

    def allows(self, card: int, cell: int) -> bool:
        """Whether ``card`` may be laid in ``cell``."""
        return cell in (self.vacant if card == EMPTY else self.for_full)

    def with_bottle(self, card: int, cell: int) -> Cellar:
        """The cellar once ``card`` lies in ``cell``, where it may be laid."""
        cells = self.cells[:]
        outline, empties, covered = self.outline, self.empties, self.covered
        if cells[cell] == EMPTY:
            empties = tuple([other for other in empties if other != cell])
            covered = (*covered, cell)
        else:
            outline = outline.then[cell]
            if card == EMPTY:
                empties = tuple(sorted((*empties, cell)))
        cells[cell] = card
        return Cellar(cells, outline, empties, covered)

    def bonus(self, card: int, cell: int) -> int:
        """What ``card`` earns in ``cell`` beyond its stars: the trios it completes there."""
        if card == EMPTY:
            return 0
        cells, variety, points = self.cells, VARIETY[card], 0
        for one, two in PARTNERS[cell]:
            first, second = cells[one], cells[two]
            if first > EMPTY and second > EMPTY and VARIETY[first] == variety:
                points += _trio_points(card, first, second)
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


NEW: Final = Cellar([VACANT] * CELLS, NOTHING, (), ())
"""A cellar that has not been begun."""
