"""Views: what a seat or a spectator may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.die_weinhaendler.cards import CODES, EMPTY_CODE, codes
from games.die_weinhaendler.cellar import VACANT, Cellar
from games.die_weinhaendler.grid import place_of
from games.die_weinhaendler.table import NO_BID
from games.rules import Document

if TYPE_CHECKING:
    from games.die_weinhaendler.procedure import Procedure


def view(state: Procedure, seat: int | None) -> Document:
    """Return everything that ``seat`` may see now. Raises ``LookupError`` for a seat that does not exist."""
    if seat is not None:
        state.require_seat(seat)
    return {
        "game": state.rules.slug,
        "seats": state.seats,
        "seat": seat,
        "round": state.round,
        "last_round": state.last_round,
        "idle_rounds": state.idle_rounds,
        "start": state.start,
        "stage": state.decision_kind,
        "display": codes(state.display),
        "stack": state.in_stack(),
        "stack_bottom": [CODES[card] for card in state.stack[len(state.stack) - state.seen_below :]],
        "players": [player(state, other) for other in range(state.seats)],
        "turn": None if state.turn < 0 else state.turn,
        "you": None if seat is None else {"hand": codes(state.hands[seat])},
    }


def player(state: Procedure, seat: int) -> Document:
    """Return the public part of one seat."""
    total = state.totals[seat]
    return {
        "hand": len(state.hands[seat]),
        "known": codes(state.known[seat]),
        "bid": codes(state.bids[seat]),
        "total": None if total == NO_BID else total,
        "passed": state.passed[seat],
        "done": state.done[seat],
        "points": state.points[seat],
        "cellars": [bottles(cellar) for cellar in state.cellars[seat]],
    }


def bottles(cellar: Cellar) -> list[Document]:
    """Return the bottles of a cellar by level, then x."""
    return [
        {
            "level": place[0],
            "x": place[1],
            "card": CODES[card],
            "under": EMPTY_CODE if cell in cellar.covered else None,
        }
        for cell, card in enumerate(cellar.cells)
        if card != VACANT
        for place in (place_of(cell),)
    ]
