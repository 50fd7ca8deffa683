"""Decision documents: the question for a seat, its bounds, and the legal moves if there are few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.die_weinhaendler import moves
from games.die_weinhaendler.cards import codes
from games.die_weinhaendler.cellar import NEW
from games.die_weinhaendler.grid import place_of
from games.die_weinhaendler.table import NO_BID
from games.rules import LISTED_MOVES, Document

if TYPE_CHECKING:
    from games.die_weinhaendler.procedure import Procedure


def decision(state: Procedure, seat: int) -> Document:
    """Return the decision of ``seat``, which must owe one."""
    return {
        "kind": state.stage,
        "seat": seat,
        **(bid_bounds(state, seat) if state.stage == "bid" else lay_bounds(state, seat)),
        "default": moves.default(state, seat),
        "legal": moves.few(state, seat, LISTED_MOVES),
    }


def bid_bounds(state: Procedure, seat: int) -> Document:
    """Return the bounds from which all legal bids can be rebuilt."""
    total = state.totals[seat]
    return {
        "hand": codes(state.hands[seat]),
        "bid": codes(state.bids[seat]),
        "total": None if total == NO_BID else total,
        "taken": sorted(state.taken(seat)),
    }


def lay_bounds(state: Procedure, seat: int) -> Document:
    """Return the bounds from which all legal moves of laying can be rebuilt."""
    cellar = state.open_cellar(seat)
    return {
        "hand": codes(state.hands[seat]),
        "must_lay": moves.must_lay(state, seat),
        "cells": [
            {"cell": place_of(cell), "cards": "full" if cell in cellar.empties else "any"}
            for cell in sorted(cellar.vacant + cellar.empties)
        ],
        "new_cellar": cellar is NEW,
    }
