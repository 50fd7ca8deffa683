"""The strategy of the bot for Edel, Stein & Reich. Change this file.

Every decision has a kind, and ``choose`` calls the method with this name. ``decision`` contains the question and the
limits of the answer. ``view`` contains everything that this seat can see. See examples.json for real examples.
"""

from __future__ import annotations

import random
from typing import Any

Document = dict[str, Any]

COLOURS = "RYGB"
"""Order of the four numbers in lists such as offers and holdings."""

PRICE = {"R": 3.5, "Y": 3.0, "G": 2.5, "B": 2.0}
"""Value of one gem in money: a quarter of the payment for a majority in its color (14, 12, 10, 8)."""

EVENT = 4.5
"""Value of an event card. Possible improvement: a different value for each card."""

BOLDNESS = 0.3
"""Randomness when choosing an action. Without it, two of these bots would always choose the same action."""


class Strategy:
    """One seat in one game. Attributes of ``self`` last until the game ends."""

    def __init__(self, hello: Document) -> None:
        self.seat = hello["seat"]
        self.dice = random.Random(hello["seed"])  # the same seed gives the same game, so bugs are reproducible

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """Return the move. Decisions without a method get the default move, which is always legal."""
        method = getattr(self, decision["kind"], None)
        return method(decision, view) if method else decision["default"]

    # --- choosing an action --------------------------------------------------------------------------------------

    def action(self, decision: Document, view: Document) -> Any:
        """Choose money, the event card or gems: the most valuable action, with some randomness."""
        return max(
            decision["options"], key=lambda action: self.worth(action, view) * self.dice.uniform(1, 1 + BOLDNESS)
        )

    def guess(self, decision: Document, view: Document) -> Any:
        """With two seats: guess the opponent's hidden action. We guess the action that we would have chosen."""
        return self.action(decision, view)

    def worth(self, action: str, view: Document) -> float:
        """Value of an action in this round, in money."""
        owner = self.seat if view["active"] is None else view["active"]  # two seats share the card of the active seat
        card = view["players"][owner]["gem_card"]  # for example "5RRY": five million, or two red gems and a yellow gem
        if action == "money":
            return int(card[0])
        if action == "gems":
            return sum(PRICE[colour] for colour in card[1:])
        return EVENT  # the event card, or the free choice with five seats

    # --- bartering -----------------------------------------------------------------------------------------------

    def open_barter(self, decision: Document, view: Document) -> Any:
        """Offer one gem of the cheapest color if the action is worth at least twice as much."""
        offer = cheapest(decision["holdings"], 1)
        if offer is None or 2 * price(offer) > self.worth(decision["action"], view):
            return "decline"
        return {"offer": offer}

    def answer_offer(self, decision: Document, view: Document) -> Any:
        """Outbid while the action minus its cost is worth more than the payment. More gems always outbid."""
        standing = decision["standing"]
        offer = cheapest(decision["holdings"], sum(standing) + 1)
        if offer is None:
            return "accept"
        gain = self.worth(decision["action"], view) - price(offer)
        return {"offer": offer} if gain > price(standing) else "accept"

    # These decisions have no method yet and get default moves: ``counter_gift`` (give one gem to an opener who offered
    # nothing), ``event_card`` (the open or the unknown card), ``immediate`` (use of a card with an immediate effect)
    # and ``free_choice``. `esr rules edel-stein-reich` explains them. To handle one, add a method with its name.


def price(gems: list[int]) -> float:
    """Value of gems in money."""
    return sum(PRICE[colour] * count for colour, count in zip(COLOURS, gems, strict=True))


def cheapest(holdings: list[int], count: int) -> list[int] | None:
    """The ``count`` cheapest gems in ``holdings``, or ``None`` if there are fewer."""
    if sum(holdings) < count:
        return None
    taken = [0, 0, 0, 0]
    for index in reversed(range(4)):  # blue is the cheapest
        taken[index] = min(holdings[index], count - sum(taken))
    return taken
