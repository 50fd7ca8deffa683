"""Codes, cells, totals and moves of Die Weinhändler as schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.die_weinhaendler.cards import CODES, EMPTY_CODE, EMPTY_TENTHS, HAND_LIMIT, TENTHS
from games.die_weinhaendler.grid import BASE, CELLS, cell_of, place_of
from games.schemas import Schema, Shapes, array, closed, const, enum, integer, one_of, ref

BID_MOST: Final = HAND_LIMIT
"""Nobody has more bottles in hand when a bidding begins; so no display is larger either."""

HAND_MOST: Final = HAND_LIMIT - 1 + BID_MOST
"""One bottle is bid at least, and the largest bid received."""


def codes(seat_counts: Sequence[int]) -> Shapes:
    """Seats, bottles, cells, totals and scores."""
    cells = [place_of(cell) for cell in range(CELLS) if cell_of(*place_of(cell)) >= 0]
    most = BID_MOST * max(TENTHS)
    return {
        "seat": integer(0, max(seat_counts) - 1),
        "card": {"enum": list(CODES), "description": "variety and value, or an empty bottle"},
        "full_card": enum([code for code in CODES if code != EMPTY_CODE]),
        "cell": {"enum": cells, "description": "[level, x]; x counts from the first bottle of the base row"},
        "total": {**integer(EMPTY_TENTHS, most), "multipleOf": EMPTY_TENTHS, "description": "tenths: 192 is 19.20"},
        "bid_cards": {**array(ref("card"), 1, BID_MOST), "description": "highest first"},
        "score": closed({"points": integer()}, {"forfeit": ref("forfeit_reason")}),
    }


def moves() -> Shapes:
    """The moves of both kinds of decision, and an answer: it may list the cards of a bid in any order."""
    bid = closed({"cards": ref("bid_cards")})
    lay = closed({"card": ref("card"), "cell": ref("cell")})
    return {
        "answer_move": one_of(enum(("pass", "done")), bid, lay),
        "move_bid": one_of(const("pass"), bid),
        "move_lay": one_of(const("done"), lay),
    }


def place() -> Schema:
    """Where bottles come from and go to in an exchange."""
    return one_of(const("display"), ref("seat"))


def level() -> Schema:
    """A level of a cellar."""
    return integer(0, BASE - 1)
