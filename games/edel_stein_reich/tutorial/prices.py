"""Values by the rule of thumb that the tutorial teaches, in half millions.

A gem counts a quarter of the payment for the majority of its color: 3½, 3, 2½ and 2 millions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

from games.edel_stein_reich.cards import COLOURS, GEMS_ON_CARD, MAJORITY_VALUES, MONEY_ON_CARD, SOLE_BONUS
from games.rules import Document

GEM: Final = tuple(value // 2 for value in MAJORITY_VALUES)
CERTIFICATE: Final = 10
THREE: Final = 3 * GEM[0]
UNSEEN: Final = 6
"""The value of an unknown event card."""

_FLAT: Final = {"cert": CERTIFICATE, "three": THREE, "sole_any": 8, "half": 8}


def price(gems: Sequence[int]) -> int:
    """Return the value of gems ``[R, Y, G, B]``."""
    return sum(value * count for value, count in zip(GEM, gems, strict=True))


def of_event(card: str, gems: Sequence[int]) -> int:
    """Return the value of an event card for a player who has ``gems``."""
    kind, _, colours = card.partition(":")
    if kind in _FLAT:
        return _FLAT[kind]
    if kind == "sole":
        return SOLE_BONUS[COLOURS.index(colours)]  # every other time it pays
    if kind == "per":
        return 2 * gems[COLOURS.index(colours)]
    return max(0, sum(GEM[at] * (4 - gems[at]) for at in map(COLOURS.index, colours)))


def of_action(view: Document, seat: int, action: str) -> int:
    """Return the value of ``action`` for ``seat`` in this round."""
    own = view["players"][seat]
    if action == "money":
        return 2 * MONEY_ON_CARD[own["gem_card"]]
    if action == "gems":
        return price(GEMS_ON_CARD[own["gem_card"]])
    display = view["event"]["display"]
    return max(UNSEEN, of_event(display, own["gems"])) if display else UNSEEN


def dearest(view: Document, seat: int, actions: Sequence[str]) -> str:
    """Return the most valuable action for ``seat``; the first of several."""
    return max(actions, key=lambda action: of_action(view, seat, action))


def lowest_offer(held: Sequence[int], standing: Sequence[int]) -> list[int] | None:
    """Return the cheapest offer from ``held`` above ``standing``, or ``None``."""
    least = [sum(standing), *standing]
    size = least[0] + 1
    offers = product(*(range(min(have, size) + 1) for have in held))
    higher = [list(gems) for gems in offers if sum(gems) <= size and [sum(gems), *gems] > least]
    return min(higher, key=price, default=None)


def drawn(gems: Sequence[int]) -> str:
    """Return gems as tokens for a page: ``2 {Y} 1 {B}`` for ``[0, 2, 0, 1]``."""
    return " ".join(f"{count} {{{colour}}}" for colour, count in zip(COLOURS, gems, strict=True) if count) or "0"


def millions(halves: int) -> str:
    """Return half millions as a number of millions: ``3½`` for 7."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def gains(offer: Sequence[int] | None, brings: int, standing: Sequence[int]) -> bool:
    """Return whether acting for ``offer`` is better than receiving ``standing``."""
    return offer is not None and brings - price(offer) > price(standing)


def lowest_alike(held: Sequence[int], standing: Sequence[int]) -> list[int] | None:
    """Return the lowest higher offer with as many gems as ``standing``, or ``None``."""
    count = sum(standing)
    offers = product(*(range(min(have, count) + 1) for have in held))
    return min((list(gems) for gems in offers if sum(gems) == count and list(gems) > list(standing)), default=None)
