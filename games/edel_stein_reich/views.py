"""Views: what a seat or a spectator may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.edel_stein_reich.cards import PHASES
from games.rules import Document

if TYPE_CHECKING:
    from games.edel_stein_reich.procedure import Procedure


def view(state: Procedure, seat: int | None) -> Document:
    """Return everything that ``seat`` may see now. Raises ``LookupError`` for a seat that does not exist."""
    if seat is not None:
        state.require_seat(seat)
    return {
        "game": state.rules.slug,
        "seats": state.seats,
        "seat": seat,
        "phase": state.phase,
        "phases": PHASES,
        "round": state.round,
        "rounds": state.rounds,
        "age_order": state.age_order[:],
        "supply": list(state.supply),
        "gem_stack": state.gem_stack(),
        "gem_discards": list(state.gem_discards),
        "aside": state.aside(),
        "event": {
            "display": state.display,
            "stack": len(state.event_pile),
            "discards": list(state.event_discards),
        },
        "players": [player(state, other) for other in range(state.seats)],
        "turn": state.turn if state.turn >= 0 else None,
        "resolving": state.resolving,
        "barter": barter(state),
        "free_choice": {"order": list(state.free_order), "next": state.free_next} if state.free_order else None,
        "immediate": {"seat": state.turn, "card": state.immediate} if state.immediate is not None else None,
        "active": state.active_seat(),
        "guesses": list(state.shown()),
        "you": None if seat is None else {"action": state.choices[seat]},
    }


def player(state: Procedure, seat: int) -> Document:
    """Return the public part of one seat."""
    return {
        "gems": list(state.gems[seat]),
        "money": state.money[seat],
        "cards": list(state.cards[seat]),
        "gem_card": state.gem_cards[seat],
        "chosen": state.has_chosen(seat),
        "action": state.choices[seat] if state.revealed else None,
    }


def barter(state: Procedure) -> Document | None:
    """Return the current barter, or ``None``."""
    if state.opener < 0:
        return None
    return {
        "action": state.resolving,
        "opener": state.opener,
        "other": state.other,
        "declined": list(state.declined),
        "offers": [{"seat": offerer, "offer": list(gems)} for offerer, gems in state.offers],
    }
