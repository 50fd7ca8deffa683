"""The geometry of a cellar: cells as integers, what supports them, and which three form a trio (rules 4.2).

The cell (level, x) is the number level · 9 + x + 4, so that numbers ascend by level, then x. The base row contains up
to five bottles, the first one at x = 0. So x is always from −4 to 4.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from games.die_weinhaendler.rulings import INVERTED_TRIANGLES

BASE: Final = 5
"""The number of bottles in a full base row, and of levels in a full cellar."""

BOTTLES: Final = BASE * (BASE + 1) // 2
"""The number of cells in a full cellar."""

REACH: Final = BASE - 1
WIDTH: Final = 2 * REACH + 1
CELLS: Final = WIDTH * BASE
FIRST: Final = REACH
"""The cell (0, 0)."""

Trio = tuple[int, int, int]


def cell_of(level: int, x: int) -> int:
    """Return the number of a cell, or −1 if no cellar can contain it."""
    return level * WIDTH + x + REACH if 0 <= level < BASE and -REACH <= x <= REACH - level else -1


def place_of(cell: int) -> list[int]:
    """Return a cell as ``[level, x]``."""
    return [_LEVELS[cell], _XS[cell]]


_LEVELS: Final = tuple(cell // WIDTH for cell in range(CELLS))
_XS: Final = tuple(cell % WIDTH - REACH for cell in range(CELLS))


def _trios() -> list[Trio]:
    """Return all groups of three cells that can form a trio, each ascending: lines, both diagonals, triangles."""
    shapes = [((0, 0), (0, 1), (0, 2)), ((0, 0), (1, 0), (2, 0)), ((0, 0), (1, -1), (2, -2)), ((0, 0), (0, 1), (1, 0))]
    if INVERTED_TRIANGLES:
        shapes.append(((1, 0), (1, 1), (0, 1)))
    trios = []
    for level in range(BASE):
        for x in range(-WIDTH, WIDTH):
            for shape in shapes:
                first, second, third = sorted(cell_of(level + up, x + right) for up, right in shape)
                if first >= 0:
                    trios.append((first, second, third))
    return sorted(trios)


_ALL_TRIOS: Final = _trios()

TRIOS: Final[tuple[tuple[Trio, ...], ...]] = tuple(
    tuple(trio for trio in _ALL_TRIOS if cell in trio) for cell in range(CELLS)
)
"""The trios of each cell, ascending."""

PARTNERS: Final[tuple[tuple[tuple[int, int], ...], ...]] = tuple(
    tuple(pair for trio in trios for pair in combinations(trio, 2) if cell not in pair)
    for cell, trios in enumerate(TRIOS)
)
"""The two other cells of each trio of a cell, in the order of ``TRIOS``."""
