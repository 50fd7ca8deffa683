"""The one axis on which a table draws all its ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.ratings.elo import POINT

_STEPS = (20, 50, 100, 200, 500, 1000, 2000)
_MOST_TICKS = 6


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high`` points, with a tick every ``step``."""

    low: int
    high: int
    step: int

    def position(self, rating: int) -> float:
        """Where a rating of 1/1000 point lies, in per cent from the left."""
        return round(100 * (rating / POINT - self.low) / (self.high - self.low), 2)

    @property
    def ticks(self) -> list[tuple[int, float]]:
        """Points and positions of the ticks, the ends included."""
        return [(points, self.position(points * POINT)) for points in range(self.low, self.high + 1, self.step)]


def axis(ratings: Sequence[int]) -> Axis:
    """The axis that holds ``ratings`` (1/1000 point) with the finest step that needs few ticks."""
    lowest, highest = min(ratings, default=1500 * POINT) // POINT, -(-max(ratings, default=1500 * POINT) // POINT)
    for step in _STEPS:
        low, high = lowest // step * step, -(-highest // step) * step
        if (high - low) // step < _MOST_TICKS:
            break
    return Axis(low, max(high, low + step), step)
