"""Random: every legal move is as good as any other. The shortest complete bot, and the one to start from."""

from __future__ import annotations

from itertools import product

from wire import Dice, Document, play

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Move


def tenths(card: str) -> int:
    """What a bottle counts in a bid: ``B16`` 160, an empty one 2."""
    return 2 if card == "empty" else 10 * int(card[1:])


class Random:
    """Picks from the legal moves where the decision lists them, otherwise makes one up from its bounds."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """One legal move."""
        legal: list[Move] | None = decision["legal"]
        if legal is not None:
            return self.dice.pick(legal)
        answer: Move = getattr(self, decision["kind"], self.default)(decision)
        return answer

    def default(self, decision: Document) -> Move:
        """What is played for a bot that does not answer: legal in every game."""
        move: Move = decision["default"]
        return move

    # Edel, Stein & Reich

    def immediate(self, decision: Document) -> Move:
        """A rob or a swap, which have many legal moves at a large table."""
        seat = self.dice.pick(list(decision["take"]))
        if decision["card"] == "rob":
            return {"take": {seat: self.dice.pick(colours) for seat, colours in decision["take"].items()}}
        give = self.dice.pick(decision["give"])
        return {"give": give, "seat": int(seat), "take": self.dice.pick(decision["take"][seat])}

    def offer(self, decision: Document) -> Move:
        """An offer above the standing one half of the time; the default also when none is found quickly."""
        least = decision.get("standing") or [0, 0, 0, 0]
        for _ in range(self.dice.below(2) * 8):
            gems = [self.dice.below(held + 1) for held in decision["holdings"]]
            if [sum(gems), *gems] > [sum(least), *least]:
                return {"offer": gems}
        return self.default(decision)

    open_barter = answer_offer = offer

    # Die Weinhändler

    def bid(self, decision: Document) -> Move:
        """So many of each kind of bottle, from none to all: no bottle at all is a pass."""
        hand = decision["hand"]
        while True:
            cards = [card for card in dict.fromkeys(hand) for _ in range(self.dice.below(hand.count(card) + 1))]
            if not cards:
                return "pass"
            if (decision["total"] or 0) + sum(map(tenths, cards)) not in decision["taken"]:
                return {"cards": cards}

    def lay(self, decision: Document) -> Move:
        """Any bottle in any cell that takes it, or none if that is allowed."""
        moves: list[Move] = [] if decision["must_lay"] else ["done"]
        for card, place in product(dict.fromkeys(decision["hand"]), decision["cells"]):
            if place["cards"] == "any" or card != "empty":
                moves.append({"card": card, "cell": place["cell"]})
        return self.dice.pick(moves)


if __name__ == "__main__":
    play(Random)
