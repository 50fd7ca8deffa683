"""How the bot plays Edel, Stein & Reich. This is the file to change.

Every question has a kind, and ``choose`` hands it to the method of that name. ``decision`` is what is asked and what
bounds the answer, ``view`` is the whole table as this seat may see it. examples.json has real ones to look at.
"""

from __future__ import annotations

import random
from typing import Any

Document = dict[str, Any]

COLOURS = "RYGB"
"""Lists of four numbers, such as an offer or what somebody holds, are always in this order."""

PRICE = {"R": 3.5, "Y": 3.0, "G": 2.5, "B": 2.0}
"""What one gem is worth to this bot, in money: a quarter of what the majority of its colour pays (14, 12, 10, 8)."""

EVENT = 4.5
"""What an event card is worth. All the same? Certainly not: here is something to gain."""

BOLDNESS = 0.3
"""How much chance there is in choosing an action. With none, two bots of this kind would always want the same."""


class Strategy:
    """One seat in one game. What is kept in ``self`` lasts until the game ends."""

    def __init__(self, hello: Document) -> None:
        self.seat = hello["seat"]
        self.dice = random.Random(hello["seed"])  # the same seed, the same game: that makes bugs come back

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """The move. A kind without a method here gets the default move, which is always legal."""
        method = getattr(self, decision["kind"], None)
        return method(decision, view) if method else decision["default"]

    # --- what to do this round -----------------------------------------------------------------------------------

    def action(self, decision: Document, view: Document) -> Any:
        """Money, the event card or gems? Whatever is worth most, with a little chance in it."""
        return max(
            decision["options"], key=lambda action: self.worth(action, view) * self.dice.uniform(1, 1 + BOLDNESS)
        )

    def guess(self, decision: Document, view: Document) -> Any:
        """With two seats: which action does the other one hide? The one that I would have chosen."""
        return self.action(decision, view)

    def worth(self, action: str, view: Document) -> float:
        """What an action would bring this round, in money."""
        owner = self.seat if view["active"] is None else view["active"]  # two seats share the card of whose turn it is
        card = view["players"][owner]["gem_card"]  # such as "5RRY": five millions, or two reds and a yellow
        if action == "money":
            return int(card[0])
        if action == "gems":
            return sum(PRICE[colour] for colour in card[1:])
        return EVENT  # the event card, or with five seats the free choice

    # --- bartering: two want the same ----------------------------------------------------------------------------

    def open_barter(self, decision: Document, view: Document) -> Any:
        """Offer one gem of the cheapest colour, if the action brings at least twice as much."""
        offer = cheapest(decision["holdings"], 1)
        if offer is None or 2 * price(offer) > self.worth(decision["action"], view):
            return "decline"
        return {"offer": offer}

    def answer_offer(self, decision: Document, view: Document) -> Any:
        """Go higher while acting, less what it costs, is better than being paid. More gems are always higher."""
        standing = decision["standing"]
        offer = cheapest(decision["holdings"], sum(standing) + 1)
        if offer is None:
            return "accept"
        gain = self.worth(decision["action"], view) - price(offer)
        return {"offer": offer} if gain > price(standing) else "accept"

    # Not here yet, and so the default moves: ``counter_gift`` (give one gem to an opener who offered nothing),
    # ``event_card`` (the open card, or the unknown one), ``immediate`` (what to do with a card that acts at once) and
    # ``free_choice``. `esr rules edel-stein-reich` explains them; write a method with the name and it is asked.


def price(gems: list[int]) -> float:
    """What a handful of gems is worth."""
    return sum(PRICE[colour] * count for colour, count in zip(COLOURS, gems, strict=True))


def cheapest(holdings: list[int], count: int) -> list[int] | None:
    """The ``count`` cheapest of the gems one holds; ``None`` where there are not so many."""
    if sum(holdings) < count:
        return None
    taken = [0, 0, 0, 0]
    for index in reversed(range(4)):  # blue is the cheapest
        taken[index] = min(holdings[index], count - sum(taken))
    return taken
