"""The occupied cells of a cellar, whatever they contain, and the cells for the next bottle (rules 4.2).

A bottle rests on two others or is in the base row of up to five, so there are only 287 outlines. All are created when
this module is loaded. Each contains its successors, so the vacant cells of a cellar need no search.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.die_weinhaendler.grid import BASE, BOTTLES, FIRST, WIDTH


class Outline:
    """A set of occupied cells: ``taken`` are these cells, ``bottles`` is their number.

    ``vacant`` are the cells for any bottle, ascending. ``then`` contains the next outline by cell.
    """

    __slots__ = ("bottles", "taken", "then", "vacant")

    def __init__(self, taken: frozenset[int]) -> None:
        """Leave ``then`` empty. ``_outlines`` fills it."""
        self.taken = taken
        self.bottles = len(taken)
        self.vacant = _vacant(taken)
        self.then: dict[int, Outline] = {}

    def __reduce__(self) -> tuple[Callable[[frozenset[int]], Outline], tuple[frozenset[int]]]:
        """Support ``copy`` and ``pickle``: return the existing object instead of a copy with all its successors."""
        return outline_of, (self.taken,)


def _vacant(taken: frozenset[int]) -> tuple[int, ...]:
    """Return the ends of the base row and the cells above two adjacent bottles.

    Rows are shorter than ``WIDTH``, so adjacent numbers are always in the same row.
    """
    if len(taken) == BOTTLES:
        return ()
    base = [cell for cell in taken if cell < WIDTH]
    if not base:
        return (FIRST,)
    ends = [min(base) - 1, max(base) + 1] if len(base) < BASE else []
    above = [cell + WIDTH for cell in taken if cell + 1 in taken and cell + WIDTH not in taken]
    return tuple(sorted(ends + above))


def _outlines() -> dict[frozenset[int], Outline]:
    """Return all outlines by their cells."""
    outlines = {frozenset[int](): Outline(frozenset())}
    open_ends = list(outlines)
    while open_ends:
        taken = open_ends.pop()
        for cell in outlines[taken].vacant:
            more = taken | {cell}
            if more not in outlines:
                outlines[more] = Outline(more)
                open_ends.append(more)
            outlines[taken].then[cell] = outlines[more]
    return outlines


def outline_of(taken: frozenset[int]) -> Outline:
    """Return the outline of the cells ``taken``. Raises ``KeyError`` for cells that no cellar can have."""
    return OUTLINES[taken]


OUTLINES: Final = _outlines()
NOTHING: Final = OUTLINES[frozenset()]
"""The outline of a cellar without bottles."""
