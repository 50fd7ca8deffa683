"""The decisions of Sommelier, with one method for each kind."""

from __future__ import annotations

from itertools import product

from auction import BOTTLES, Auction
from cellar import open_cellar, tenths
from layout import lay_out
from opponents import TasteBeliefs, guess_hands, laid_bottles, unseen
from wire import Dice, Document, settings
from worth import CellarWorth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auction import Prices
    from wire import Move

MOST = 4
"""Maximum number of bottles that it adds to its bid per turn."""


def without(hand: list[str], cards: list[str]) -> list[str]:
    """Return ``hand`` without ``cards``."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def additions(hand: list[str]) -> Iterator[list[str]]:
    """Yield every different choice of bottles to add to a bid."""
    kinds = list(dict.fromkeys(hand))
    for counts in product(*(range(hand.count(kind) + 1) for kind in kinds)):
        if 1 <= sum(counts) <= MOST:
            yield [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]


class Sommelier:
    """One seat. Between decisions it remembers only what it has learned about the tastes of the other players.

    Its settings are:

    - ``guesses``: the number of guessed hands with which it tries a bid;
    - ``shortlist``: the number of bids that it tries;
    - ``rivalry``: the negative weight of the other players' gains;
    - ``hope``: the weight of trios that still need a bottle.
    """

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.likes = settings(args, guesses=6, shortlist=8, rivalry=1, hope=1)
        self.habits = TasteBeliefs(hello["seats"])

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move for a decision. Each kind of decision has its own method."""
        self.view = view
        self.habits.read(log)
        self.laid = laid_bottles(view)
        self.hope = 0.0 if view["last_round"] else self.likes["hope"]
        answer: Move = getattr(self, decision["kind"])(decision)
        return answer

    # Bidding

    def bid(self, decision: Document) -> Move:
        """Return the bid or pass with the best average result in the simulated auctions."""
        cellars = self.view["players"][decision["seat"]]["cellars"]
        self.worth = CellarWorth(open_cellar(self.view, {**decision, "new_cellar": not cellars}), self.laid, self.hope)
        prices = self.prices(decision["hand"])
        ways = [[], *self.shortlist(decision)]
        hidden = unseen(self.view, self.laid)
        values = [0.0] * len(ways)
        for _ in range(int(self.likes["guesses"])):
            hands = guess_hands(self.view, hidden, self.dice)
            tastes = [self.habits.taste(seat, self.dice) for seat in range(self.view["seats"])]
            tastes[decision["seat"]] = 1.0
            for i, cards in enumerate(ways):
                values[i] += self.imagine(Auction(self.view, hands, prices, tastes), cards)
        best = ways[values.index(max(values))]
        return {"cards": best} if best else "pass"

    def prices(self, hand: list[str]) -> Prices:
        """Return the value of each bottle: the loss without it, or the gain with one more."""
        now = self.worth.of(hand)
        return {
            card: now - self.worth.of(without(hand, [card])) if card in hand else self.worth.of([*hand, card]) - now
            for card in BOTTLES
        }

    def shortlist(self, decision: Document) -> list[list[str]]:
        """Return the additions that look best given the current bids, and the lowest possible one."""
        judged = []
        for cards in additions(decision["hand"]):
            total = (decision["total"] or 0) + sum(map(tenths, cards))
            if total not in decision["taken"]:
                hand = without(decision["hand"], cards) + self.brought(total)
                judged.append((self.worth.of(hand), -total, cards))
        judged.sort(reverse=True)
        chosen = judged[: int(self.likes["shortlist"])]
        lowest = max(judged, key=lambda way: way[1], default=None)
        if lowest and lowest not in chosen:
            chosen.append(lowest)
        return [cards for *_, cards in chosen]

    def brought(self, total: int) -> list[str]:
        """Return the bottles for a bid of ``total`` if there were no more bids."""
        higher: list[Document] = [
            player
            for seat, player in enumerate(self.view["players"])
            if seat != self.view["seat"] and (player["total"] or 0) > total
        ]
        cards: list[str] = min(higher, key=lambda player: player["total"])["bid"] if higher else self.view["display"]
        return cards

    def imagine(self, auction: Auction, cards: list[str]) -> float:
        """Return the value after a simulated auction with this bid, minus a share of the other players' gains."""
        seat = auction.seat
        auction.bid(seat, cards)
        auction.play_on()
        mine = self.worth.of(auction.hands[seat] + auction.received(seat))
        drawn = 0.0 if auction.bids[seat] else auction.draw
        others = sum(auction.gain(other) for other in range(len(auction.bids)) if other != seat)
        return mine + drawn - self.likes["rivalry"] * others / (len(auction.bids) - 1)

    # Laying

    def lay(self, decision: Document) -> Move:
        """Lay only as many bottles as it must before the last round, because bottles in the hand keep their uses."""
        count = len(decision["hand"]) if self.view["last_round"] else decision["must_lay"]
        way = lay_out(open_cellar(self.view, decision), decision["hand"], count, self.laid, self.hope)
        if not way:
            return "done"
        card, cell = way[0]
        return {"card": card, "cell": list(cell)}
