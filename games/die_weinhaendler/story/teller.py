"""A story in the making, and the table as a reader of a log can follow it.

A sentence that several entries make waits until it is complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.die_weinhaendler.cards import EMPTY_CODE, HAND_SIZE, NUMBERS, STARS, deck, in_order, total
from games.die_weinhaendler.cards import codes as ordered
from games.story import Chapter, Narrative
from games.words import listing


class Story(Narrative):
    """Collects the sentences of a game while ``table`` follows it.

    ``own`` is the seat whose log is told, ``ply`` that of the entry that is being told. ``layer`` is the seat that is
    laying, and ``has_laid`` whether it has laid something in this turn; ``laid`` are the words for what it has laid in
    this sentence, ``earned`` its points for them, and ``noted`` the remark on the bottle that comes next.
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
        """Begin a new sentence, after those that were waiting."""
        self.settle()
        super().say(sentence)

    def begin(self, title: str, ply: int) -> None:
        """Begin a chapter, after the sentences that were waiting."""
        self.settle()
        super().begin(title, ply)

    def say_of(self, seat: int, does: tuple[str, str], remark: str) -> None:
        """``seat`` does as others may have just done: ``("passes", "pass")``; they share a sentence."""
        if self.laid or self._does != does:
            self.settle()
        self._does = does
        self._alike.append(seat)
        self._remarks += remark

    def settle(self) -> None:
        """Finish the sentences that were waiting."""
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
