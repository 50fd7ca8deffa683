"""Steps and events of Edel, Stein & Reich as schemas."""

from __future__ import annotations

from games.edel_stein_reich.cards import CERTIFICATE_VALUES, COLOURS, EVENT_CARDS, GEM_CARDS, PHASES
from games.edel_stein_reich.schemas.codes import BARTERED, Variant
from games.schemas import Schema, Shapes, array, closed, const, enum, integer, nullable, one_of, opened, ref

NEVER_FORCED = ("action", "event_card", "guess")
WHYS = ("barter", "counter_gift", "swap", "rob", "three", "adjust", "halve_all", "free_choice", "gems")


def steps(variant: Variant, kinds: Shapes) -> Shapes:
    """Chance steps, move steps, and which of them a log shows."""
    chance: Shapes = {
        "age_order": closed(
            {"chance": const("age_order"), "seats": variant.by_seat(ref("seat"), unique=True)},
        ),
        "event_deck": closed(
            {"chance": const("event_deck"), "cards": array(ref("event_card"), 1, len(EVENT_CARDS))},
        ),
        "gem_deck": closed(
            {"chance": const("gem_deck"), "cards": array(ref("gem_card"), len(GEM_CARDS), len(GEM_CARDS))},
        ),
    }
    public = ["age_order"]
    if variant.duel:
        chance["starter"] = closed({"chance": const("starter"), "seat": ref("seat")})
        public.append("starter")
    moved = [move_step(name.removeprefix("move_")) for name in kinds]
    later = [name for name in chance if name == "event_deck" or (name == "gem_deck" and not variant.duel)]
    return {
        **{f"chance_{name}": shape for name, shape in chance.items()},
        "move_step": one_of(*moved),
        "step": one_of(*[ref(f"chance_{name}") for name in later], ref("move_step")),
        "log_step": one_of(*[ref(f"chance_{name}") for name in public], ref("move_step")),
    }


def move_step(kind: str) -> Schema:
    """One move; ``forced`` and ``default`` exclude each other."""
    marks: Shapes = {"default": ref("default_reason")}
    if kind not in NEVER_FORCED:
        marks["forced"] = const(True)
    shape = closed({"seat": ref("seat"), "decision": const(kind), "move": ref(f"move_{kind}")}, marks)
    return shape if kind in NEVER_FORCED else {**shape, "not": {"required": ["forced", "default"]}}


def opening(variant: Variant) -> tuple[Schema, ...]:
    """The steps that every record begins with."""
    names = ["age_order", "event_deck", "gem_deck", *(["starter"] if variant.duel else [])]
    return tuple(ref(f"chance_{name}") for name in names)


def events(variant: Variant) -> Shapes:
    """What follows from the rules, as a log tells it."""
    kinds: dict[str, Shapes] = {
        "phase": {"phase": integer(1, PHASES)},
        "supply_rule": {"returned": variant.by_seat(ref("gems"))},
        **dealing(variant),
        "event_up": {"card": ref("event_card")},
        "reshuffle": {"count": integer(1, len(EVENT_CARDS))},
        **acting(variant),
        "drawn": {"seat": ref("seat"), "card": ref("event_card")},
        "kept": {"seat": ref("seat"), "card": ref("scoring_card")},
        "discarded": {"seat": nullable(ref("seat")), "card": ref("event_card")},
    }
    shapes = [opened({"type": const(kind), **keys}) for kind, keys in kinds.items()]
    return {"event": one_of(*shapes, *scored()), **rows(variant)}


def dealing(variant: Variant) -> dict[str, Shapes]:
    """Gem cards: aside and dealt; two players turn up one a turn."""
    round_number = integer(1, max(variant.rounds))
    if variant.duel:
        return {"deal": {"round": round_number, "seat": ref("seat"), "gem_card": ref("gem_card")}}
    return {
        "aside": {"count": enum([count for count in variant.asides if count]), "top": ref("gem_card")},
        "deal": {"round": round_number, "gem_cards": variant.by_seat(ref("gem_card"))},
    }


def acting(variant: Variant) -> dict[str, Shapes]:
    """What becomes of the chosen actions."""
    place = one_of(const("supply"), ref("seat"))
    whys = [why for why in WHYS if why != "free_choice" or "free_choice" in variant.actions]
    shared: dict[str, Shapes] = {
        "gems_moved": {"from": place, "to": place, "gems": ref("some_gems"), "why": enum(whys)},
        "money": {"seat": ref("seat"), "amount": integer(4, 7)},
        "void": {"action": ref("bartered_action")},
    }
    if variant.duel:
        return {
            **shared,
            "missed": {"guess": ref("action")},
            "caught": {"guess": ref("action"), "action": ref("action")},
        }
    blocked = array(ref("seat"), 3, max(variant.seat_counts), unique=True)
    return {"cancelled": {"action": enum(BARTERED), "seats": blocked}, **shared}


def rows(variant: Variant) -> Shapes:
    """One row of a scoring."""
    paid = variant.by_seat(integer())
    return {
        "scored_row": opened(
            {
                "of": enum([*COLOURS, "cert"]),
                "share": paid,
                "sole_bonus": {**paid, "description": "sole:c and sole_any together"},
                "per_gem": paid,
                "returned": {**paid, "description": "gems; everything else is millions"},
            }
        ),
        "certificate_row": {
            "allOf": [ref("scored_row")],
            "properties": {"of": const("cert"), "share": variant.by_seat(enum([0, *CERTIFICATE_VALUES[::-1]]))},
        },
    }


def scored() -> tuple[Schema, Schema]:
    """A scoring of a phase has five rows in order, a half scoring the row of one colour."""
    colour_rows: list[Schema] = [{"allOf": [ref("scored_row")], "properties": {"of": const(c)}} for c in COLOURS]
    full: Schema = {
        "type": "array",
        "prefixItems": [*colour_rows, ref("certificate_row")],
        "items": False,
        "minItems": 5,
    }
    half = array({"allOf": [ref("scored_row")], "properties": {"of": ref("colour")}}, 1, 1)
    return (
        opened({"type": const("scored"), "phase": integer(1, PHASES), "rows": full}),
        opened({"type": const("scored"), "phase": const(None), "rows": half}),
    )
