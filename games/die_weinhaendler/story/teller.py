"""A builder of the move list, and the table as a reader of a log can follow it.

A sentence that describes several entries waits until it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.die_weinhaendler.cards import EMPTY_CODE, HAND_SIZE, NUMBERS, STARS, deck, in_order, total
from games.die_weinhaendler.cards import codes as ordered
from games.story import Chapter, Narrative
from games.words import listing


class Story(Narrative):
    """Collects the sentences of a game while ``table`` follows it.

    ``own`` is the seat of the log, and ``ply`` the ply of the current entry. ``layer`` is the seat that is laying, and
    ``has_laid`` whether it has laid a bottle in this turn. ``laid`` contains the words for the bottles laid in this
    sentence, ``earned`` their points, and ``noted`` the remark on the next bottle.
    """

    def __init__(self, names: Sequence[str], own: int | None = None, by_step: bool = False) -> None:
        super().__init__(names, by_step)
        self.table = Following(len(names))
        self.own = own
        self.ply = 0
        self.layer = 0
        self.has_laid = False
        self.laid: list[str] = []
        self.earned = 0
        self.noted = ""
        self._alike: list[int] = []
        self._does: tuple[str, str] = ("", "")
        self._remarks = ""

    def say(self, sentence: str) -> None:
        """Begin a new sentence after the waiting ones."""
        self.settle()
        super().say(sentence)

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter after the waiting sentences."""
        self.settle()
        super().begin(title, ply)

    def say_of(self, seat: int, does: tuple[str, str], remark: str) -> None:
        """Add an action of ``seat``, such as ``("passes", "pass")``. Equal consecutive actions share a sentence."""
        if self.laid or self._does != does:
            self.settle()
        self._does = does
        self._alike.append(seat)
        self._remarks += remark

    def settle(self) -> None:
        """Finish the waiting sentences."""
        alike, laid = self._alike, self.laid
        self._alike, self.laid = [], []
        if alike:
            super().say(f"{self.named(alike)} {self._does[len(alike) > 1]}{self._remarks}")
        if laid:
            points = self.table.points[self.layer]
            total = f" (total: {points})" if points != self.earned else ""
            earned = f"{_points(self.earned)}{total}" if self.earned else "no points"
            super().say(f"{self.names[self.layer]} lays {listing(laid)} for {earned}")
        self._remarks = ""
        self.earned = 0

    def chapters(self) -> list[Chapter]:
        self.settle()
        return super().chapters()


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


Cell = tuple[int, int]


class Following:
    """The table as known at one point of a log.

    ``bids`` are the codes of the bids by seat, ``cellars`` the uncovered bottles of each seat's cellars by cell.
    ``stack`` is the number of cards left in it. ``round`` counts from 1, beginning with the first decision.
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
        """Return the bid of a seat in tenths; 0 without a bid."""
        return total(in_order([NUMBERS[code] for code in self.bids[seat]]))

    def above(self, seat: int) -> list[int]:
        """Return the seats with a higher bid than ``seat``, lowest first."""
        mine = self.total(seat)
        return sorted((other for other in range(self.seats) if self.total(other) > mine), key=self.total)

    def below(self, seat: int) -> list[int]:
        """Return the seats with a lower bid than ``seat``, highest first."""
        mine = self.total(seat)
        return sorted((s for s in range(self.seats) if 0 < self.total(s) < mine), key=self.total, reverse=True)

    def refill(self, cards: Sequence[str]) -> None:
        """Move cards from the stack to the display."""
        self.stack -= len(cards)
        self.display = ordered(in_order([NUMBERS[code] for code in [*self.display, *cards]]))

    def lay(self, seat: int, card: str, cell: Cell) -> bool:
        """Lay a bottle in the open cellar. Return whether it covers an empty one."""
        cellar = self.cellars[seat][-1]
        covers = cell in cellar
        cellar[cell] = card
        return covers

    def begin_round(self, start: int) -> None:
        """Begin the next round without bids."""
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
