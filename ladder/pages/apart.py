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
    end = -1
    for start in range(len(rows)):
        end = max(end, start)
        while end + 1 < len(rows) and _level(rows, start, end + 1):
            end += 1
        if end > start and (not runs or end > runs[-1][1]):
            runs.append((start, end))
    return Apart(runs, _lanes(runs))


def _level(rows: Sequence[Centred | None], start: int, place: int) -> bool:
    """Whether a row can be told apart from none of those from ``start`` to the one before it."""
    its = rows[place]
    return its is not None and all(
        other is not None and not its.told_apart_from(other) for other in reversed(rows[start:place])
    )


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
