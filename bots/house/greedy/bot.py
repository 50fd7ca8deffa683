"""Greedy: everything has a fixed price, and the dearest thing on the table is the one to take.

It never looks at the others: not at who leads a colour, nor at who else wants the same card.
Settings (``money=2`` on the command line) weigh what it likes: ``money``, ``gems``, ``events``.
"""

from __future__ import annotations

from itertools import product

from wire import Dice, Document, play, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Move

COLOURS = "RYGB"
GEM = (3.5, 3.0, 2.5, 2.0)
"""The price of one gem of each colour: a quarter of what its majority pays."""
EVENT = {
    "cert": 5.0, "half": 4.0, "swap": 2.0, "rob": 4.0, "three": 9.0, "halve_all": 1.0, "sole_any": 4.0,
    "sole": 2.5, "per": 4.0, "adjust": 3.0,
}  # fmt: skip
"""The price of an event card, by the part of its code before the colon."""
BLIND = 4.3
"""The price of an event card nobody has seen: about the mean of the 39."""
MOOD = 0.3
"""How far the price of an action varies from round to round, so that two of this kind do not always meet."""


def price(gems: list[int]) -> float:
    """What a handful of gems is worth, ``[R, Y, G, B]``."""
    return sum(one * count for one, count in zip(GEM, gems, strict=True))


def cheapest_offer(holdings: list[int], standing: list[int]) -> list[int] | None:
    """The cheapest legal offer above ``standing``, ``None`` when there is none."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    offers = product(*(range(min(held, size) + 1) for held in holdings))
    higher = [list(gems) for gems in offers if sum(gems) <= size and [sum(gems), *gems] > least]
    return min(higher, key=price, default=None)


class Greedy:
    """Takes what is dearest by the price list above."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.likes = settings(args, money=1, gems=1, events=1)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """The answer to one decision: every kind has a method of its own."""
        answer: Move = getattr(self, decision["kind"])(decision, view)
        return answer

    def worth(self, action: str, view: Document) -> float:
        """What carrying out ``action`` would bring with this round's cards."""
        if action == "event":
            display = view["event"]["display"].partition(":")[0]
            return self.likes["events"] * max(EVENT[display], BLIND)
        if action == "free_choice":
            return self.likes["gems"] * GEM[0]
        seat = view["seat"] if view["active"] is None else view["active"]
        card = view["players"][seat]["gem_card"]
        if action == "money":
            return self.likes["money"] * int(card[0])
        return self.likes["gems"] * price([card.count(colour) for colour in COLOURS])

    def action(self, decision: Document, view: Document) -> Move:
        """The dearest action, with a little chance in the prices."""
        worths: dict[str, float] = {
            a: self.worth(a, view) * (1 + MOOD * self.dice.fraction()) for a in decision["options"]
        }
        return max(worths, key=worths.__getitem__)

    def guess(self, decision: Document, view: Document) -> Move:
        """Two players: everybody takes what is dearest, so that is what the other one hides."""
        return self.action(decision, view)

    def open_barter(self, decision: Document, view: Document) -> Move:
        """Offer the cheapest gem if the action brings twice its price."""
        offer = cheapest_offer(decision["holdings"], [0, 0, 0, 0])
        if offer is None or 2 * price(offer) > self.worth(decision["action"], view):
            return "decline"
        return {"offer": offer}

    def answer_offer(self, decision: Document, view: Document) -> Move:
        """Outbid while acting for the next higher price is better than taking what is offered."""
        offer = cheapest_offer(decision["holdings"], decision["standing"])
        if offer is None or decision["offers_made"] >= decision["offers_limit"]:
            return "accept"
        gain = self.worth(decision["action"], view) - price(offer)
        return {"offer": offer} if gain > price(decision["standing"]) else "accept"

    def counter_gift(self, decision: Document, view: Document) -> Move:
        """Buy the action for one gem if that is cheap."""
        colour = decision["colours"][-1]
        worth_it = self.worth(decision["action"], view) > GEM[COLOURS.index(colour)]
        return {"gift": colour} if worth_it else "decline"

    def event_card(self, decision: Document, view: Document) -> Move:
        """The dearer of the card on display and an average one."""
        return "face_up" if EVENT[decision["display"].partition(":")[0]] >= BLIND else "blind"

    def immediate(self, decision: Document, view: Document) -> Move:
        """Carry the card out with the dearest colours."""
        kind, _, colours = decision["card"].partition(":")
        own = view["players"][decision["seat"]]["gems"]
        if kind == "half":
            return {"colour": COLOURS[own.index(max(own))]}
        if kind == "three":
            supply = view["supply"]
            return {"colour": max(COLOURS, key=lambda c: GEM[COLOURS.index(c)] * min(3, supply[COLOURS.index(c)]))}
        if kind == "adjust":
            gain = sum(GEM[i] * (4 - own[i]) for i in map(COLOURS.index, colours))
            return "apply" if gain > 0 else "decline"
        if kind == "halve_all":
            mean = sum(price(player["gems"]) for player in view["players"]) / view["seats"]
            return "apply" if price(own) < mean else "decline"
        return self.from_opponents(decision)

    def from_opponents(self, decision: Document) -> Move:
        """Take the dearest colour of each (rob), or the dearest there is for the own cheapest (swap)."""
        if not decision["take"] or decision.get("give") == []:
            return "decline"
        if decision["card"] == "rob":
            return {"take": {seat: colours[0] for seat, colours in decision["take"].items()}}
        seat, colours = min(decision["take"].items(), key=lambda item: COLOURS.index(item[1][0]))
        return {"give": decision["give"][-1], "seat": int(seat), "take": colours[0]}

    def free_choice(self, decision: Document, view: Document) -> Move:
        """The dearest gems in the supply; the cheapest one goes back."""
        supply = list(decision["take"]["supply"])
        if decision["alone"] and not decision["give"]:
            return "decline"
        if decision["alone"]:
            supply[COLOURS.index(decision["give"][-1])] += 1
        dearest = [colour for colour, left in zip(COLOURS, supply, strict=True) for _ in range(left)]
        take = dearest[: decision["take"]["count"]]
        return {"give": decision["give"][-1], "take": take} if decision["alone"] else {"take": take}


if __name__ == "__main__":
    play(Greedy)
