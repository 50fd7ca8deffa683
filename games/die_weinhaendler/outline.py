"""Which cells of a cellar are taken, whatever lies in them, and so where the next bottle may stand (rules 4.2).

Bottles rest on two others or on a base row of five at most, so there are only 287 outlines. Each is made once, when
this module is loaded, and knows the ones that follow it: nobody searches a cellar for its vacant cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.die_weinhaendler.grid import BASE, BOTTLES, FIRST, WIDTH


class Outline:
    """``taken`` are the cells with bottles, ``bottles`` so many.

    ``vacant`` are the cells where any bottle may go, ascending, and ``then`` what follows.
    """

    __slots__ = ("bottles", "taken", "then", "vacant")

    def __init__(self, taken: frozenset[int]) -> None:
        """``then`` is filled by those who make outlines."""
        self.taken = taken
        self.bottles = len(taken)
        self.vacant = _vacant(taken)
        self.then: dict[int, Outline] = {}

    def __reduce__(self) -> tuple[Callable[[frozenset[int]], Outline], tuple[frozenset[int]]]:
        """For ``copy`` and ``pickle``: the one that is there, not another with all that follow it."""
        return outline_of, (self.taken,)


def _vacant(taken: frozenset[int]) -> tuple[int, ...]:
    """The ends of the base row, and what is above two neighbours. Rows are shorter than lines: none wraps."""
    if len(taken) == BOTTLES:
        return ()
    base = [cell for cell in taken if cell < WIDTH]
    if not base:
        return (FIRST,)
    ends = [min(base) - 1, max(base) + 1] if len(base) < BASE else []
    above = [cell + WIDTH for cell in taken if cell + 1 in taken and cell + WIDTH not in taken]
    return tuple(sorted(ends + above))


def _outlines() -> dict[frozenset[int], Outline]:
    """Every outline there is, by its cells."""
    found = {frozenset[int](): Outline(frozenset())}
    open_ends = list(found)
    while open_ends:
        taken = open_ends.pop()
        for cell in found[taken].vacant:
            more = taken | {cell}
            if more not in found:
                found[more] = Outline(more)
                open_ends.append(more)
            found[taken].then[cell] = found[more]
    return found


def outline_of(taken: frozenset[int]) -> Outline:
    """The outline of the cells that are ``taken``. Raises ``KeyError`` for cells that no cellar can have."""
    return OUTLINES[taken]


OUTLINES: Final = _outlines()
NOTHING: Final = OUTLINES[frozenset()]
"""The outline of a cellar that has not been begun."""
