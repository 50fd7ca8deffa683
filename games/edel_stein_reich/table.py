"""The table of a game: who holds what, and where the cards lie.

Gems and piles of cards are tuples, which are replaced and never changed, so that copies of a state share them.
"""

from __future__ import annotations

from games.chance import Chance
from games.edel_stein_reich.cards import (
    EVENT_CARDS,
    EVENT_ORDER,
    GEMS_AT_START,
    GEMS_PER_COLOUR,
    NO_GEMS,
    TABLES,
    Gems,
)
from games.rules import Rules
from games.stepped import NOBODY, SteppedState

SUPPLY = -1
"""The supply as giver or receiver of gems."""


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

    def __init__(self, rules: Rules, seats: int, chance: Chance, journal: bool = False) -> None:
        super().__init__(rules, seats, chance, journal)
        layout = TABLES[seats]
        in_supply = GEMS_PER_COLOUR - seats * GEMS_AT_START
        self.rounds = layout.rounds
        self.actions = layout.actions
        at_start = (GEMS_AT_START, GEMS_AT_START, GEMS_AT_START, GEMS_AT_START)
        self.gems: list[Gems] = [at_start for _ in range(seats)]
        self.supply: Gems = (in_supply, in_supply, in_supply, in_supply)
        self.money: list[int] = [0] * seats
        self.cards: list[tuple[str, ...]] = [()] * seats
        self.display: str | None = None
        self.event_discards: tuple[str, ...] = ()
        self.event_pile: tuple[str, ...] = ()
        self.age_order: list[int] = []
        self.age: list[int] = []

    def draw_age_order(self) -> None:
        """Settle who is younger than whom, and tell everybody."""
        self.age_order = self.chance.shuffle("age_order", list(range(self.seats)))
        self.age = [self.age_order.index(seat) for seat in range(self.seats)]
        self.note_step(NOBODY, "age_order", self.age_order, None)

    def shuffle_events(self, cards: list[str]) -> None:
        """Make a new face-down event pile of ``cards``; the last of the pile is the next to be drawn."""
        deck = self.chance.shuffle("event_deck", cards)
        self.note_chance("event_deck", deck)
        self.event_pile = tuple(deck[::-1])

    def transfer(self, giver: int, receiver: int, gems: Gems, why: str) -> None:
        """Move gems between two seats, or a seat and the ``SUPPLY``."""
        if giver < 0:
            self.supply = without(self.supply, gems)
        else:
            self.gems[giver] = without(self.gems[giver], gems)
        if receiver < 0:
            self.supply = together(self.supply, gems)
        else:
            self.gems[receiver] = together(self.gems[receiver], gems)
        if self.journal is not None and gems != NO_GEMS:
            self.note_event(
                {
                    "type": "gems_moved",
                    "from": "supply" if giver < 0 else giver,
                    "to": "supply" if receiver < 0 else receiver,
                    "gems": list(gems),
                    "why": why,
                }
            )

    def take(self, seat: int, wanted: Gems, why: str) -> None:
        """Give ``seat`` the gems it wants, colour by colour as far as the supply goes."""
        red, yellow, green, blue = wanted
        reds, yellows, greens, blues = self.supply
        if red > reds or yellow > yellows or green > greens or blue > blues:
            wanted = (min(red, reds), min(yellow, yellows), min(green, greens), min(blue, blues))
        self.transfer(SUPPLY, seat, wanted, why)

    def pay(self, seat: int, amount: int) -> None:
        """The money action: ``amount`` millions from the bank."""
        self.money[seat] += amount
        if self.journal is not None:
            self.note_event({"type": "money", "seat": seat, "amount": amount})

    def draw_event(self) -> str:
        """The next event card; the discards become a new pile first if the old one is used up."""
        if not self.event_pile:
            cards = sorted(self.event_discards, key=EVENT_ORDER.__getitem__)
            self.event_discards = ()
            self.shuffle_events(cards)
            if self.journal is not None:
                self.note_event({"type": "reshuffle", "count": len(cards)})
        card = self.event_pile[-1]
        self.event_pile = self.event_pile[:-1]
        return card

    def turn_up_event(self) -> None:
        """Lay the next event card face up."""
        self.display = self.draw_event()
        if self.journal is not None:
            self.note_event({"type": "event_up", "card": self.display})

    def discard_event(self, seat: int | None, card: str) -> None:
        """Put an event card under the pile, face up; ``None`` is a card nobody claimed."""
        self.event_discards += (card,)
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


def together(held: Gems, more: Gems) -> Gems:
    """``held`` and ``more``."""
    reds, yellows, greens, blues = held
    red, yellow, green, blue = more
    return (reds + red, yellows + yellow, greens + green, blues + blue)


def without(held: Gems, gone: Gems) -> Gems:
    """``held`` less what is ``gone``."""
    reds, yellows, greens, blues = held
    red, yellow, green, blue = gone
    return (reds - red, yellows - yellow, greens - green, blues - blue)


ALL_EVENTS = list(EVENT_CARDS)
