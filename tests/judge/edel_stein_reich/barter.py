"""The barter (`rules.md` 2.5; "Barter" in `record.md`)."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

from tests.judge.table import Ask, Procedure

from .cards import OFFERS_LIMIT
from .table import Barter, Table, colours_of, one_gem


def barter(table: Table, action: str, two: list[int]) -> Procedure:
    """Returns the seat that performs the action, or None when it is void."""
    opener, other = table.poorest_first(two)
    table.barter = Barter(action, opener, other)
    bounds = {"action": action, "other": other, "holdings": list(table.gems[opener])}
    (move,) = yield [Ask(opener, "open_barter", ["decline", *offers(table.gems[opener])], bounds)]
    if move == "decline":
        winner = yield from counter_gift(table, table.barter)
    else:
        winner = yield from answers(table, table.barter, move["offer"])
    table.barter = None
    return winner


def counter_gift(table: Table, state: Barter) -> Procedure:
    """The opener declined: the other may give exactly one gem and acts, or the action is void (A13 to A16)."""
    state.declined.append(state.opener)
    colours = colours_of(table.gems[state.other])
    legal = ["decline", *({"gift": colour} for colour in colours)]
    bounds = {"action": state.action, "to": state.opener, "colours": colours}
    (move,) = yield [Ask(state.other, "counter_gift", legal, bounds)]
    if move == "decline":
        table.tell("void", action=state.action)
        return None
    table.move_gems(state.other, state.opener, one_gem(move["gift"]), "counter_gift")
    return state.other


def answers(table: Table, state: Barter, offer: list[int]) -> Procedure:
    """Accept or raise in turn, until somebody accepts; whoever made the last offer acts."""
    offerer, answerer = state.opener, state.other
    while True:
        state.offers.append({"seat": offerer, "offer": list(offer)})
        made = len(state.offers)
        holdings = table.gems[answerer]
        standing = rank(offer)
        higher = [raised for raised in offers(holdings) if rank(raised["offer"]) > standing]
        legal = ["accept", *(higher if made < OFFERS_LIMIT else [])]
        bounds = {
            "action": state.action,
            "other": offerer,
            "holdings": list(holdings),
            "standing": list(offer),
            "offers_made": made,
            "offers_limit": OFFERS_LIMIT,
        }
        (move,) = yield [Ask(answerer, "answer_offer", legal, bounds)]
        if move == "accept":
            table.move_gems(offerer, answerer, offer, "barter")
            return offerer
        offer = move["offer"]
        offerer, answerer = answerer, offerer


def offers(holdings: list[int]) -> list[dict[str, Any]]:
    """Every offer out of these gems, lowest first."""
    return [{"offer": list(vector)} for vector in vectors(tuple(holdings))]


@cache
def vectors(holdings: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every part of these gems but none, lowest first."""
    parts = product(*(range(count + 1) for count in holdings))
    return [part for part in sorted(parts, key=rank) if any(part)]


def rank(offer: list[int] | tuple[int, ...]) -> tuple[int, ...]:
    """What makes one offer higher than another: the count, then R, Y, G, B."""
    return (sum(offer), *offer)
