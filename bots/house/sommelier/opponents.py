"""The other players: the bottles that they may have, and how much they like the display."""

from __future__ import annotations

from math import exp

from cellar import EMPTY, price, tenths
from worth import COLOURS, COPIES, KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Dice, Document, Move

NOT_IN_PLAY = {3: "YP", 4: "O", 5: ""}
"""The colors that are not used, by the number of seats."""

TASTES = (0.3, 0.5, 0.7, 0.9, 1.1, 1.4, 2.0)
"""Possible values of the display for a seat, as a multiple of its stars."""
SHARPNESS = 1.0
"""The number of missing stars at which a seat becomes unlikely to bid for the display."""
SLIP = 0.05
"""The probability of a bid that does not match a seat's taste."""
TENTHS_A_STAR = 80
"""The cost of one star in a bid, in tenths."""


class TasteBeliefs:
    """The probabilities of all ``TASTES`` for each seat, learned from the log."""

    def __init__(self, seats: int) -> None:
        self.beliefs = [[1.0] * len(TASTES) for _ in range(seats)]
        self.bids: list[list[str]] = [[] for _ in range(seats)]
        self.display: list[str] = []

    def read(self, log: list[Document]) -> None:
        """Read new log entries and learn from every turn of an auction."""
        for entry in log:
            step, event = entry.get("step", {}), entry.get("event", {})
            if step.get("decision") == "bid":
                self.see(step["seat"], step["move"])
            elif event.get("type") == "exchange":
                self.display = event["moves"][-1]["cards"]
                self.bids = [[] for _ in self.bids]
            elif event.get("type") == "refill":
                self.display = self.display + event["cards"]

    def see(self, seat: int, move: Move) -> None:
        """Learn from the bid or the pass of a seat that was outbid."""
        before = self.bids[seat]
        self.bids[seat] = before if isinstance(move, str) else before + move["cards"]
        others = [bid for other, bid in enumerate(self.bids) if bid and other != seat]
        total = sum(map(tenths, before))
        above = sorted((sum(map(tenths, bid)), price(bid)) for bid in others if sum(map(tenths, bid)) > total)
        if not above:
            return
        highest = above[-1][0]
        went = sum(map(tenths, self.bids[seat])) > highest
        cost = price(before) + max(1.0, (highest - total) / TENTHS_A_STAR)
        besides = above[0][1] - price(before) if before else max(1.3, above[0][1] - 1)
        self.believe(seat, went, cost + besides)

    def believe(self, seat: int, went: bool, least: float) -> None:
        """Update the belief in the tastes of ``seat`` (Bayes).

        ``went`` tells whether it bid for the display, ``least`` is the number of stars from which this was worth it.
        """
        shown = price(self.display)
        for i, taste in enumerate(TASTES):
            goes = 1 / (1 + exp((least - taste * shown) / SHARPNESS))
            self.beliefs[seat][i] *= SLIP + (1 - 2 * SLIP) * (goes if went else 1 - goes)
        most = max(self.beliefs[seat])
        self.beliefs[seat] = [max(belief / most, 0.01) for belief in self.beliefs[seat]]

    def taste(self, seat: int, dice: Dice) -> float:
        """Return a random taste of ``seat`` with the probabilities learned so far."""
        beliefs = self.beliefs[seat]
        point = dice.fraction() * sum(beliefs)
        i = 0
        while i < len(beliefs) - 1 and point >= beliefs[i]:
            point -= beliefs[i]
            i += 1
        return TASTES[i]


def laid_bottles(view: Document) -> dict[str, int]:
    """Return the number of bottles of each kind in all cellars."""
    laid: dict[str, int] = {}
    for player in view["players"]:
        for cellar in player["cellars"]:
            for cell in cellar:
                for card in filter(None, (cell["card"], cell["under"])):
                    laid[card] = laid.get(card, 0) + 1
    return laid


def unseen(view: Document, laid: dict[str, int]) -> list[str]:
    """Return the bottles that this seat cannot see: in the stack, or in a hand since the deal."""
    left = {EMPTY: COPIES}
    for colour in COLOURS:
        if colour not in NOT_IN_PLAY[view["seats"]]:
            left.update(dict.fromkeys(KINDS[colour], COPIES))
    shown = view["display"] + view["stack_bottom"] + view["you"]["hand"]
    for seat, player in enumerate(view["players"]):
        shown = shown + player["bid"] + (player["known"] if seat != view["seat"] else [])
    for card in shown:
        left[card] -= 1
    return [card for card in sorted(left) for _ in range(left[card] - laid.get(card, 0))]


def guess_hands(view: Document, hidden: list[str], dice: Dice) -> list[list[str]]:
    """Return a possible hand for every seat: its known bottles, and random ``hidden`` bottles."""
    pool = list(hidden)
    hands = []
    for seat, player in enumerate(view["players"]):
        hand = list(view["you"]["hand"] if seat == view["seat"] else player["known"])
        while len(hand) < player["hand"]:
            hand.append(pool.pop(dice.below(len(pool))))
        hands.append(hand)
    return hands
