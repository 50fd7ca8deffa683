"""What lies on the table of Die Weinhändler, and in whose hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.judge import table

from .cards import total
from .cellar import Cellar


@dataclass
class Merchant:
    """One seat: its hand, what everybody knows of it, its bid, its cellars and its points."""

    hand: list[str] = field(default_factory=list)
    known: Counter[str] = field(default_factory=Counter)
    bid: list[str] = field(default_factory=list)
    passed: bool = False
    done: bool = False
    points: int = 0
    cellars: list[Cellar] = field(default_factory=list)

    @property
    def total(self) -> int | None:
        """The value of the bid in tenths, None without one."""
        return total(self.bid) if self.bid else None

    @property
    def open_cellar(self) -> Cellar | None:
        """The cellar in which the next card is laid, None when that card begins another."""
        return self.cellars[-1] if self.cellars and not self.cellars[-1].complete else None

    def gain(self, wines: list[str]) -> None:
        """Takes cards that everybody has seen into the hand."""
        self.hand += wines
        self.known.update(wines)

    def part_with(self, wine: str) -> None:
        """A card leaves the hand, and everybody sees which."""
        self.hand.remove(wine)
        if self.known[wine]:
            self.known[wine] -= 1


@dataclass(kw_only=True)
class Table(table.Table):
    """The whole state of a game; the stack's first card is the next to be drawn, its last `shown` have been seen."""

    merchants: list[Merchant]
    stage: str | None = "bid"
    round: int = 1
    start: int = 0
    last_round: bool = False
    idle_rounds: int = 0
    display: list[str] = field(default_factory=list)
    stack: list[str] = field(default_factory=list)
    shown: int = 0

    @classmethod
    def laid(cls, seats: int, seed: bytes) -> Table:
        """The table before the first chance step."""
        return cls(seats=seats, seed=seed, merchants=[Merchant() for _ in range(seats)])

    def clockwise(self, first: int) -> list[int]:
        """All seats, from `first` on."""
        return [(first + offset) % self.seats for offset in range(self.seats)]

    def draw(self, count: int) -> list[str]:
        """So many cards from the top of the stack, or what it has."""
        drawn, self.stack = self.stack[:count], self.stack[count:]
        self.shown = min(self.shown, len(self.stack))
        return drawn

    def put_under(self, wine: str) -> None:
        """A card that everybody has seen goes to the bottom of the stack (W-23)."""
        self.stack.append(wine)
        self.shown += 1
