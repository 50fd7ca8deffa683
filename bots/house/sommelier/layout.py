"""Where to lay bottles: a beam search that continues only with the best cellars."""

from __future__ import annotations

from cellar import EMPTY, points
from worth import CellarWorth, free_cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from cellar import Cell, Cellar

BEAM = 3
"""The number of cellars with which the search continues."""


class CellarPlan:
    """A cellar after some bottles were laid: its points, the remaining hand, and the moves."""

    def __init__(self, cellar: Cellar, hand: list[str], scored: int, way: list[tuple[str, Cell]]) -> None:
        self.cellar = cellar
        self.hand = hand
        self.scored = scored
        self.way = way

    def judged(self, laid: dict[str, int], hope: float) -> float:
        """Return the points so far plus the value of the hand and of bottles to come."""
        worth = CellarWorth(self.cellar, laid, hope)
        return self.scored + worth.of(self.hand) + worth.promise()

    def followers(self) -> Iterator[CellarPlan]:
        """Yield every plan with one more bottle."""
        places = [cell for cell, before in free_cells(self.cellar).items() if before == 0]
        for card in dict.fromkeys(self.hand):
            rest = list(self.hand)
            rest.remove(card)
            for cell in places:
                if card != EMPTY or cell not in self.cellar:
                    yield self.laying(card, cell, rest)

    def laying(self, card: str, cell: Cell, rest: list[str]) -> CellarPlan:
        """Return the plan after ``card`` was laid in ``cell``, which begins a new cellar if this one is full."""
        begins = cell in self.cellar and self.cellar[cell] != EMPTY
        cellar = {} if begins else dict(self.cellar)
        scored = points(cellar, card, cell)
        cellar[cell] = card
        return CellarPlan(cellar, rest, self.scored + scored, [*self.way, (card, cell)])


def lay_out(cellar: Cellar, hand: list[str], count: int, laid: dict[str, int], hope: float) -> list[tuple[str, Cell]]:
    """Return the best sequence found to lay ``count`` bottles, or fewer if no more can be laid."""
    beam = [CellarPlan(cellar, hand, 0, [])]
    for _ in range(count):
        found: dict[frozenset[tuple[Cell, str]], CellarPlan] = {}
        for layout in beam:
            for after in layout.followers():
                key = frozenset(after.cellar.items())
                if key not in found or after.scored > found[key].scored:
                    found[key] = after
        if not found:
            break
        beam = sorted(found.values(), key=lambda layout: -layout.judged(laid, hope))[:BEAM]
    return beam[0].way
