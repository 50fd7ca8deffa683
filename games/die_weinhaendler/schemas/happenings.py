"""Steps and events of Die Weinhändler as schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.die_weinhaendler.cards import DISPLAY_SIZE, HAND_SIZE, deck
from games.die_weinhaendler.schemas.codes import place
from games.schemas import (
    Schema,
    Shapes,
    array,
    closed,
    const,
    enum,
    integer,
    nullable,
    one_of,
    opened,
    per_seats,
    ref,
)

OWN_EVENTS: Final = ("hand",)
"""Only in a seat's own log."""


def steps() -> Shapes:
    """Chance steps, move steps, and which of them a log shows."""
    return {
        "chance_starter": closed({"chance": const("starter"), "seat": ref("seat")}),
        "chance_deck": closed({"chance": const("deck"), "cards": array(ref("card"))}),
        "move_step": one_of(bid_step(), lay_step()),
        "step": ref("move_step"),
        "log_step": one_of(ref("chance_starter"), ref("move_step")),
    }


def opening() -> tuple[Schema, ...]:
    """The steps that every record begins with."""
    return ref("chance_starter"), ref("chance_deck")


def dealt(seat_counts: Sequence[int]) -> tuple[Schema, ...]:
    """The deck has the bottles that so many play with."""
    cards = {count: deck(count) for count in seat_counts}
    decks: dict[int, Schema] = {
        count: {"items": enum(list(dict.fromkeys(codes))), "minItems": len(codes), "maxItems": len(codes)}
        for count, codes in cards.items()
    }
    first = {count: {"prefixItems": [{}, {"properties": {"cards": shape}}]} for count, shape in decks.items()}
    return tuple(per_seats(seat_counts, "steps", first))


def bid_step() -> Schema:
    """A bid or a pass; who is forced, or does not answer, passes."""
    shape = move_step("bid")
    marked: Schema = {"anyOf": [{"required": ["forced"]}, {"required": ["default"]}]}
    return {**shape, "if": marked, "then": {"properties": {"move": const("pass")}}}


def lay_step() -> Schema:
    """A bottle laid, or no more; only that can be forced."""
    return {**move_step("lay"), "if": {"required": ["forced"]}, "then": {"properties": {"move": const("done")}}}


def move_step(kind: str) -> Schema:
    """One move; ``forced`` and ``default`` exclude each other."""
    marks: Shapes = {"default": ref("default_reason"), "forced": const(True)}
    shape = closed({"seat": ref("seat"), "decision": const(kind), "move": ref(f"move_{kind}")}, marks)
    return {**shape, "not": {"required": ["forced", "default"]}}


def events(seat_counts: Sequence[int]) -> Shapes:
    """What follows from the rules, as a log tells it."""
    moved = opened({"to": place(), "from": place(), "cards": ref("bid_cards")})
    kinds: dict[str, Shapes] = {
        "hand": {"cards": array(ref("card"), HAND_SIZE, HAND_SIZE)},
        "refill": {"cards": array(ref("card"), 1, DISPLAY_SIZE)},
        "exchange": {"moves": array(moved, 2, max(seat_counts) + 1, unique=True)},
        "new_cellar": {"seat": ref("seat")},
        "laid": {
            "seat": ref("seat"),
            "card": ref("card"),
            "cell": ref("cell"),
            "points": integer(),
            "trios": array(array(ref("cell"), 3, 3, unique=True), unique=True),
        },
        "start": {"seat": ref("seat")},
        "last_round": {},
    }
    shapes = [opened({"type": const(kind), **keys}) for kind, keys in kinds.items()]
    return {"event": one_of(*shapes, pass_draw())}


def pass_draw() -> Schema:
    """Two cards are shown and one goes to the bottom; of a stack of one card nothing does."""
    shown = array(ref("card"), 1, 2)
    shape = opened(
        {
            "type": const("pass_draw"),
            "seat": ref("seat"),
            "shown": {**shown, "description": "in drawing order"},
            "kept": ref("card"),
            "to_bottom": nullable(ref("card")),
        }
    )
    two: Schema = {"properties": {"shown": {"minItems": 2}}}
    card_left, none_left = ({"properties": {"to_bottom": part}} for part in (ref("card"), const(None)))
    return {**shape, "if": two, "then": card_left, "else": none_left}
