"""The newcomer's opponents: they play by the rule of thumb and ignore the interests of other players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from games.edel_stein_reich.cards import COLOURS
from games.edel_stein_reich.tutorial import prices
from games.rules import Document, Move


def choose(decision: Document, view: Document) -> Move:
    """Return the move for a decision."""
    answer: Move = _ANSWERS[decision["kind"]](decision, view)
    return answer


def _action(decision: Document, view: Document) -> Move:
    return prices.dearest(view, decision["seat"], decision["options"])


def _open_barter(decision: Document, view: Document) -> Move:
    offer = prices.lowest_offer(decision["holdings"], [0, 0, 0, 0])
    brings = prices.of_action(view, decision["seat"], decision["action"])
    return {"offer": offer} if offer is not None and 2 * prices.price(offer) <= brings else "decline"


def _answer_offer(decision: Document, view: Document) -> Move:
    offer = prices.lowest_offer(decision["holdings"], decision["standing"])
    brings = prices.of_action(view, decision["seat"], decision["action"])
    return {"offer": offer} if prices.gains(offer, brings, decision["standing"]) else "accept"


def _counter_gift(decision: Document, _view: Document) -> Move:
    return {"gift": decision["colours"][-1]} if decision["colours"] else "decline"


def _event_card(_decision: Document, _view: Document) -> Move:
    return "face_up"


def _immediate(decision: Document, view: Document) -> Move:
    own = view["players"][decision["seat"]]["gems"]
    if decision["card"] == "half":
        return {"colour": COLOURS[own.index(max(own))]}
    if decision["card"] == "three":
        supply = view["supply"]
        return {"colour": COLOURS[max(range(4), key=lambda at: prices.GEM[at] * min(3, supply[at]))]}
    if decision["card"].startswith("adjust:"):
        return "apply" if prices.of_event(decision["card"], own) else "decline"
    default: Move = decision["default"]
    return default


_ANSWERS: Final[dict[str, Callable[[Document, Document], Move]]] = {
    "action": _action,
    "open_barter": _open_barter,
    "answer_offer": _answer_offer,
    "counter_gift": _counter_gift,
    "event_card": _event_card,
    "immediate": _immediate,
}
