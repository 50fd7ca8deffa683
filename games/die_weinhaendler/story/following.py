"""The table as a reader of a log can follow it: display, stack, bids, cellars and points."""

from __future__ import annotations

from collections.abc import Sequence

from games.die_weinhaendler.cards import EMPTY_CODE, HAND_SIZE, NUMBERS, STARS, deck, in_order, total
from games.die_weinhaendler.cards import codes as ordered

Cell = tuple[int, int]


class Following:
    """What a reader knows at one point of a log.

    ``bids`` are the codes on the table by seat, ``cellars`` the uncovered bottles of each seat's cellars by cell.
    ``stack`` is the number of cards left in it. ``round`` counts from 1 once somebody has been asked.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.round = 0
        self.start = 0
        self.stack = len(deck(seats)) - HAND_SIZE * seats
        self.display: list[str] = []
        self.bids: list[list[str]] = [[] for _ in range(seats)]
        self.exchanged = False
        self.cellars: list[list[dict[Cell, str]]] = [[] for _ in range(seats)]
        self.points = [0] * seats

    def total(self, seat: int) -> int:
        """The bid of a seat in tenths; 0 without one."""
        return total(in_order([NUMBERS[code] for code in self.bids[seat]]))

    def above(self, seat: int) -> list[int]:
        """The seats with a higher bid than ``seat`` has, the lowest of them first."""
        mine = self.total(seat)
        return sorted((other for other in range(self.seats) if self.total(other) > mine), key=self.total)

    def below(self, seat: int) -> list[int]:
        """The seats with a bid, but a lower one than ``seat`` has, the highest of them first."""
        mine = self.total(seat)
        return sorted((s for s in range(self.seats) if 0 < self.total(s) < mine), key=self.total, reverse=True)

    def refill(self, cards: Sequence[str]) -> None:
        """Cards come from the stack to the display."""
        self.stack -= len(cards)
        self.display = ordered(in_order([NUMBERS[code] for code in [*self.display, *cards]]))

    def lay(self, seat: int, card: str, cell: Cell) -> bool:
        """A bottle is laid in the open cellar; whether it covers an empty one."""
        cellar = self.cellars[seat][-1]
        covers = cell in cellar
        cellar[cell] = card
        return covers

    def begin_round(self, start: int) -> None:
        """Nobody has bid yet in the next round."""
        self.round += 1
        self.start = start
        self.bids = [[] for _ in range(self.seats)]
        self.exchanged = False


def stars(code: str) -> int:
    """The stars of a bottle; an empty one has none."""
    return STARS[NUMBERS[code]]


def is_empty(code: str) -> bool:
    """Whether a code is that of an empty bottle."""
    return code == EMPTY_CODE
