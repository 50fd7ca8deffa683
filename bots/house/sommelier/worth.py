"""The value of bottles for one seat: their stars, and the trios that they may form in its cellar."""

from __future__ import annotations

from cellar import EMPTY, PARTNERS, stars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from cellar import Cell, Cellar

COLOURS = "YRGOBSP"
BASE = 5
"""The number of cells in the lowest level of a cellar. Every higher level has one less."""
COPIES = 3
"""The number of bottles of each kind."""

READY = 0.9
"""The probability that a cell stays available if another bottle must be laid below it first."""
THIRD, SECOND, FIRST = 0.9, 0.25, 0.1
"""The probability of an identical trio with three, two or one bottles in hand, per way to get the others."""
MIXED = 0.5
"""The value of holding all three kinds of a color."""
SPARE = 0.6
"""The value of an empty bottle: it fills a cell, and it changes a bid by very little."""
COMES = 0.1
"""The probability to get a bottle in time, per copy that is not laid yet."""


def kinds(colour: str) -> list[str]:
    """Return the three bottles of one color, with one, two and three stars."""
    return [f"{colour}{5 + COLOURS.index(colour) + 7 * more}" for more in range(3)]


KINDS = {colour: set(kinds(colour)) for colour in COLOURS}


def free_cells(cellar: Cellar) -> dict[Cell, int]:
    """Return the free cells with the approximate number of bottles to lay before them; 0 means now.

    A full bottle can cover an empty one. A full cellar is followed by a new one.
    """
    row = [x for level, x in cellar if level == 0] or [0]
    left, right = min(row), max(row)
    first, last = right - BASE + 1, left + BASE - 1
    missing = {(0, x): max(left - x, x - right, 0) for x in range(first, last + 1)} if cellar else {(0, 0): 1}
    for level in range(1, BASE if cellar else 1):
        for x in range(first, last + 1 - level):
            below = missing[level - 1, x] + missing[level - 1, x + 1]
            missing[level, x] = 0 if (level, x) in cellar else below + 1
    free = {cell: count - 1 for cell, count in missing.items() if count}
    free.update((cell, 0) for cell, card in cellar.items() if card == EMPTY)
    return free or {(0, 0): 0}


class CellarWorth:
    """The plans of one seat for one cellar.

    ``laid`` counts the bottles in all cellars, which cannot form new trios. ``hope`` weighs trios that still need a
    bottle.
    """

    def __init__(self, cellar: Cellar, laid: dict[str, int], hope: float) -> None:
        self.laid = laid
        self.hope = hope
        self.completes: dict[str, float] = {}
        """The points of the trios that a bottle would complete in its best cell, by bottle."""
        self.joins: dict[str, float] = {}
        """The probability that two more bottles form a trio with a bottle in the cellar, by bottle."""
        self._single: dict[tuple[str, int], float] = {}
        free = free_cells(cellar)
        for cell in free:
            self._look_around(cell, cellar, free)

    def _look_around(self, cell: Cell, cellar: Cellar, free: dict[Cell, int]) -> None:
        """Record the trios to which a bottle in the free ``cell`` would belong."""
        level, x = cell
        bonus: dict[str, int] = {}
        for (up, right), (up2, right2) in PARTNERS:
            place, place2 = (level + up, x + right), (level + up2, x + right2)
            card, card2 = cellar.get(place, EMPTY), cellar.get(place2, EMPTY)
            if card == EMPTY:
                card, card2, place2 = card2, card, place
            if card2 == EMPTY:
                if card != EMPTY and place2 in free:
                    self.joins[card] = max(self.joins.get(card, 0.0), READY ** (free[cell] + free[place2]))
            elif card == card2:
                bonus[card] = bonus.get(card, 0) + 4
            elif card[0] == card2[0]:
                third = (KINDS[card[0]] - {card, card2}).pop()
                bonus[third] = bonus.get(third, 0) + 1
        for card, more in bonus.items():
            self.completes[card] = max(self.completes.get(card, 0.0), more * READY ** free[cell])

    def promise(self) -> float:
        """Return the value of the cellar for bottles to come."""
        coming = ((COPIES - self.laid.get(card, 0)) * more for card, more in self.completes.items())
        return self.hope * COMES * sum(coming)

    def of(self, hand: Sequence[str]) -> float:
        """Return the total value of the bottles in a hand."""
        worth = SPARE * hand.count(EMPTY)
        colours: dict[str, int] = {}
        for card in dict.fromkeys(hand):  # in a fixed order: sums of floats depend on it
            if card != EMPTY:
                worth += self.alike(card, hand.count(card))
                colours[card[0]] = colours.get(card[0], 0) + 1
        return worth + MIXED * sum(1.0 if count == 3 else 0.25 if count == 2 else 0.0 for count in colours.values())

    def alike(self, card: str, count: int) -> float:
        """Return the value of ``count`` bottles of one kind."""
        known = self._single.get((card, count))
        if known is None:
            chance = THIRD if count >= 3 else self.chance(card, count)
            known = self._single[card, count] = count * stars(card) + max(self.completes.get(card, 0.0), 4 * chance)
        return known

    def chance(self, card: str, count: int) -> float:
        """Return the probability that one or two bottles of a kind become an identical trio."""
        left = COPIES - self.laid.get(card, 0) - count
        joins = self.joins.get(card, 0.0)
        if count == 2:
            return max(THIRD * joins, self.hope * SECOND * left)
        return self.hope * max(SECOND * left * joins, FIRST * left * (left - 1) / 2)
