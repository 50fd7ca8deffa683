"""The strategy of the bot for Die Weinhändler. Change this file.

Every decision has a kind, and ``choose`` calls the method with this name. ``decision`` contains the question and the
limits of the answer. ``view`` contains everything that this seat can see. See examples.json for real examples.
"""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

Document = dict[str, Any]
Cell = tuple[int, int]

DRAW = 1.2
"""Value in stars of passing without a bid: we draw a bottle, usually a cheap one."""

DISPLAY = 0.9
"""Share of the display that we expect to get: another player can still bid more and take it."""

KEEP = 4
"""Number of bottles to keep in hand for the next bids. The others go into the cellar."""


class Strategy:
    """One seat in one game. Attributes of ``self`` last until the game ends."""

    def __init__(self, hello: Document) -> None:
        self.seat = hello["seat"]
        self.dice = random.Random(hello["seed"])  # the same seed gives the same game

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """Return the move. Decisions without a method get the default move, which is always legal."""
        method = getattr(self, decision["kind"], None)
        return method(decision, view) if method else decision["default"]

    # --- bidding -------------------------------------------------------------------------------------------------

    def bid(self, decision: Document, view: Document) -> Any:
        """Bid once: the one or two bottles that gain most if no player bids after us.

        A bid directly below a good bid gets the bottles of that bid. Possible improvements: bid again if another player
        bids in between, and raise a bid slightly with an empty bottle.
        """
        if decision["bid"]:
            return "pass"
        best, gain = None, DRAW
        for cards in handfuls(decision["hand"]):
            total = sum(map(value, cards))
            if total in decision["taken"]:
                continue  # two bids cannot be equal
            gains = worth(self.received(total, view)) - worth(cards)
            if gains > gain:
                best, gain = cards, gains
        return {"cards": best} if best else "pass"

    def received(self, total: int, view: Document) -> list[str]:
        """The bottles that a bid of ``total`` currently takes: those of the next higher bid, or the display."""
        higher = [player for player in view["players"] if player["total"] is not None and player["total"] > total]
        if higher:
            bottles: list[str] = min(higher, key=lambda player: player["total"])["bid"]
            return bottles
        by_stars = sorted(view["display"], key=stars, reverse=True)
        return by_stars[: round(len(by_stars) * DISPLAY)]

    # --- laying --------------------------------------------------------------------------------------------------

    def lay(self, decision: Document, view: Document) -> Any:
        """Lay bottles that score next to the same wine. Keep some bottles for bidding until the last round."""
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
        """The bottles of our open cellar by cell: the level, from 0, and the position from the left."""
        cellars = view["players"][self.seat]["cellars"]
        if decision["new_cellar"] or not cellars:
            return {}
        return {(spot["level"], spot["x"]): spot["card"] for spot in cellars[-1]}

    def promise(self, move: Document, cellar: dict[Cell, str]) -> float:
        """Value of a move: its stars, plus bottles of the same wine next to it, which can become a trio."""
        card, (level, x) = move["card"], move["cell"]
        # A bottle rests on (level - 1, x) and (level - 1, x + 1); it supports (level + 1, x - 1) and (level + 1, x).
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
    """Value of a bottle in a bid, in tenths: "B16" is 160, and "empty" is 2."""
    return 2 if card == "empty" else 10 * int(card[1:])


def stars(card: str) -> int:
    """Stars of a bottle: one for 5 to 11, two for 12 to 18, three for 19 to 25."""
    return 0 if card == "empty" else (int(card[1:]) + 2) // 7


def wine(card: str) -> str:
    """Color of a bottle. Empty bottles match no wine."""
    return card[0] if card != "empty" else f"not {card}"


def worth(cards: list[str]) -> float:
    """Value of bottles for this bot: their stars, and a little for an empty bottle."""
    return sum(stars(card) or 0.3 for card in cards)


def handfuls(hand: list[str]) -> list[list[str]]:
    """All selections of one or two bottles, each with the most valuable bottle first."""
    ordered = sorted(hand, key=value, reverse=True)
    return [list(cards) for count in (1, 2) for cards in combinations(ordered, count)]
