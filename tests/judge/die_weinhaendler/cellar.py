"""One pyramid of bottles: where a card may lie and what it scores there (`rules.md` 4.2, W-2 to W-7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from .cards import BASE_ROW, CELLAR_SIZE, DIFFERENT_BONUS, EMPTY, IDENTICAL_BONUS, stars

Cell = tuple[int, int]
"""A level from 0, and an x; `(l, x)` rests on `(l - 1, x)` and `(l - 1, x + 1)`."""

SHAPES: list[list[Cell]] = [
    [(0, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (2, 0)],
    [(0, 0), (1, -1), (2, -2)],
    [(0, 0), (0, 1), (1, 0)],
    [(1, 0), (1, 1), (0, 1)],
]
"""What a trio looks like: a line, the two diagonals, the triangle and the one upside down."""


@dataclass
class Cellar:
    """The cards that can be seen, by cell, and the empty bottles under some of them."""

    bottles: dict[Cell, str] = field(default_factory=dict)
    covered: dict[Cell, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """15 full bottles: the next card opens another cellar."""
        return len(self.bottles) == CELLAR_SIZE and EMPTY not in self.bottles.values()

    def vacant(self) -> list[Cell]:
        """The cells without a bottle in which any card may be laid."""
        return sorted([*self._base(), *self._above()])

    def uncovered(self) -> list[Cell]:
        """The cells with an empty bottle that a full one may cover."""
        return sorted(cell for cell, card in self.bottles.items() if card == EMPTY)

    def cells(self, card: str) -> list[Cell]:
        """Where this card may be laid, by level, then x."""
        return sorted(self.vacant() + (self.uncovered() if card != EMPTY else []))

    def lay(self, card: str, cell: Cell) -> tuple[int, list[list[Cell]]]:
        """Lays a card; returns its points and the trios that it completes."""
        assert cell in self.cells(card)
        if cell in self.bottles:
            self.covered[cell] = self.bottles[cell]
        self.bottles[cell] = card
        trios = {trio: self._bonus(trio) for trio in trios_with(cell)}
        scoring = sorted(trio for trio, bonus in trios.items() if bonus)
        return stars(card) + sum(trios.values()), [list(trio) for trio in scoring]

    def _base(self) -> list[Cell]:
        row = sorted(x for level, x in self.bottles if level == 0)
        if not row:
            return [(0, 0)]
        return [(0, row[0] - 1), (0, row[-1] + 1)] if len(row) < BASE_ROW else []

    def _above(self) -> list[Cell]:
        resting = [(level + 1, x) for level, x in self.bottles if (level, x + 1) in self.bottles]
        return [cell for cell in resting if cell not in self.bottles]

    def _bonus(self, trio: tuple[Cell, ...]) -> int:
        wines = [self.bottles.get(cell, EMPTY) for cell in trio]
        if EMPTY in wines or len({wine[0] for wine in wines}) > 1:
            return 0
        if len(set(wines)) == 1:
            return IDENTICAL_BONUS
        return DIFFERENT_BONUS if sorted(map(stars, wines)) == [1, 2, 3] else 0


def trios_with(cell: Cell) -> list[tuple[Cell, ...]]:
    """Every place of a trio that has this cell in it, its cells by level, then x."""
    level, x = cell
    return [
        tuple(sorted((level - own_level + up, x - own_x + right) for up, right in shape))
        for shape in SHAPES
        for own_level, own_x in shape
    ]
