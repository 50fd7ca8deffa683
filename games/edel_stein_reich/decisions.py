"""Decision documents: the question for a seat, its bounds, and the legal moves if there are few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.edel_stein_reich import moves
from games.edel_stein_reich.actions import FREE_CHOICE_TAKES
from games.edel_stein_reich.cards import COLOURS, letters
from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.rules import LISTED_MOVES, Document

if TYPE_CHECKING:
    from games.edel_stein_reich.procedure import Procedure


def decision(state: Procedure, seat: int) -> Document:
    """Return the decision of ``seat``, which must owe one."""
    return {
        "kind": state.stage,
        "seat": seat,
        **bounds(state, seat),
        "default": moves.default(state),
        "legal": moves.few(state, seat, LISTED_MOVES),
    }


def bounds(state: Procedure, seat: int) -> Document:
    """Return the bounds from which all legal moves can be rebuilt."""
    stage = state.stage
    if stage in ("action", "guess"):
        return {"options": moves.options(state)}
    if stage == "event_card":
        return {"display": state.display}
    if stage == "immediate":
        return {"card": state.immediate, **_immediate(state, seat)}
    if stage == "free_choice":
        return _free_choice(state, seat)
    if stage == "counter_gift":
        return {
            "action": state.resolving,
            "to": state.opener,
            "colours": list(letters(state.gems[seat])),
        }
    barter = {"action": state.resolving, "other": state.rival(seat), "holdings": list(state.gems[seat])}
    if stage == "answer_offer":
        barter["standing"] = list(state.offers[-1][1])
        barter["offers_made"] = len(state.offers)
        barter["offers_limit"] = OFFER_LIMIT
    return barter


def _immediate(state: Procedure, seat: int) -> Document:
    if state.immediate in ("half", "three"):
        return {"colours": list(COLOURS)}
    if state.immediate == "swap":
        return {"give": list(letters(state.gems[seat])), "take": _victims(state, seat)}
    if state.immediate == "rob":
        return {"take": _victims(state, seat)}
    return {}


def _victims(state: Procedure, seat: int) -> Document:
    return {other: list(held) for other, held in moves.victims(state, seat).items()}


def _free_choice(state: Procedure, seat: int) -> Document:
    alone = len(state.free_order) == 1
    count = min(FREE_CHOICE_TAKES, sum(state.supply) + 1) if alone else 1
    return {
        "alone": alone,
        "give": list(letters(state.gems[seat])) if alone else [],
        "take": {"count": count, "supply": list(state.supply)},
    }
