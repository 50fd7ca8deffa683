"""Views and scores of Die Weinhändler as documents (`views.md`, `record.md`)."""

from __future__ import annotations

from typing import Any

from .cards import highest_first
from .cellar import Cellar
from .table import Merchant, Table


def view_document(table: Table, seat: int | None, turn: int | None) -> dict[str, Any]:
    """What a seat, or a spectator, may see; `turn` is the seat that is asked."""
    return {
        "game": "die-weinhaendler",
        "seats": table.seats,
        "seat": seat,
        "round": table.round,
        "last_round": table.last_round,
        "idle_rounds": table.idle_rounds,
        "start": table.start,
        "stage": table.stage,
        "display": highest_first(table.display),
        "stack": len(table.stack),
        "stack_bottom": table.stack[len(table.stack) - table.shown :],
        "players": [player(merchant) for merchant in table.merchants],
        "turn": turn,
        "you": None if seat is None else {"hand": highest_first(table.merchants[seat].hand)},
    }


def player(merchant: Merchant) -> dict[str, Any]:
    return {
        "hand": len(merchant.hand),
        "known": highest_first(list(merchant.known.elements())),
        "bid": highest_first(merchant.bid),
        "total": merchant.total,
        "passed": merchant.passed,
        "done": merchant.done,
        "points": merchant.points,
        "cellars": [cells(cellar) for cellar in merchant.cellars],
    }


def cells(cellar: Cellar) -> list[dict[str, Any]]:
    return [
        {"level": level, "x": x, "card": card, "under": cellar.covered.get((level, x))}
        for (level, x), card in sorted(cellar.bottles.items())
    ]


def points(table: Table, seat: int) -> list[int]:
    """What decides between players (W-18)."""
    return [table.merchants[seat].points]


def score_document(table: Table, seat: int) -> dict[str, Any]:
    return {"points": table.merchants[seat].points}
