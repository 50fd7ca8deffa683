"""How the bot plays Die Weinhändler. This is the file to change.

Every question has a kind, and ``choose`` hands it to the method of that name. ``decision`` is what is asked and what
bounds the answer, ``view`` is the whole table as this seat may see it. examples.json has real ones to look at.
"""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

Document = dict[str, Any]
Cell = tuple[int, int]

DRAW = 1.2
"""What it is worth to pass without a bid, in stars: one draws a bottle, mostly a cheap one."""

DISPLAY = 0.9
"""How far the bottles on display can be trusted: somebody may still bid more and take them."""

KEEP = 4
"""So many bottles stay in hand for the next bids; what is more goes into the cellar."""


class Strategy:
    """One seat in one game. What is kept in ``self`` lasts until the game ends."""

    def __init__(self, hello: Document) -> None:
        self.seat = hello["seat"]
        self.dice = random.Random(hello["seed"])  # for ideas that need chance; the same seed, the same game

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """The move. A kind without a method here gets the default move, which is always legal."""
        method = getattr(self, decision["kind"], None)
        return method(decision, view) if method else decision["default"]

    # --- bidding -------------------------------------------------------------------------------------------------

    def bid(self, decision: Document, view: Document) -> Any:
        """Bid once: the one or two bottles that would bring most if nobody bid after me.

        Whoever bids right below a good bid gets its bottles. Bidding again when somebody has come in between, and
        making a bid a little higher with an empty bottle, is not done here: something to gain.
        """
        if decision["bid"]:
            return "pass"
        best, gain = None, DRAW
        for cards in handfuls(decision["hand"]):
            total = sum(map(value, cards))
            if total in decision["taken"]:
                continue  # no two bids may be equal
            gains = worth(self.received(total, view)) - worth(cards)
            if gains > gain:
                best, gain = cards, gains
        return {"cards": best} if best else "pass"

    def received(self, total: int, view: Document) -> list[str]:
        """The bottles that a bid of ``total`` takes as things stand: those of the next higher bid, or the display."""
        higher = [player for player in view["players"] if player["total"] is not None and player["total"] > total]
        if higher:
            bottles: list[str] = min(higher, key=lambda player: player["total"])["bid"]
            return bottles
        by_stars = sorted(view["display"], key=stars, reverse=True)
        return by_stars[: round(len(by_stars) * DISPLAY)]

    # --- laying --------------------------------------------------------------------------------------------------

    def lay(self, decision: Document, view: Document) -> Any:
        """Lay what scores, where bottles of the same wine are; keep some bottles for bidding until the last round."""
        hand = decision["hand"]
        if not view["last_round"] and not decision["must_lay"] and len(hand) <= KEEP:
            return "done"
        cellar = self.cellar(decision, view)
        moves = [
            {"card": card, "cell": place["cell"]}
            for card in hand
            for place in decision["cells"]
            if place["cards"] == "any" or card != "empty"
        ]
        return max(moves, key=lambda move: self.promise(move, cellar), default=decision["default"])

    def cellar(self, decision: Document, view: Document) -> dict[Cell, str]:
        """The bottles of my open cellar by their place: the level, from 0, and how far to the right."""
        cellars = view["players"][self.seat]["cellars"]
        if decision["new_cellar"] or not cellars:
            return {}
        return {(spot["level"], spot["x"]): spot["card"] for spot in cellars[-1]}

    def promise(self, move: Document, cellar: dict[Cell, str]) -> float:
        """Stars count at once; beside the same wine a trio may come about, best of three that are alike."""
        card, (level, x) = move["card"], move["cell"]
        # A bottle lies on (level - 1, x) and (level - 1, x + 1); it carries (level + 1, x - 1) and (level + 1, x).
        around = [
            (level, x - 1),
            (level, x + 1),
            (level - 1, x),
            (level - 1, x + 1),
            (level + 1, x - 1),
            (level + 1, x),
        ]
        neighbours = [cellar[cell] for cell in around if cell in cellar]
        same_wine = sum(wine(other) == wine(card) for other in neighbours)
        return stars(card) + same_wine + neighbours.count(card)


def value(card: str) -> int:
    """What a bottle counts in a bid, in tenths: "B16" is 160, and "empty" is 2."""
    return 2 if card == "empty" else 10 * int(card[1:])


def stars(card: str) -> int:
    """The points of a bottle: 5 to 11 have one star, 12 to 18 two, 19 to 25 three."""
    return 0 if card == "empty" else (int(card[1:]) + 2) // 7


def wine(card: str) -> str:
    """Its colour; empty bottles are no wine, not even the same."""
    return card[0] if card != "empty" else f"nothing like {card}"


def worth(cards: list[str]) -> float:
    """What bottles are worth to this bot: their stars, and an empty one a little."""
    return sum(stars(card) or 0.3 for card in cards)


def handfuls(hand: list[str]) -> list[list[str]]:
    """Every one or two bottles of the hand, the dearest first in each."""
    ordered = sorted(hand, key=value, reverse=True)
    return [list(cards) for count in (1, 2) for cards in combinations(ordered, count)]
