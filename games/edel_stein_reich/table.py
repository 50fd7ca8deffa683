"""The table of a game: possessions, supply and piles.

Gems and piles of cards are tuples, which are replaced and never changed, so that copies of a state can share them.
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
"""The supply as the source or target of gems."""


class Table(SteppedState):
    """The possessions of all seats, the supply and the piles."""

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
        """Draw the age order and show it to all seats."""
        self.age_order = self.chance.shuffle("age_order", list(range(self.seats)))
        self.age = [self.age_order.index(seat) for seat in range(self.seats)]
        self.note_step(NOBODY, "age_order", self.age_order, None)

    def shuffle_events(self, cards: list[str]) -> None:
        """Make a new face-down pile of event cards. The last card is the next to be drawn."""
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
        """Give ``seat`` the wanted gems, as far as the supply has them, color by color."""
        red, yellow, green, blue = wanted
        reds, yellows, greens, blues = self.supply
        if red > reds or yellow > yellows or green > greens or blue > blues:
            wanted = (min(red, reds), min(yellow, yellows), min(green, greens), min(blue, blues))
        self.transfer(SUPPLY, seat, wanted, why)

    def pay(self, seat: int, amount: int) -> None:
        """Pay ``amount`` millions for the action Money."""
        self.money[seat] += amount
        if self.journal is not None:
            self.note_event({"type": "money", "seat": seat, "amount": amount})

    def draw_event(self) -> str:
        """Return the next event card. Reshuffles the discards first if the pile is empty."""
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
        """Turn the next event card face up."""
        self.display = self.draw_event()
        if self.journal is not None:
            self.note_event({"type": "event_up", "card": self.display})

    def discard_event(self, seat: int | None, card: str) -> None:
        """Discard an event card. ``seat`` is ``None`` for a card that no seat took."""
        self.event_discards += (card,)
        if self.journal is not None:
            self.note_event({"type": "discarded", "seat": seat, "card": card})

    def discard_display(self) -> None:
        """Discard the unclaimed card on display, if there is one."""
        if self.display is not None:
            self.discard_event(None, self.display)
            self.display = None

    def precedence(self, seat: int) -> tuple[int, ...]:
        """Return the sort key of openers and choosers: fewest red, yellow, green, blue, least money, youngest."""
        return (*self.gems[seat], self.money[seat], self.age[seat])


def together(held: Gems, more: Gems) -> Gems:
    """Return the sum of two vectors of gems."""
    reds, yellows, greens, blues = held
    red, yellow, green, blue = more
    return (reds + red, yellows + yellow, greens + green, blues + blue)


def without(held: Gems, gone: Gems) -> Gems:
    """Return ``held`` minus ``gone``."""
    reds, yellows, greens, blues = held
    red, yellow, green, blue = gone
    return (reds - red, yellows - yellow, greens - green, blues - blue)


ALL_EVENTS = list(EVENT_CARDS)
