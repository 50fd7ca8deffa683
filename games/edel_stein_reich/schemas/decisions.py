"""The decisions of Edel, Stein & Reich as a schema."""

from __future__ import annotations

from games.edel_stein_reich.rulings import OFFER_LIMIT
from games.edel_stein_reich.schemas.codes import ADJUSTING, BARTERED, Variant
from games.rules import LISTED_MOVES
from games.schemas import (
    Schema,
    Shapes,
    array,
    by_key,
    const,
    enum,
    integer,
    nullable,
    one_of,
    opened,
    ref,
)

ALL_COLOURS: Schema = const(["R", "Y", "G", "B"])


def decision(variant: Variant) -> Shapes:
    """What a seat can be asked, kind by kind."""
    shapes = [asked(kind, default, bounds) for kind, default, bounds in kinds(variant)]
    return {"decision": one_of(*shapes)}


def asked(kind: str, default: Schema, bounds: Shapes) -> Schema:
    """A decision: its bounds, its default move, and all legal moves where they are few (at least two)."""
    legal = nullable(array(ref(f"move_{kind}"), 2, LISTED_MOVES, unique=True))
    return opened({"kind": const(kind), "seat": ref("seat"), **bounds, "default": default, "legal": legal})


def kinds(variant: Variant) -> list[tuple[str, Schema, Shapes]]:
    """Kind, default move and bounds."""
    bartering: Shapes = {"action": ref("bartered_action"), "other": ref("seat"), "holdings": ref("gems")}
    answering: Shapes = {
        **bartering,
        "standing": ref("some_gems"),
        "offers_made": integer(1, OFFER_LIMIT),
        "offers_limit": const(OFFER_LIMIT),
    }
    gift: Shapes = {"action": ref("bartered_action"), "to": ref("seat"), "colours": ref("colours")}
    return [
        ("action", const("money"), {"options": action_options(variant)}),
        ("open_barter", const("decline"), bartering),
        ("answer_offer", const("accept"), answering),
        ("counter_gift", const("decline"), gift),
        ("event_card", const("face_up"), {"display": ref("event_card")}),
        *[("immediate", const("decline"), bounds) for bounds in immediate(variant)],
        variant_kind(variant),
    ]


def action_options(variant: Variant) -> Schema:
    """The actions in hand."""
    options = [list(BARTERED)]
    if len(variant.actions) > len(BARTERED):
        options.append(list(variant.actions))
    return enum(options)


def immediate(variant: Variant) -> list[Shapes]:
    """The bounds of an immediate card, which depend on the card."""
    take = by_key(variant.seat_key, ref("colours"))
    return [
        {"card": enum(("half", "three")), "colours": ALL_COLOURS},
        {"card": const("swap"), "give": ref("colours"), "take": take},
        {"card": const("rob"), "take": take},
        {"card": enum([*ADJUSTING, "halve_all"])},
    ]


def variant_kind(variant: Variant) -> tuple[str, Schema, Shapes]:
    """Two players guess, others have the free choice."""
    if variant.duel:
        return "guess", enum(("money", "event")), {"options": array(ref("action"), 2, 3, unique=True)}
    give = one_of(array(ref("colour"), 0, 0), ref("colours"))
    take = opened({"count": integer(1, 2), "supply": ref("gems")})
    return "free_choice", const("decline"), {"alone": {"type": "boolean"}, "give": give, "take": take}
