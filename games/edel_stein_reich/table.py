"""The table of a game: who holds what, where the cards lie, and what has happened so far."""

from __future__ import annotations

from games.base import Game
from games.chance import Chance
from games.edel_stein_reich.cards import COLOURS, EVENT_CARDS, EVENT_ORDER, GEMS_AT_START, GEMS_PER_COLOUR, TABLES
from games.stepped import NOBODY, SteppedState

SUPPLY = -1
"""The supply as giver or receiver of gems."""

Gems = list[int]


class Table(SteppedState):
    """Holdings and piles."""

    __slots__ = (
        "actions",
        "age",
        "age_order",
        "cards",
        "display",
        "event_discards",
        "event_pile",
        "gems",
        "money",
        "rounds",
        "supply",
    )

    def __init__(self, game: Game, seats: int, chance: Chance, journal: bool = False) -> None:
        super().__init__(game, seats, chance, journal)
        layout = TABLES[seats]
        self.rounds = layout.rounds
        self.actions = layout.actions
        self.gems: list[Gems] = [[GEMS_AT_START] * 4 for _ in range(seats)]
        self.supply: Gems = [GEMS_PER_COLOUR - seats * GEMS_AT_START] * 4
        self.money = [0] * seats
        self.cards: list[list[str]] = [[] for _ in range(seats)]
        self.display: str | None = None
        self.event_discards: list[str] = []
        self.event_pile: list[str] = []
        self.age_order: list[int] = []
        self.age: list[int] = []

    def draw_age_order(self) -> None:
        """Settle who is younger than whom, and tell everybody."""
        self.age_order = self.chance.shuffle("age_order", list(range(self.seats)))
        self.age = [self.age_order.index(seat) for seat in range(self.seats)]
        self.note_step(NOBODY, "age_order", self.age_order, None)

    def shuffle_events(self, cards: list[str]) -> None:
        """Make a new face-down event pile of ``cards``."""
        deck = self.chance.shuffle("event_deck", cards)
        self.note_chance("event_deck", deck)
        self.event_pile = deck[::-1]

    def transfer(self, giver: int, receiver: int, gems: Gems, why: str) -> None:
        """Move gems between two seats, or a seat and the ``SUPPLY``."""
        source = self.supply if giver < 0 else self.gems[giver]
        target = self.supply if receiver < 0 else self.gems[receiver]
        for colour in range(4):
            source[colour] -= gems[colour]
            target[colour] += gems[colour]
        if self.journal is not None and any(gems):
            self.note_event(
                {
                    "type": "gems_moved",
                    "from": "supply" if giver < 0 else giver,
                    "to": "supply" if receiver < 0 else receiver,
                    "gems": gems,
                    "why": why,
                }
            )

    def take(self, seat: int, wanted: list[int], why: str) -> None:
        """Give ``seat`` the gems it wants, colour by colour as far as the supply goes."""
        self.transfer(SUPPLY, seat, [min(want, have) for want, have in zip(wanted, self.supply, strict=True)], why)

    def pay(self, seat: int, amount: int) -> None:
        """The money action: ``amount`` millions from the bank."""
        self.money[seat] += amount
        if self.journal is not None:
            self.note_event({"type": "money", "seat": seat, "amount": amount})

    def draw_event(self) -> str:
        """The next event card; the discards become a new pile first if the old one is used up."""
        if not self.event_pile:
            cards = sorted(self.event_discards, key=EVENT_ORDER.__getitem__)
            self.event_discards = []
            self.shuffle_events(cards)
            if self.journal is not None:
                self.note_event({"type": "reshuffle", "count": len(cards)})
        return self.event_pile.pop()

    def turn_up_event(self) -> None:
        """Lay the next event card face up."""
        self.display = self.draw_event()
        if self.journal is not None:
            self.note_event({"type": "event_up", "card": self.display})

    def discard_event(self, seat: int | None, card: str) -> None:
        """Put an event card under the pile, face up; ``None`` is a card nobody claimed."""
        self.event_discards.append(card)
        if self.journal is not None:
            self.note_event({"type": "discarded", "seat": seat, "card": card})

    def discard_display(self) -> None:
        """Put the unclaimed card on display under the pile, if there is one."""
        if self.display is not None:
            self.discard_event(None, self.display)
            self.display = None

    def precedence(self, seat: int) -> tuple[int, ...]:
        """Who opens a barter or chooses first: fewest red, yellow, green, blue, least money, youngest; the least."""
        return (*self.gems[seat], self.money[seat], self.age[seat])

    def copy_to(self, twin: SteppedState) -> None:
        assert isinstance(twin, Table)
        super().copy_to(twin)
        twin.rounds = self.rounds
        twin.actions = self.actions
        twin.gems = [gems[:] for gems in self.gems]
        twin.supply = self.supply[:]
        twin.money = self.money[:]
        twin.cards = [cards[:] for cards in self.cards]
        twin.display = self.display
        twin.event_discards = self.event_discards[:]
        twin.event_pile = self.event_pile[:]
        twin.age_order = self.age_order
        twin.age = self.age


def vector(colours: str) -> Gems:
    """``"RRB"`` as ``[2, 0, 0, 1]``."""
    return [colours.count(colour) for colour in COLOURS]


ALL_EVENTS = list(EVENT_CARDS)
