"""Random: every legal move is as good as any other. The shortest complete bot, and the one to start from."""

from __future__ import annotations

from wire import Dice, Document, play

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Move


class Random:
    """Picks from the legal moves where the decision lists them, otherwise makes one up from its bounds."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """One legal move."""
        legal: list[Move] | None = decision["legal"]
        if legal is not None:
            return self.dice.pick(legal)
        if decision["kind"] == "immediate":
            return self.from_opponents(decision)
        default: Move = decision["default"]
        return self.offer(decision["holdings"], decision.get("standing")) or default

    def from_opponents(self, decision: Document) -> Move:
        """A rob or a swap, which have many legal moves at a large table."""
        seat = self.dice.pick(list(decision["take"]))
        if decision["card"] == "rob":
            return {"take": {seat: self.dice.pick(colours) for seat, colours in decision["take"].items()}}
        give = self.dice.pick(decision["give"])
        return {"give": give, "seat": int(seat), "take": self.dice.pick(decision["take"][seat])}

    def offer(self, holdings: list[int], standing: list[int] | None) -> Move | None:
        """An offer above the standing one, or ``None``: half of the time, and when none is found quickly."""
        for _ in range(self.dice.below(2) * 8):
            gems = [self.dice.below(held + 1) for held in holdings]
            if [sum(gems), *gems] > [sum(standing), *standing] if standing else any(gems):
                return {"offer": gems}
        return None


if __name__ == "__main__":
    play(Random)
