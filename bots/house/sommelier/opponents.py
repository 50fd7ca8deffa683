"""The opponents: which bottles they may hold, and how much they like those on display, learned from their bids."""

from __future__ import annotations

from math import exp

from cellar import EMPTY, price, tenths
from worth import COLOURS, COPIES, KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Dice, Document, Move

NOT_IN_PLAY = {3: "YP", 4: "O", 5: ""}
"""The colours that stay in the box, by the number of seats."""

TASTES = (0.3, 0.5, 0.7, 0.9, 1.1, 1.4, 2.0)
"""What a seat may think the display is worth, as a multiple of its stars."""
SHARPNESS = 1.0
"""How many stars too few make it unlikely that somebody goes for the display."""
SLIP = 0.05
"""How often somebody does what does not fit his taste at all."""
TENTHS_A_STAR = 80
"""What a star costs in a bid."""


class TasteBeliefs:
    """What the log tells of everybody's taste: a belief a seat, in how likely each of ``TASTES`` is."""

    def __init__(self, seats: int) -> None:
        self.beliefs = [[1.0] * len(TASTES) for _ in range(seats)]
        self.bids: list[list[str]] = [[] for _ in range(seats)]
        self.display: list[str] = []

    def read(self, log: list[Document]) -> None:
        """Follow the bidding, and learn from every turn in it."""
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
        """A seat that was outbid has outbid the others or has not: believe more in tastes that fit (Bayes)."""
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
        """``seat`` went for the display or did not, where it had to be worth ``least`` stars to be worth it."""
        shown = price(self.display)
        for i, taste in enumerate(TASTES):
            goes = 1 / (1 + exp((least - taste * shown) / SHARPNESS))
            self.beliefs[seat][i] *= SLIP + (1 - 2 * SLIP) * (goes if went else 1 - goes)
        most = max(self.beliefs[seat])
        self.beliefs[seat] = [max(belief / most, 0.01) for belief in self.beliefs[seat]]

    def taste(self, seat: int, dice: Dice) -> float:
        """One of the tastes that ``seat`` may have, as likely as it is believed in."""
        beliefs = self.beliefs[seat]
        point = dice.fraction() * sum(beliefs)
        i = 0
        while i < len(beliefs) - 1 and point >= beliefs[i]:
            point -= beliefs[i]
            i += 1
        return TASTES[i]


def laid_bottles(view: Document) -> dict[str, int]:
    """How many bottles of each kind lie in cellars."""
    laid: dict[str, int] = {}
    for player in view["players"]:
        for cellar in player["cellars"]:
            for cell in cellar:
                for card in filter(None, (cell["card"], cell["under"])):
                    laid[card] = laid.get(card, 0) + 1
    return laid


def unseen(view: Document, laid: dict[str, int]) -> list[str]:
    """The bottles that are hidden from the seat of ``view``: in the stack, or in a hand since the deal."""
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
    """A hand for every seat that fits what has been shown: the known bottles, and some of the ``hidden`` ones."""
    pool = list(hidden)
    hands = []
    for seat, player in enumerate(view["players"]):
        hand = list(view["you"]["hand"] if seat == view["seat"] else player["known"])
        while len(hand) < player["hand"]:
            hand.append(pool.pop(dice.below(len(pool))))
        hands.append(hand)
    return hands
