"""Greedy: everything has a fixed price. It takes the most valuable item.

It ignores the other players: their majorities, and their interest in the same card. The settings ``money``, ``gems``
and ``events`` are weights for these items (``money=2`` on the command line).
"""

from __future__ import annotations

from itertools import product

from wire import Dice, Document, play, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from wire import Move

COLOURS = "RYGB"
GEM = (3.5, 3.0, 2.5, 2.0)
"""The price of one gem of each color: a quarter of the payment for its majority."""
EVENT = {
    "cert": 5.0, "half": 4.0, "swap": 2.0, "rob": 4.0, "three": 9.0, "halve_all": 1.0, "sole_any": 4.0,
    "sole": 2.5, "per": 4.0, "adjust": 3.0,
}  # fmt: skip
"""The price of an event card by the part of its code before the colon."""
BLIND = 4.3
"""The price of an unknown event card: approximately the mean of all 39 cards."""
MOOD = 0.3
"""Maximum random change of the price of an action, so that two such bots do not always choose the same action."""


def price(gems: list[int]) -> float:
    """Return the value of gems ``[R, Y, G, B]``."""
    return sum(one * count for one, count in zip(GEM, gems, strict=True))


def cheapest_offer(holdings: list[int], standing: list[int]) -> list[int] | None:
    """Return the cheapest legal offer above ``standing``, or ``None`` if there is none."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    offers = product(*(range(min(held, size) + 1) for held in holdings))
    higher = [list(gems) for gems in offers if sum(gems) <= size and [sum(gems), *gems] > least]
    return min(higher, key=price, default=None)


class Greedy:
    """One seat that takes the most valuable item by the prices above."""

    def __init__(self, hello: Document, args: list[str]) -> None:
        self.dice = Dice(hello["seed"])
        self.likes = settings(args, money=1, gems=1, events=1)

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move for a decision. Each kind of decision has its own method."""
        answer: Move = getattr(self, decision["kind"])(decision, view)
        return answer

    def worth(self, action: str, view: Document) -> float:
        """Return the value of carrying out ``action`` with the cards of this round."""
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
        """Choose the most valuable action after a small random change of the values."""
        worths: dict[str, float] = {
            a: self.worth(a, view) * (1 + MOOD * self.dice.fraction()) for a in decision["options"]
        }
        return max(worths, key=worths.__getitem__)

    def guess(self, decision: Document, view: Document) -> Move:
        """Two players: guess that the other player hides the most valuable action."""
        return self.action(decision, view)

    def open_barter(self, decision: Document, view: Document) -> Move:
        """Offer the cheapest gem if the action is worth at least twice its price."""
        offer = cheapest_offer(decision["holdings"], [0, 0, 0, 0])
        if offer is None or 2 * price(offer) > self.worth(decision["action"], view):
            return "decline"
        return {"offer": offer}

    def answer_offer(self, decision: Document, view: Document) -> Move:
        """Make a higher offer if this gains more than the offered gems are worth."""
        offer = cheapest_offer(decision["holdings"], decision["standing"])
        if offer is None or decision["offers_made"] >= decision["offers_limit"]:
            return "accept"
        gain = self.worth(decision["action"], view) - price(offer)
        return {"offer": offer} if gain > price(decision["standing"]) else "accept"

    def counter_gift(self, decision: Document, view: Document) -> Move:
        """Buy the action for one gem if it is worth more."""
        colour = decision["colours"][-1]
        worth_it = self.worth(decision["action"], view) > GEM[COLOURS.index(colour)]
        return {"gift": colour} if worth_it else "decline"

    def event_card(self, decision: Document, view: Document) -> Move:
        """Choose the card on display unless it is worth less than an average card."""
        return "face_up" if EVENT[decision["display"].partition(":")[0]] >= BLIND else "blind"

    def immediate(self, decision: Document, view: Document) -> Move:
        """Carry out an immediate card with the most valuable colors."""
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
        """Take the most valuable color of each opponent (rob), or exchange the cheapest own gem for it (swap)."""
        if not decision["take"] or decision.get("give") == []:
            return "decline"
        if decision["card"] == "rob":
            return {"take": {seat: colours[0] for seat, colours in decision["take"].items()}}
        seat, colours = min(decision["take"].items(), key=lambda item: COLOURS.index(item[1][0]))
        return {"give": decision["give"][-1], "seat": int(seat), "take": colours[0]}

    def free_choice(self, decision: Document, view: Document) -> Move:
        """Take the most valuable gems of the supply and return the cheapest own gem if necessary."""
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
