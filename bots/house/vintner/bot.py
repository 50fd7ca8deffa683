"""Vintner: counts stars and makes the bid with the highest immediate gain.

It ignores later bids and future combinations of bottles. Its settings (``draw=3`` on the command line) are:

- ``display``: the weight of the bottles on display;
- ``draw``: the value of drawing from the stack, in stars;
- ``margin``: the minimum gain of a bid, in stars;
- ``keep``: the number of bottles that it prefers to keep in its hand.
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
"""Maximum number of bottles that it adds to its bid per turn."""


def additions(hand: list[str]) -> Iterator[list[str]]:
    """Yield every different choice of bottles to add to a bid."""
    kinds = list(dict.fromkeys(hand))
    for counts in product(*(range(hand.count(kind) + 1) for kind in kinds)):
        if 1 <= sum(counts) <= MOST:
            yield [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]


class Vintner:
    """One seat that compares stars."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.likes = settings(args, display=1, draw=1.3, margin=0, keep=6)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move for a decision. Each kind of decision has its own method."""
        answer: Move = getattr(self, decision["kind"])(decision, view)
        return answer

    def bid(self, decision: Document, view: Document) -> Move:
        """Return the lowest of the bids with the highest gain given the current bids, or a pass."""
        stay = self.gain(decision["bid"], view) if decision["bid"] else self.likes["draw"] * bool(view["stack"])
        best: tuple[float, int, Move] = (stay + self.likes["margin"], 0, "pass")
        for cards in additions(decision["hand"]):
            bid = decision["bid"] + cards
            total = sum(map(tenths, bid))
            if total not in decision["taken"]:
                best = max(best, (self.gain(bid, view), -total, {"cards": cards}), key=lambda way: way[:2])
        return best[2]

    def gain(self, bid: list[str], view: Document) -> float:
        """Return the stars that ``bid`` gains minus its own stars, if there were no more bids."""
        total = sum(map(tenths, bid))
        others = [player for seat, player in enumerate(view["players"]) if seat != view["seat"]]
        higher = [player for player in others if (player["total"] or 0) > total]
        if not higher:
            return self.likes["display"] * price(view["display"]) - price(bid)
        next_higher: Document = min(higher, key=lambda player: player["total"])
        return price(next_higher["bid"]) - price(bid)

    def lay(self, decision: Document, view: Document) -> Move:
        """Lay the bottle with the most points. Lay one without a trio only if there are too many in hand."""
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
