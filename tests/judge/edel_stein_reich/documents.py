"""Views and scores of Edel, Stein & Reich as documents (`views.md`, `record.md`)."""

from __future__ import annotations

from typing import Any

from . import cards
from .table import Table


def view_document(table: Table, seat: int | None, turn: int | None) -> dict[str, Any]:
    """What a seat, or a spectator, may see; `turn` is the seat that is asked alone."""
    return {
        "game": "edel-stein-reich-duel" if table.duel else "edel-stein-reich",
        "seats": table.seats,
        "seat": seat,
        "phase": table.phase,
        "phases": cards.PHASES,
        "round": table.round,
        "rounds": table.rounds,
        "age_order": table.age_order,
        "supply": table.supply,
        "gem_stack": face_down_gem_cards(table),
        "gem_discards": table.gem_discards,
        "aside": aside(table),
        "event": {"display": table.display, "stack": len(table.event_stack), "discards": table.event_discards},
        "players": [player(table, index) for index in range(table.seats)],
        "turn": turn,
        "resolving": table.resolving,
        "barter": barter(table),
        "free_choice": table.picks,
        "immediate": table.immediate,
        "active": table.active,
        "guesses": table.guesses,
        "you": None if seat is None else {"action": table.actions[seat]},
    }


def face_down_gem_cards(table: Table) -> int:
    """Of this phase: two players keep the later phases' cards in the same stack."""
    return len(table.gem_stack) - (cards.PHASES - table.phase) * table.rounds * (1 if table.duel else 0)


def aside(table: Table) -> dict[str, Any] | None:
    if table.duel:
        return None
    return {"count": len(table.aside), "top": table.aside[-1] if table.aside else None}


def player(table: Table, seat: int) -> dict[str, Any]:
    return {
        "gems": table.gems[seat],
        "money": table.money[seat],
        "cards": table.held[seat],
        "gem_card": table.gem_cards[seat],
        "chosen": table.actions[seat] is not None,
        "action": table.actions[seat] if table.public else None,
    }


def barter(table: Table) -> dict[str, Any] | None:
    if table.barter is None:
        return None
    return {
        "action": table.barter.action,
        "opener": table.barter.opener,
        "other": table.barter.other,
        "declined": table.barter.declined,
        "offers": table.barter.offers,
    }


def score_document(table: Table, seat: int) -> dict[str, Any]:
    return {"money": table.money[seat], "gems": list(table.gems[seat])}
