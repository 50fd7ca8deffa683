"""The log-likelihood ratio of a comparison as a line between its two bounds, in per cent of a box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.ratings.sprt import Hypotheses

_ABOVE = 1.25
"""The box reaches so much further than the bounds, so that a last step over one of them is seen."""


@dataclass(frozen=True)
class Chart:
    """``path`` is drawn in a box of 100 by 100; ``upper``, ``zero`` and ``lower`` are heights in it, from the top.

    ``ticks`` are numbers of blocks with where they lie, in per cent from the left.
    """

    path: str
    upper: float
    zero: float
    lower: float
    last: tuple[float, float]
    ticks: Sequence[tuple[int, float]]


def chart(ratios: Sequence[float], hypotheses: Hypotheses, most: int) -> Chart:
    """The chart of a walk of at most ``most`` blocks; it begins at 0 before the first."""
    blocks = max(10, min(most, 2 * len(ratios)))
    top, bottom = _ABOVE * hypotheses.upper, _ABOVE * hypotheses.lower

    def height(ratio: float) -> float:
        return round(100 * (top - min(top, max(bottom, ratio))) / (top - bottom), 2)

    points = [(round(100 * number / blocks, 2), height(ratio)) for number, ratio in enumerate([0.0, *ratios])]
    return Chart(
        path="M" + "L".join(f"{x} {y}" for x, y in points),
        upper=height(hypotheses.upper),
        zero=height(0.0),
        lower=height(hypotheses.lower),
        last=points[-1],
        ticks=[(number, round(100 * number / blocks, 2)) for number in _ticks(blocks)],
    )


def _ticks(blocks: int) -> list[int]:
    step = next(step for step in (5, 10, 25, 50, 100, 250, 1000) if blocks / step <= 5 or step == 1000)
    return list(range(step, blocks + 1, step))
