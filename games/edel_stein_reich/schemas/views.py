"""The view of Edel, Stein & Reich as a schema."""

from __future__ import annotations

from games.edel_stein_reich.cards import EVENT_CARDS, GEM_CARDS, PHASES
from games.edel_stein_reich.schemas.codes import Variant
from games.schemas import (
    Schema,
    Shapes,
    array,
    const,
    enum,
    integer,
    nullable,
    opened,
    own_part,
    per_seats,
    ref,
)

NOTHING: Schema = const(None)


def view(variant: Variant) -> Shapes:
    """The whole view and its larger parts."""
    keys: Shapes = {
        "game": const(variant.slug),
        "seats": enum(variant.seat_counts),
        "seat": nullable(ref("seat")),
        "phase": integer(1, PHASES),
        "phases": const(PHASES),
        "round": integer(1, max(variant.rounds)),
        "rounds": enum(variant.rounds),
        "age_order": {**variant.by_seat(ref("seat"), unique=True), "description": "youngest first"},
        "supply": ref("gems"),
        "gem_stack": integer(0, len(GEM_CARDS)),
        "gem_discards": array(ref("gem_card"), 0, len(GEM_CARDS)),
        "aside": aside(variant),
        "event": event_piles(),
        "players": variant.by_seat(ref("player")),
        "turn": nullable(ref("seat")),
        "resolving": nullable(ref("action")),
        "barter": nullable(ref("barter")),
        **variant_keys(variant),
        "immediate": nullable(opened({"seat": ref("seat"), "card": ref("immediate_card")})),
        "you": nullable(opened({"action": nullable(ref("action"))})),
    }
    shape = opened(keys)
    return {"view": {**shape, "allOf": [own_part(), *sizes(variant)]}, "player": player(), "barter": barter()}


def aside(variant: Variant) -> Schema:
    """The gem cards set aside in this phase; two players set none aside."""
    if variant.duel:
        return NOTHING
    return opened({"count": enum(variant.asides), "top": nullable(ref("gem_card"))})


def variant_keys(variant: Variant) -> Shapes:
    """What only one of the variants has; the other says so with ``null`` and ``[]``."""
    if variant.duel:
        guesses = array(ref("action"), 0, 2, unique=True)
        return {"free_choice": NOTHING, "active": nullable(ref("seat")), "guesses": guesses}
    order = array(ref("seat"), 1, max(variant.seat_counts), unique=True)
    free_choice = opened({"order": order, "next": integer(0, max(variant.seat_counts) - 1)})
    return {"free_choice": nullable(free_choice), "active": NOTHING, "guesses": array({}, 0, 0)}


def event_piles() -> Schema:
    """The card on display, the face-down stack and the face-up cards under it."""
    return opened(
        {
            "display": nullable(ref("event_card")),
            "stack": integer(0, len(EVENT_CARDS)),
            "discards": array(ref("event_card"), 0, len(EVENT_CARDS)),
        }
    )


def player() -> Schema:
    """One seat as everybody sees it."""
    return opened(
        {
            "gems": ref("gems"),
            "money": integer(),
            "cards": array(ref("scoring_card")),
            "gem_card": nullable(ref("gem_card")),
            "chosen": {"type": "boolean"},
            "action": nullable(ref("action")),
        }
    )


def barter() -> Schema:
    """A barter that is going on."""
    return opened(
        {
            "action": ref("bartered_action"),
            "opener": ref("seat"),
            "other": ref("seat"),
            "declined": array(ref("seat"), 0, 2, unique=True),
            "offers": array(opened({"seat": ref("seat"), "offer": ref("some_gems")})),
        }
    )


def sizes(variant: Variant) -> list[Schema]:
    """As many players and ages as seats."""
    if len(variant.seat_counts) == 1:
        return []
    exact: dict[int, Schema] = {count: {"minItems": count, "maxItems": count} for count in variant.seat_counts}
    return [
        *per_seats(variant.seat_counts, "players", exact),
        *per_seats(variant.seat_counts, "age_order", exact),
        *per_seats(variant.seat_counts, "rounds", dict(zip(exact, map(const, variant.rounds), strict=True))),
    ]
