"""The moves of Die Weinhändler as sequences of actions.

| actions | meaning | moves |
|---|---|---|
| ``pass``, ``done`` | as in a record | a complete move |
| ``stop`` | no more cards | the end of a bid |
| ``empty``, ``Y5`` … ``P25`` | a bottle in your hand | a bid, highest value first; the first action of laying |
| ``[0, -4]`` … ``[4, 0]`` | a cell, level and x | the second action of laying, also in a new cellar |
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from games.die_weinhaendler.cards import CODES, EMPTY, NUMBERS, TENTHS
from games.die_weinhaendler.grid import CELLS, cell_of, place_of
from games.learning import Chosen
from games.rules import Document, Move

PLACES: Final = tuple(place_of(cell) for cell in range(CELLS) if cell_of(*place_of(cell)) == cell)
"""The 35 cells that a cellar can have, as ``[level, x]``."""

PASS: Final = 0
DONE: Final = 1
STOP: Final = 2
CARD: Final = 3
CELL: Final = CARD + len(CODES)

NAMES: Final = ("pass", "done", "stop", *CODES, *map(str, PLACES))
"""The names of all actions."""

_CELL: Final = {tuple(place): CELL + number for number, place in enumerate(PLACES)}


def options(decision: Document, chosen: Chosen) -> list[int]:
    """Return the actions that can follow ``chosen``; none after a complete move."""
    return _bid(decision, chosen) if decision["kind"] == "bid" else _lay(decision, chosen)


def cards_chosen(chosen: Chosen) -> list[str]:
    """Return the codes of the chosen bottles."""
    return [CODES[action - CARD] for action in chosen if CARD <= action < CELL]


# --- bidding ------------------------------------------------------------------------------------


def _bid(decision: Document, chosen: Chosen) -> list[int]:
    if chosen and chosen[-1] < CARD:
        return []
    taken = decision["taken"]
    hand = [NUMBERS[code] for code in decision["hand"]]
    total = decision["total"] or 0
    for action in chosen:
        hand.remove(action - CARD)
        total += TENTHS[action - CARD]
    follow = [] if chosen and total in taken else [STOP if chosen else PASS]
    last = chosen[-1] - CARD if chosen else len(CODES) - 1
    for card in sorted({card for card in hand if card <= last}):
        rest = [other for other in hand if other <= card]
        rest.remove(card)
        if _can_differ(total + TENTHS[card], rest, taken):
            follow.append(CARD + card)
    return follow


def _can_differ(total: int, rest: Sequence[int], taken: Collection[int]) -> bool:
    """Return whether ``total``, alone or with some of ``rest``, is a total that no other seat has.

    Adding the rest one by one gives different totals. So if the rest has at least as many cards as there are other
    totals, one of them is free. If it has fewer, there are few selections to try.
    """
    if total not in taken or len(rest) >= len(taken):
        return True
    return any(_can_differ(total + TENTHS[card], rest[place + 1 :], taken) for place, card in enumerate(rest))


# --- laying -------------------------------------------------------------------------------------


def _lay(decision: Document, chosen: Chosen) -> list[int]:
    if not chosen:
        stop = [] if decision["must_lay"] else [DONE]
        cards = sorted({NUMBERS[code] for code in decision["hand"]})
        return stop + [CARD + card for card in cards if _cells(decision, card)]
    return _cells(decision, chosen[0] - CARD) if len(chosen) == 1 and chosen[0] >= CARD else []


def _cells(decision: Document, card: int) -> list[int]:
    return [_CELL[tuple(place["cell"])] for place in decision["cells"] if card != EMPTY or place["cards"] == "any"]


# --- there and back -----------------------------------------------------------------------------


def compose(decision: Document, actions: Chosen) -> Move:
    """Return the move of a complete sequence of ``actions``."""
    if actions[0] < CARD:
        return NAMES[actions[0]]
    cards = cards_chosen(actions)
    return {"cards": cards} if decision["kind"] == "bid" else {"card": cards[0], "cell": [*PLACES[actions[1] - CELL]]}


def sequence(decision: Document, move: Any) -> Chosen:
    """Return the actions that compose a legal move."""
    if type(move) is str:
        return (NAMES.index(move),)
    if decision["kind"] == "bid":
        return (*sorted((CARD + NUMBERS[code] for code in move["cards"]), reverse=True), STOP)
    return CARD + NUMBERS[move["card"]], _CELL[tuple(move["cell"])]
