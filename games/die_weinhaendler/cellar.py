"""A cellar: where a bottle can be laid, and its points (rules 4.2).

A cellar is immutable: laying a bottle returns a new cellar. So states can share cellars and their cached results.
"""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler.cards import EMPTY, STARS, VARIETY
from games.die_weinhaendler.grid import CELLS, PARTNERS, TRIOS, Trio
from games.die_weinhaendler.outline import NOTHING, Outline

Cells = tuple[int, ...]
"""Cells in ascending order, or in the order in which they were covered."""

VACANT: Final = -1
SAME_BONUS: Final = 4
"""Points for three identical bottles."""

MIXED_BONUS: Final = 1
"""Points for one, two and three stars of one variety."""

_SUMS: Final = tuple(
    sum(card for card, other in enumerate(VARIETY) if other == variety) for variety in range(max(VARIETY) + 1)
)
"""By variety, the sum of the numbers of its three bottles."""


class Cellar:
    """One cellar of a seat.

    ``cells`` contains the number of the bottle in each cell, or ``VACANT``. ``covered`` are the cells in which a bottle
    covers an empty one.

    ``vacant`` are the cells for any bottle, ``empties`` the uncovered empty bottles, and ``for_full`` both of them: the
    cells for a full bottle. All are ascending. ``full`` is true for fifteen full bottles; the next bottle then begins a
    new cellar.
    """

    __slots__ = ("cells", "covered", "empties", "for_full", "full", "outline", "vacant")

    def __init__(self, cells: list[int], outline: Outline, empties: Cells, covered: Cells) -> None:
        """Take the ``cells`` and their ``outline`` and ``empties``, which must match."""
        self.cells = cells
        self.outline = outline
        self.empties = empties
        self.covered = covered
        self.vacant = outline.vacant
        self.for_full = tuple(sorted(self.vacant + empties)) if empties else self.vacant
        self.full = not self.for_full

    def cells_for(self, card: int) -> tuple[int, ...]:
        """Return the cells in which ``card`` can be laid, ascending; empty for a full cellar."""
        return self.vacant if card == EMPTY else self.for_full

    def allows_some(self, card: int) -> bool:
        """Return whether ``card`` can be laid in any cell."""
        return bool(self.vacant if card == EMPTY else self.for_full)

    def allows(self, card: int, cell: int) -> bool:
        """Return whether ``card`` can be laid in ``cell``."""
        return cell in (self.vacant if card == EMPTY else self.for_full)

    def with_bottle(self, card: int, cell: int) -> Cellar:
        """Return the cellar with ``card`` in ``cell``, which must be allowed."""
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
        """Return the points of ``card`` in ``cell`` for the trios that it completes, without its stars."""
        if card == EMPTY:
            return 0
        cells, variety, points = self.cells, VARIETY[card], 0
        for first_cell, second_cell in PARTNERS[cell]:
            first, second = cells[first_cell], cells[second_cell]
            if first > EMPTY and second > EMPTY and VARIETY[first] == variety:
                points += _trio_points(card, first, second)
        return points

    def bonuses(self, cell: int) -> dict[int, int]:
        """Return the points of each card that completes trios in ``cell``, without its stars."""
        cells = self.cells
        points: dict[int, int] = {}
        for first_cell, second_cell in PARTNERS[cell]:
            first, second = cells[first_cell], cells[second_cell]
            if first > EMPTY and second > EMPTY and VARIETY[first] == VARIETY[second]:
                card = first if first == second else _SUMS[VARIETY[first]] - first - second
                points[card] = points.get(card, 0) + _trio_points(card, first, second)
        return points

    def trios(self, card: int, cell: int) -> list[Trio]:
        """Return the trios that ``card`` completes in ``cell``, ascending."""
        if card == EMPTY:
            return []
        cells = self.cells
        return [
            trio
            for trio, (first_cell, second_cell) in zip(TRIOS[cell], PARTNERS[cell], strict=True)
            if _trio_points(card, cells[first_cell], cells[second_cell])
        ]


def _trio_points(card: int, first: int, second: int) -> int:
    """Return the bonus for three bottles, the first of them full; 0 if they are not a trio."""
    if first <= EMPTY or second <= EMPTY:
        return 0
    if card == first == second:
        return SAME_BONUS
    variety = VARIETY[card]
    if VARIETY[first] != variety or VARIETY[second] != variety:
        return 0
    return MIXED_BONUS if STARS[card] != STARS[first] != STARS[second] != STARS[card] else 0


NEW: Final = Cellar([VACANT] * CELLS, NOTHING, (), ())
"""A cellar without bottles."""
