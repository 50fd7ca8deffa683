"""A simulation of the rest of an auction."""

from __future__ import annotations

from bisect import bisect
from itertools import combinations

from cellar import price, tenths
from worth import COLOURS, KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wire import Document

    Prices = dict[str, float]
    """The value of each bottle for one seat."""

BOTTLES = ("empty", *(card for colour in COLOURS for card in sorted(KINDS[colour])))
TENTHS = {card: tenths(card) for card in BOTTLES}
PRICES = {card: price([card]) for card in BOTTLES}
DRAW = 1.3
"""The value of drawing from the stack, in stars."""


class Auction:
    """One auction from the moment of ``view``, with a guess of every hand.

    ``prices`` contains the values of bottles for the seat of the view; all other seats count stars. ``tastes`` contains
    a weight of the display for each seat. Every seat makes the bid with the highest gain given the current bids.
    """

    def __init__(self, view: Document, hands: list[list[str]], prices: Prices, tastes: list[float]) -> None:
        self.seat: int = view["seat"]
        self.display: list[str] = view["display"]
        self.hands = [list(hand) for hand in hands]
        self.tastes = tastes
        self.bids: list[list[str]] = [list(player["bid"]) for player in view["players"]]
        self.totals: list[int] = [player["total"] or 0 for player in view["players"]]
        self.active = [not player["passed"] for player in view["players"]]
        self.draw = DRAW if view["stack"] else 0.0
        self.paid = [sum(map(PRICES.__getitem__, bid)) for bid in self.bids]
        """The value of every bid in stars."""
        self.prices = prices
        self.shown = sum(map(PRICES.__getitem__, self.display))

    def bid(self, seat: int, cards: Sequence[str]) -> None:
        """Add ``cards`` to the bid of ``seat``. No cards are a pass."""
        if not cards:
            self.active[seat] = False
        for card in cards:
            self.hands[seat].remove(card)
            self.bids[seat].append(card)
            self.totals[seat] += TENTHS[card]
            self.paid[seat] += PRICES[card]

    def play_on(self) -> None:
        """Play the turns after the bot's own turn until all seats have passed."""
        seat = self.seat
        while any(self.active):
            seat = (seat + 1) % len(self.bids)
            if self.active[seat]:
                self.bid(seat, self.answer(seat))

    def answer(self, seat: int) -> Sequence[str]:
        """Return the one or two bottles with the highest gain for ``seat`` given the current bids, or none."""
        prices, worths, shown = PRICES, self.paid, self.shown * self.tastes[seat]
        if seat == self.seat:
            prices = self.prices
            worths = [sum(map(prices.__getitem__, bid)) for bid in self.bids]
            shown = sum(map(prices.__getitem__, self.display))
        others = sorted((total, worths[k]) for k, total in enumerate(self.totals) if total and k != seat)
        taken = [total for total, _ in others]
        brings = [worth for _, worth in others] + [shown]
        total = self.totals[seat]
        best = brings[bisect(taken, total)] if total else self.draw
        choice: Sequence[str] = ()
        for cards, more, costs in additions(self.hands[seat], prices):
            gain = brings[place := bisect(taken, total + more)] - costs
            if gain > best and not (place and taken[place - 1] == total + more):
                best, choice = gain, cards
        return choice

    def received(self, seat: int) -> list[str]:
        """Return what ``seat`` gets in the exchange: the next higher bid, or the display for the highest bid."""
        if not self.bids[seat]:
            return []
        higher = [(total, k) for k, total in enumerate(self.totals) if total > self.totals[seat]]
        return self.bids[min(higher)[1]] if higher else self.display

    def gain(self, seat: int) -> float:
        """Return the stars that ``seat`` gains in the exchange."""
        return sum(map(PRICES.__getitem__, self.received(seat))) - self.paid[seat]


def additions(hand: list[str], prices: Prices) -> Iterator[tuple[Sequence[str], int, float]]:
    """Yield every choice of one or two bottles, with its value in a bid and its price."""
    for card in hand:
        yield (card,), TENTHS[card], prices[card]
    for pair in combinations(hand, 2):
        yield pair, TENTHS[pair[0]] + TENTHS[pair[1]], prices[pair[0]] + prices[pair[1]]
