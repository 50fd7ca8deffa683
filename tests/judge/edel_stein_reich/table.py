"""What lies on the table of Edel, Stein & Reich."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.judge import table

from . import cards


@dataclass
class Barter:
    action: str
    opener: int
    other: int
    declined: list[int] = field(default_factory=list)
    offers: list[dict[str, Any]] = field(default_factory=list)


@dataclass(kw_only=True)
class Table(table.Table):
    """The whole state of a game. Gems are `[R, Y, G, B]`, money in millions."""

    supply: list[int]
    gems: list[list[int]]
    money: list[int]
    held: list[list[str]]
    age_order: list[int] = field(default_factory=list)
    phase: int = 1
    round: int = 1
    gem_stack: list[str] = field(default_factory=list)
    gem_discards: list[str] = field(default_factory=list)
    gem_cards: list[str | None] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    event_stack: list[str] = field(default_factory=list)
    event_discards: list[str] = field(default_factory=list)
    display: str | None = None
    actions: list[str | None] = field(default_factory=list)
    public: bool = False
    resolving: str | None = None
    barter: Barter | None = None
    picks: dict[str, Any] | None = None
    immediate: dict[str, Any] | None = None
    active: int | None = None
    guesses: list[str] = field(default_factory=list)

    @classmethod
    def laid(cls, seats: int, seed: bytes) -> Table:
        """The table before the first chance step (`rules.md` 2.1)."""
        return cls(
            seats=seats,
            seed=seed,
            supply=[cards.SUPPLY_AT_START[seats]] * 4,
            gems=[[3, 3, 3, 3] for _ in range(seats)],
            money=[0] * seats,
            held=[[] for _ in range(seats)],
            gem_cards=[None] * seats,
            actions=[None] * seats,
        )

    @property
    def duel(self) -> bool:
        return self.seats == 2

    @property
    def rounds(self) -> int:
        return cards.ROUNDS[self.seats]

    def others(self, seat: int) -> list[int]:
        return [other for other in range(self.seats) if other != seat]

    def move_gems(self, giver: int | str, receiver: int | str, gems: list[int], why: str) -> None:
        """Gems change hands and everybody is told; a giver or receiver is a seat or "supply"."""
        for colour in range(4):
            self._pile(giver)[colour] -= gems[colour]
            self._pile(receiver)[colour] += gems[colour]
            assert self._pile(giver)[colour] >= 0, "gems came from nowhere"
        if any(gems):
            keys = {"from": giver, "to": receiver, "gems": list(gems), "why": why}
            self.tell("gems_moved", **keys)

    def _pile(self, whose: int | str) -> list[int]:
        return self.supply if whose == "supply" else self.gems[int(whose)]

    def poorest_first(self, seats: list[int]) -> list[int]:
        """Openers and Free Choice: fewest R, then Y, G, B, then least money, then youngest (`rules.md` 2.5, 2.7)."""
        return sorted(seats, key=lambda seat: (self.gems[seat], self.money[seat], self.age_order.index(seat)))


def one_gem(colour: str) -> list[int]:
    """The gem vector of a single gem."""
    return [int(c == colour) for c in cards.COLOURS]


def colours_of(gems: list[int]) -> list[str]:
    """The colours of which there is at least one gem."""
    return [colour for colour, count in zip(cards.COLOURS, gems, strict=True) if count]
