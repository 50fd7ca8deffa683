"""Random: plays random legal moves. It is the shortest complete bot. Start with this one."""

from __future__ import annotations

from itertools import product

from wire import Dice, Document, play

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Move


def tenths(card: str) -> int:
    """Return the value of a bottle in a bid, in tenths: 160 for ``B16``, 2 for an empty bottle."""
    return 2 if card == "empty" else 10 * int(card[1:])


class Random:
    """One seat that picks from the listed legal moves, or builds a move within the bounds of the decision."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return a legal move."""
        legal: list[Move] | None = decision["legal"]
        if legal is not None:
            return self.dice.pick(legal)
        answer: Move = getattr(self, decision["kind"], self.default)(decision)
        return answer

    def default(self, decision: Document) -> Move:
        """Return the default move, which is legal in every game."""
        move: Move = decision["default"]
        return move

    # Edel, Stein & Reich

    def immediate(self, decision: Document) -> Move:
        """Carry out a rob or a swap, which have many legal moves with many players."""
        seat = self.dice.pick(list(decision["take"]))
        if decision["card"] == "rob":
            return {"take": {seat: self.dice.pick(colours) for seat, colours in decision["take"].items()}}
        give = self.dice.pick(decision["give"])
        return {"give": give, "seat": int(seat), "take": self.dice.pick(decision["take"][seat])}

    def offer(self, decision: Document) -> Move:
        """Make a higher offer half of the time. Return the default move if none is found quickly."""
        least = decision.get("standing") or [0, 0, 0, 0]
        for _ in range(self.dice.below(2) * 8):
            gems = [self.dice.below(held + 1) for held in decision["holdings"]]
            if [sum(gems), *gems] > [sum(least), *least]:
                return {"offer": gems}
        return self.default(decision)

    open_barter = answer_offer = offer

    # Die Weinhändler

    def bid(self, decision: Document) -> Move:
        """Bid a random number of bottles of each kind. No bottles are a pass."""
        hand = decision["hand"]
        while True:
            cards = [card for card in dict.fromkeys(hand) for _ in range(self.dice.below(hand.count(card) + 1))]
            if not cards:
                return "pass"
            if (decision["total"] or 0) + sum(map(tenths, cards)) not in decision["taken"]:
                return {"cards": cards}

    def lay(self, decision: Document) -> Move:
        """Lay any bottle in any cell that accepts it, or none if that is allowed."""
        moves: list[Move] = [] if decision["must_lay"] else ["done"]
        for card, place in product(dict.fromkeys(decision["hand"]), decision["cells"]):
            if place["cards"] == "any" or card != "empty":
                moves.append({"card": card, "cell": place["cell"]})
        return self.dice.pick(moves)


if __name__ == "__main__":
    play(Random)
