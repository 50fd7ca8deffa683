"""Haggler: a gem is worth what the coming scoring pays for it, and that decides every bargain.

One red gem more is worth a lot where two seats are level and nothing where one is far ahead. So the haggler
pays with gems that do not help him, and asks for those that do. What the others may be choosing at the same
time he does not consider. Settings: ``margin``, the money a bargain must bring him to be worth the trouble;
``events`` weighs how much he likes event cards.
"""

from __future__ import annotations

from itertools import product
from math import exp

from wire import Dice, Document, play, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire import Move

    Table = list[list[int]]
    """The gems of every seat, ``[R, Y, G, B]`` each."""

COLOURS = "RYGB"
MAJORITY = (14, 12, 10, 8)
SOLE_BONUS = (8, 7, 6, 5)
LATER = 1.2
"""What a gem is worth beyond the coming scoring, a phase."""
MOOD = 0.2
"""How far the worth of an action varies from round to round, so that two of this kind do not always meet."""


def offers_above(holdings: list[int], standing: list[int]) -> Iterator[list[int]]:
    """The legal offers above ``standing`` that hold at most one gem more."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    for gems in product(*(range(min(held, size) + 1) for held in holdings)):
        if sum(gems) <= size and [sum(gems), *gems] > least:
            yield list(gems)


def moved(table: Table, gems: list[int], giver: int | None, taker: int | None) -> Table:
    """The table after ``gems`` have gone from one seat to another; ``None`` is the supply."""
    after = [list(own) for own in table]
    for i, count in enumerate(gems):
        if giver is not None:
            after[giver][i] -= count
        if taker is not None:
            after[taker][i] += count
    return after


class Haggler:
    """Judges every outcome by the money it brings at the coming scoring."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.seat: int = hello["seat"]
        self.settings = settings(args, margin=0.5, events=1)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """The answer to one decision: every kind has a method of its own."""
        self.view = view
        self.players = view["players"]
        self.table: Table = [player["gems"] for player in self.players]
        self.later: float = LATER * (view["phases"] - view["phase"])
        self.doubt = 0.4 + 0.25 * (view["rounds"] - view["round"]) ** 0.5
        answer: Move = getattr(self, decision["kind"])(decision)
        return answer

    # What things are worth, in money

    def share(self, table: Table, colour: int) -> float:
        """How likely the majority in ``colour`` is mine: the more rounds are left, the less a lead counts."""
        weights = [exp((own[colour] - table[self.seat][colour]) / self.doubt) for own in table]
        return 1 / sum(weights) if table[self.seat][colour] else 0.0

    def worth(self, table: Table) -> float:
        """What my gems bring at the coming scoring, and a little for the scorings after it."""
        coming = sum(pays * self.share(table, i) for i, pays in enumerate(MAJORITY))
        return coming + self.later * sum(table[self.seat])

    def certificate(self) -> float:
        """What one more certificate brings: 10 for the most, 4 for the second most."""
        counts = [player["cards"].count("cert") for player in self.players]
        mine = counts.pop(self.seat)
        lead = mine + 1 - max(counts)
        return 9.0 if lead == 1 else 6.0 if lead == 0 else 2.5 if lead < 0 else 1.5

    def event(self, card: str) -> float:
        """What an event card brings if I get it."""
        kind, _, rest = card.partition(":")
        before = self.worth(self.table)
        if kind == "cert":
            return self.certificate()
        if kind == "sole":
            colour = COLOURS.index(rest)
            return SOLE_BONUS[colour] * self.share(self.table, colour)
        if kind == "sole_any":
            return 4 * sum(self.share(self.table, colour) for colour in range(4))
        if kind == "per":
            return self.table[self.seat][COLOURS.index(rest)] + 0.5
        if kind == "three":
            return max(self.worth(self.three(colour)) for colour in range(4)) - before
        if kind == "half":
            return max(pays / 2 * self.share(self.table, colour) for colour, pays in enumerate(MAJORITY))
        if kind == "adjust":
            return max(0.0, self.worth(self.adjusted(rest)) - before)
        return 2.5

    def action_worth(self, action: str, seat: int) -> float:
        """What ``action`` brings me when I carry it out with the gem card of ``seat``."""
        if action == "event":
            return self.settings["events"] * max(4.0, self.event(self.view["event"]["display"]))
        if action == "free_choice":
            return 3.0
        card = self.players[seat]["gem_card"]
        if action == "money":
            return float(card[0])
        return self.worth(moved(self.table, self.on_card(card), None, self.seat)) - self.worth(self.table)

    def on_card(self, card: str) -> list[int]:
        """The gems of a gem card that the supply still has."""
        return [min(card.count(colour), left) for colour, left in zip(COLOURS, self.view["supply"], strict=True)]

    def three(self, colour: int) -> Table:
        """The table after I have taken three gems of ``colour``."""
        gems = [0, 0, 0, 0]
        gems[colour] = min(3, self.view["supply"][colour])
        return moved(self.table, gems, None, self.seat)

    def adjusted(self, colours: str) -> Table:
        """The table after I have set both ``colours`` to four."""
        after = [list(own) for own in self.table]
        for colour in map(COLOURS.index, colours):
            after[self.seat][colour] = min(4, self.table[self.seat][colour] + self.view["supply"][colour])
        return after

    # Choosing and guessing

    def action(self, decision: Document) -> Move:
        """The action that brings most, with a little chance in it."""
        seat = self.seat if self.view["active"] is None else self.view["active"]
        worths: dict[str, float] = {
            a: self.action_worth(a, seat) * (1 + MOOD * self.dice.fraction()) for a in decision["options"]
        }
        return max(worths, key=worths.__getitem__)

    guess = action
    """Two players: what I would like best is what the other one hides."""

    # Bartering

    def acting(self, action: str, table: Table) -> float:
        """What I have when I carry out ``action`` after gems have changed hands to ``table``."""
        seat = self.seat if self.view["active"] is None else self.view["active"]
        if action == "gems":
            return self.worth(moved(table, self.on_card(self.players[seat]["gem_card"]), None, self.seat))
        return self.worth(table) + self.action_worth(action, seat)

    def watching(self, action: str, table: Table, other: int) -> float:
        """What I have when ``other`` carries out ``action`` after gems have changed hands to ``table``."""
        if action != "gems":
            return self.worth(table)
        seat = other if self.view["active"] is None else self.view["active"]
        return self.worth(moved(table, self.on_card(self.players[seat]["gem_card"]), None, other))

    def best_offer(self, decision: Document, standing: list[int]) -> tuple[float, list[int]] | None:
        """What the best legal offer would leave me with if it is accepted, and the offer."""
        judged = [
            (self.acting(decision["action"], moved(self.table, gems, self.seat, decision["other"])), gems)
            for gems in offers_above(decision["holdings"], standing)
        ]
        return max(judged, default=None)

    def open_barter(self, decision: Document) -> Move:
        """Offer if buying the action is better than being given one gem for it."""
        best = self.best_offer(decision, [0, 0, 0, 0])
        refused = self.watching(decision["action"], self.table, decision["other"])
        if best is None or best[0] < refused + self.settings["margin"]:
            return "decline"
        return {"offer": best[1]}

    def answer_offer(self, decision: Document) -> Move:
        """Accept, unless acting for a higher price leaves me better off."""
        best = self.best_offer(decision, decision["standing"])
        paid = moved(self.table, decision["standing"], decision["other"], self.seat)
        accepted = self.watching(decision["action"], paid, decision["other"])
        if best is None or decision["offers_made"] >= decision["offers_limit"]:
            return "accept"
        return {"offer": best[1]} if best[0] > accepted + self.settings["margin"] else "accept"

    def counter_gift(self, decision: Document) -> Move:
        """Buy the action for the gem I miss least, unless even that is too dear."""
        void = self.worth(self.table)
        judged = {}
        for colour in decision["colours"]:
            gift = [int(colour == one) for one in COLOURS]
            judged[colour] = self.acting(decision["action"], moved(self.table, gift, self.seat, decision["to"]))
        best = max(judged, key=judged.__getitem__)
        return {"gift": best} if judged[best] > void else "decline"

    # Events and free choice

    def event_card(self, decision: Document) -> Move:
        """The card on display unless an average one is better."""
        return "face_up" if self.event(decision["display"]) >= 4.0 else "blind"

    def immediate(self, decision: Document) -> Move:
        """Whatever leaves me best off; declining is one of the choices."""
        judged: list[tuple[float, Move]] = [(self.worth(self.table), "decline")]
        judged += [(self.judge(decision["card"], move), move) for move in self.ways(decision)]
        return max(judged, key=lambda way: way[0])[1]

    def ways(self, decision: Document) -> Iterator[Move]:
        """The ways to carry out a sofort card."""
        kind = decision["card"].partition(":")[0]
        if kind in ("half", "three"):
            yield from ({"colour": colour} for colour in COLOURS)
        elif kind == "swap":
            for seat, colours in decision["take"].items():
                for give, take in product(decision["give"], colours):
                    yield {"give": give, "seat": int(seat), "take": take}
        elif kind == "rob":
            if decision["take"]:
                yield {"take": {seat: self.dearest(int(seat), colours) for seat, colours in decision["take"].items()}}
        else:
            yield "apply"

    def dearest(self, seat: int, colours: list[str]) -> str:
        """The colour whose loss by ``seat`` helps me most."""
        gems = {colour: [int(colour == one) for one in COLOURS] for colour in colours}
        return max(colours, key=lambda colour: self.worth(moved(self.table, gems[colour], seat, None)))

    def judge(self, card: str, move: Move) -> float:
        """What a way to carry out ``card`` leaves me with."""
        kind, _, rest = card.partition(":")
        if kind == "adjust":
            return self.worth(self.adjusted(rest))
        if kind == "halve_all":
            return self.worth([[count - count // 2 for count in own] for own in self.table])
        assert isinstance(move, dict)
        if kind == "three":
            return self.worth(self.three(COLOURS.index(move["colour"])))
        if kind == "half":
            return self.half(COLOURS.index(move["colour"]))
        if kind == "rob":
            table = self.table
            for seat, colour in move["take"].items():
                table = moved(table, [int(colour == one) for one in COLOURS], int(seat), None)
            return self.worth(table)
        table = moved(self.table, [int(move["give"] == one) for one in COLOURS], self.seat, move["seat"])
        return self.worth(moved(table, [int(move["take"] == one) for one in COLOURS], move["seat"], self.seat))

    def half(self, colour: int) -> float:
        """What a scoring of ``colour`` at half value, now, leaves me with; its winners return gems."""
        most = max(own[colour] for own in self.table)
        winners = [seat for seat, own in enumerate(self.table) if own[colour] == most > 0]
        after = [list(own) for own in self.table]
        for seat in winners:
            after[seat][colour] -= (most + 1) // 2 if len(winners) == 1 else min(2, most)
        paid = MAJORITY[colour] // 2 // len(winners) if self.seat in winners else 0
        return paid + self.worth(after)

    def free_choice(self, decision: Document) -> Move:
        """The gems that help me most; when alone, for the one I miss least."""
        judged: list[tuple[float, Move]] = [(self.worth(self.table), "decline")]
        for give in decision["give"] if decision["alone"] else [None]:
            table, left = self.table, list(decision["take"]["supply"])
            if give:
                left[COLOURS.index(give)] += 1
                table = moved(table, [int(give == one) for one in COLOURS], self.seat, None)
            for take in self.takings(left, decision["take"]["count"]):
                gems = [take.count(one) for one in COLOURS]
                move: Move = {"give": give, "take": take} if give else {"take": take}
                judged.append((self.worth(moved(table, gems, None, self.seat)), move))
        return max(judged, key=lambda way: way[0])[1]

    def takings(self, supply: list[int], count: int) -> Iterator[list[str]]:
        """The ways to take ``count`` gems from ``supply``, in colour order."""
        for gems in product(*(range(min(left, count) + 1) for left in supply)):
            if sum(gems) == count:
                yield [one for one, number in zip(COLOURS, gems, strict=True) for _ in range(number)]


if __name__ == "__main__":
    play(Haggler)
