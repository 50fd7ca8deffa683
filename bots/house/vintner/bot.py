"""Vintner: a bottle is worth its stars, and the best bid is the one that would bring most if it were the last.

It never asks who will bid after it, nor what its bottles may be worth together some day.
Settings (``draw=3`` on the command line) are its tastes: ``display``, how much it likes the bottles on display;
``draw``, the stars that drawing from the stack is worth to it; ``margin``, the stars that a bid must gain; ``keep``,
how many bottles it would rather have in its hand than in its cellar.
"""

from __future__ import annotations

from itertools import product

from cellar import EMPTY, open_cellar, points, price, stars, tenths
from wire import Document, play, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Move

MOST = 4
"""How many bottles it adds to its bid in one turn at most."""


def additions(hand: list[str]) -> Iterator[list[str]]:
    """Every different choice of bottles to add to a bid."""
    kinds = list(dict.fromkeys(hand))
    for counts in product(*(range(hand.count(kind) + 1) for kind in kinds)):
        if 1 <= sum(counts) <= MOST:
            yield [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]


class Vintner:
    """Weighs stars against stars."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.likes = settings(args, display=1, draw=1.3, margin=0, keep=6)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """The answer to one decision: every kind has a method of its own."""
        answer: Move = getattr(self, decision["kind"])(decision, view)
        return answer

    def bid(self, decision: Document, view: Document) -> Move:
        """The bid that gains most by the bids on the table; of several, the lowest."""
        stay = self.gain(decision["bid"], view) if decision["bid"] else self.likes["draw"] * bool(view["stack"])
        best: tuple[float, int, Move] = (stay + self.likes["margin"], 0, "pass")
        for cards in additions(decision["hand"]):
            bid = decision["bid"] + cards
            total = sum(map(tenths, bid))
            if total not in decision["taken"]:
                best = max(best, (self.gain(bid, view), -total, {"cards": cards}), key=lambda way: way[:2])
        return best[2]

    def gain(self, bid: list[str], view: Document) -> float:
        """The stars that ``bid`` brings less those that it costs, if nobody else bids any more."""
        total = sum(map(tenths, bid))
        others = [player for seat, player in enumerate(view["players"]) if seat != view["seat"]]
        higher = [player for player in others if (player["total"] or 0) > total]
        if not higher:
            return self.likes["display"] * price(view["display"]) - price(bid)
        next_higher: Document = min(higher, key=lambda player: player["total"])
        return price(next_higher["bid"]) - price(bid)

    def lay(self, decision: Document, view: Document) -> Move:
        """What scores most at once; a bottle that completes no trio only when there are too many in hand."""
        cellar = open_cellar(view, decision)
        anyhow = view["last_round"] or decision["must_lay"] or len(decision["hand"]) > self.likes["keep"]
        best: tuple[int, int, Move] = (-1, 0, "done")
        for card, place in product(decision["hand"], decision["cells"]):
            scored = points(cellar, card, tuple(place["cell"]))
            fits = place["cards"] == "any" or card != EMPTY
            if fits and (anyhow or scored > stars(card)):
                best = max(
                    best, (scored, -tenths(card), {"card": card, "cell": place["cell"]}), key=lambda way: way[:2]
                )
        return best[2]


if __name__ == "__main__":
    play(Vintner)
