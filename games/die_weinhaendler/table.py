"""The table of a game: hands, bids, cellars, the display and the stack."""

from __future__ import annotations

from games.chance import Chance
from games.die_weinhaendler.cards import DISPLAY_SIZE, HAND_SIZE, NUMBERS, Cards, codes, deck, in_order, total, without
from games.die_weinhaendler.cellar import NEW, Cellar
from games.rules import Rules
from games.stepped import NOBODY, SteppedState

NO_BID = -1
"""The total of a seat without a bid."""


class Table(SteppedState):
    """The possessions of all seats, the display and the stack.

    ``stack`` contains all its cards from the deal on; the next one to draw is at index ``drawn``. Its last
    ``seen_below`` cards were shown before they went there. ``totals`` are in tenths, ``NO_BID`` without a bid.
    ``known`` contains by seat the cards that everyone has seen going to its hand.
    """

    __slots__ = (
        "bids",
        "cellars",
        "display",
        "drawn",
        "hands",
        "known",
        "points",
        "seen_below",
        "stack",
        "start",
        "totals",
    )

    def __init__(self, rules: Rules, seats: int, chance: Chance, journal: bool = False) -> None:
        super().__init__(rules, seats, chance, journal)
        self.bids: list[Cards] = [()] * seats
        self.totals = [NO_BID] * seats
        self.known: list[Cards] = [()] * seats
        self.points = [0] * seats
        self.cellars: list[tuple[Cellar, ...]] = [()] * seats
        self.drawn = 0
        self.seen_below = 0
        self.start = self.chance.below("starter", seats)
        self.note_step(NOBODY, "starter", self.start, None)
        self.deal()

    def deal(self) -> None:
        """Deal five bottles to each seat in turn from the start player, four to the display, the rest to the stack."""
        shuffled = self.chance.shuffle("deck", deck(self.seats))
        self.note_chance("deck", shuffled)
        cards = [NUMBERS[code] for code in shuffled]
        dealt = self.seats * HAND_SIZE
        self.hands = [
            in_order(cards[(seat - self.start) % self.seats : dealt : self.seats]) for seat in range(self.seats)
        ]
        self.display = in_order(cards[dealt : dealt + DISPLAY_SIZE])
        self.stack = tuple(cards[dealt + DISPLAY_SIZE :])
        if self.journal is not None:
            self.note_own([{"type": "hand", "cards": codes(hand)} for hand in self.hands])
            self.note_event({"type": "refill", "cards": codes(self.display)})

    def in_stack(self) -> int:
        """The number of face-down cards left."""
        return len(self.stack) - self.drawn

    def draw(self) -> int:
        """Return the next card of the stack, which must not be empty."""
        self.drawn += 1
        self.seen_below = min(self.seen_below, self.in_stack())
        return self.stack[self.drawn - 1]

    def put_below(self, card: int) -> None:
        """Put a card that everyone has seen face down under the stack."""
        self.stack = (*self.stack, card)
        self.seen_below += 1

    def gain(self, seat: int, cards: Cards) -> None:
        """Add cards that everyone has seen to a hand."""
        self.hands[seat] = in_order(self.hands[seat] + cards)
        self.known[seat] = in_order(self.known[seat] + cards)

    def lose(self, seat: int, card: int) -> None:
        """Remove a card from a hand when it becomes public."""
        self.hands[seat] = without(self.hands[seat], card)
        if card in self.known[seat]:
            self.known[seat] = without(self.known[seat], card)

    def add_to_bid(self, seat: int, cards: Cards) -> None:
        """Move ``cards`` from the hand to the bid."""
        for card in cards:
            self.lose(seat, card)
        self.bids[seat] = in_order(self.bids[seat] + cards)
        self.totals[seat] = total(self.bids[seat])

    def taken(self, seat: int) -> list[int]:
        """Return the totals of the bids of all other seats, in seat order."""
        return [tenths for other, tenths in enumerate(self.totals) if other != seat and tenths != NO_BID]

    def open_cellar(self, seat: int) -> Cellar:
        """Return the cellar for the next bottle of ``seat``: its last one, or a new one if that is full or missing."""
        cellars = self.cellars[seat]
        if not cellars:
            return NEW
        last = cellars[-1]
        return NEW if last.full else last

    def copy_to(self, twin: SteppedState) -> None:
        assert isinstance(twin, Table)
        super().copy_to(twin)
        twin.hands = self.hands[:]
        twin.bids = self.bids[:]
        twin.totals = self.totals[:]
        twin.known = self.known[:]
        twin.points = self.points[:]
        twin.cellars = self.cellars[:]
        twin.display = self.display
        twin.stack = self.stack
        twin.drawn = self.drawn
        twin.seen_below = self.seen_below
        twin.start = self.start
