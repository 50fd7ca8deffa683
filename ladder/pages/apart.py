"""Which neighbours in a table cannot be told apart, as lines at its left edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ladder.models import Estimate
from ladder.ratings.draws import Centred

MOST_LANES: Final = 3
"""Lines side by side. Where more are needed the last ones are left out: each row says in words what holds for it."""

Run = tuple[int, int]
"""The places of the first and the last row of a line."""


@dataclass(frozen=True)
class Apart:
    """``runs`` are the longest stretches of rows no two of which can be told apart, from the top."""

    runs: Sequence[Run]
    lanes: Sequence[Sequence[Run]]

    def reach(self, place: int) -> Run:
        """From which row to which a row cannot be told apart from its neighbours; itself alone where it can."""
        its = [run for run in self.runs if run[0] <= place <= run[1]]
        return min([place, *(run[0] for run in its)]), max([place, *(run[1] for run in its)])

    def marks(self, place: int) -> list[str]:
        """What each lane draws beside a row: ``start``, ``middle``, ``end`` or nothing."""
        return [_mark(place, lane) for lane in self.lanes]


def apart(estimates: Sequence[Estimate | None]) -> Apart:
    """The lines beside rows with these estimates, in the table's order; a row without one joins nobody. No queries."""
    rows = [Centred.of(row.rating, row.draws) if row else None for row in estimates]
    runs: list[Run] = []
    start = 0
    for place in range(len(rows) + 1):
        begins = _begins(rows, start, place)
        if begins > start and place - 1 > start:
            runs.append((start, place - 1))
        start = begins
    return Apart(runs, _lanes(runs))


def _begins(rows: Sequence[Centred | None], start: int, place: int) -> int:
    """The first row from ``start`` on such that nobody from there to ``place`` can be told apart from who is there."""
    its = rows[place] if place < len(rows) else None
    if its is None:
        return place + 1
    for other in range(place - 1, start - 1, -1):
        above = rows[other]
        if above is None or its.told_apart_from(above):
            return other + 1
    return start


def _lanes(runs: Sequence[Run]) -> list[list[Run]]:
    lanes: list[list[Run]] = []
    for run in runs:
        free = next((lane for lane in lanes if lane[-1][1] < run[0]), None)
        if free is not None:
            free.append(run)
        elif len(lanes) < MOST_LANES:
            lanes.append([run])
    return lanes


def _mark(place: int, lane: Sequence[Run]) -> str:
    for start, end in lane:
        if start <= place <= end:
            return "start" if place == start else "end" if place == end else "middle"
    return ""
