"""The decisions of Haggler, with one method for each kind."""

from __future__ import annotations

from itertools import product

from wire import Dice, Document, settings
from worth import COLOURS, SeatWorth, moved, one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Move
    from worth import Table

MOOD = 0.2
"""Maximum random change of the value of an action, so that two such bots do not always choose the same action."""


def offers_above(holdings: list[int], standing: list[int]) -> Iterator[list[int]]:
    """Yield the legal offers above ``standing`` with at most one additional gem."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    for gems in product(*(range(min(held, size) + 1) for held in holdings)):
        if sum(gems) <= size and [sum(gems), *gems] > least:
            yield list(gems)


class Haggler:
    """One seat that values every position by the money from the next scoring."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.seat: int = hello["seat"]
        self.settings = settings(args, margin=0.5, events=1)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move for a decision. Each kind of decision has its own method."""
        self.view = view
        self.worth = SeatWorth(view)
        self.table = self.worth.table
        answer: Move = getattr(self, decision["kind"])(decision)
        return answer

    def action_worth(self, action: str, seat: int) -> float:
        """Return what I gain if I carry out ``action`` with the gem card of ``seat``."""
        if action == "event":
            return self.settings["events"] * max(4.0, self.worth.event(self.view["event"]["display"]))
        if action == "free_choice":
            return 3.0
        if action == "money":
            return float(self.view["players"][seat]["gem_card"][0])
        return self.worth.of(moved(self.table, self.worth.gems_of(seat), None, self.seat)) - self.worth.of(self.table)

    # Choosing and guessing

    def action(self, decision: Document) -> Move:
        """Choose the best action after a small random change of the values."""
        seat = self.seat if self.view["active"] is None else self.view["active"]
        worths: dict[str, float] = {
            a: self.action_worth(a, seat) * (1 + MOOD * self.dice.fraction()) for a in decision["options"]
        }
        return max(worths, key=worths.__getitem__)

    guess = action
    """Two players: guess that the other player hides the action that is best for me."""

    # Bartering

    def acting(self, action: str, table: Table) -> float:
        """Return the value of ``table`` plus ``action``, if I carry it out."""
        seat = self.seat if self.view["active"] is None else self.view["active"]
        if action == "gems":
            return self.worth.of(moved(table, self.worth.gems_of(seat), None, self.seat))
        return self.worth.of(table) + self.action_worth(action, seat)

    def watching(self, action: str, table: Table, other: int) -> float:
        """Return the value of ``table`` if ``other`` carries out ``action``."""
        if action != "gems":
            return self.worth.of(table)
        seat = other if self.view["active"] is None else self.view["active"]
        return self.worth.of(moved(table, self.worth.gems_of(seat), None, other))

    def best_offer(self, decision: Document, standing: list[int]) -> tuple[float, list[int]] | None:
        """Return the best legal offer and my value if it is accepted, or ``None``."""
        judged = [
            (self.acting(decision["action"], moved(self.table, gems, self.seat, decision["other"])), gems)
            for gems in offers_above(decision["holdings"], standing)
        ]
        return max(judged, default=None)

    def open_barter(self, decision: Document) -> Move:
        """Make an offer if buying the action is better than letting the other player act."""
        best = self.best_offer(decision, [0, 0, 0, 0])
        refused = self.watching(decision["action"], self.table, decision["other"])
        if best is None or best[0] < refused + self.settings["margin"]:
            return "decline"
        return {"offer": best[1]}

    def answer_offer(self, decision: Document) -> Move:
        """Accept the offer unless a higher offer of mine is better."""
        best = self.best_offer(decision, decision["standing"])
        paid = moved(self.table, decision["standing"], decision["other"], self.seat)
        accepted = self.watching(decision["action"], paid, decision["other"])
        if best is None or decision["offers_made"] >= decision["offers_limit"]:
            return "accept"
        return {"offer": best[1]} if best[0] > accepted + self.settings["margin"] else "accept"

    def counter_gift(self, decision: Document) -> Move:
        """Buy the action for the gem that I need least, unless it is too expensive."""
        void = self.worth.of(self.table)
        judged = {}
        for colour in decision["colours"]:
            gift = one(colour)
            judged[colour] = self.acting(decision["action"], moved(self.table, gift, self.seat, decision["to"]))
        best = max(judged, key=judged.__getitem__)
        return {"gift": best} if judged[best] > void else "decline"

    # Events and free choice

    def event_card(self, decision: Document) -> Move:
        """Choose the card on display unless it is worth less than an average card."""
        return "face_up" if self.worth.event(decision["display"]) >= 4.0 else "blind"

    def immediate(self, decision: Document) -> Move:
        """Choose the best way to carry out an immediate card, or decline."""
        judged: list[tuple[float, Move]] = [(self.worth.of(self.table), "decline")]
        judged += [(self.worth.judge(decision["card"], move), move) for move in self.ways(decision)]
        return max(judged, key=lambda way: way[0])[1]

    def ways(self, decision: Document) -> Iterator[Move]:
        """Yield the ways to carry out an immediate card."""
        kind = decision["card"].partition(":")[0]
        if kind in ("half", "three"):
            yield from ({"colour": colour} for colour in COLOURS)
        elif kind == "swap":
            for seat, colours in decision["take"].items():
                for give, wanted in product(decision["give"], colours):
                    yield {"give": give, "seat": int(seat), "take": wanted}
        elif kind == "rob":
            take = {seat: self.worth.dearest(int(seat), colours) for seat, colours in decision["take"].items()}
            if take:
                yield {"take": take}
        else:
            yield "apply"

    def free_choice(self, decision: Document) -> Move:
        """Take the gems that I need most. As the only chooser, return the gem that I need least."""
        judged: list[tuple[float, Move]] = [(self.worth.of(self.table), "decline")]
        for give in decision["give"] if decision["alone"] else [None]:
            table, left = self.table, list(decision["take"]["supply"])
            if give:
                left[COLOURS.index(give)] += 1
                table = moved(table, one(give), self.seat, None)
            for take in self.takings(left, decision["take"]["count"]):
                gems = [take.count(colour) for colour in COLOURS]
                move: Move = {"give": give, "take": take} if give else {"take": take}
                judged.append((self.worth.of(moved(table, gems, None, self.seat)), move))
        return max(judged, key=lambda way: way[0])[1]

    def takings(self, supply: list[int], count: int) -> Iterator[list[str]]:
        """Yield the ways to take ``count`` gems from ``supply``, in the order of the colors."""
        for gems in product(*(range(min(left, count) + 1) for left in supply)):
            if sum(gems) == count:
                yield [colour for colour, number in zip(COLOURS, gems, strict=True) for _ in range(number)]
