"""The view of Die Weinhändler as a schema."""

from __future__ import annotations

from collections.abc import Sequence

from games.die_weinhaendler.cards import DISPLAY_SIZE, EMPTY_CODE, HAND_SIZE, deck
from games.die_weinhaendler.grid import BOTTLES, REACH
from games.die_weinhaendler.rulings import IDLE_LIMIT
from games.die_weinhaendler.schemas.codes import BID_MOST, HAND_MOST, level
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

YES_OR_NO: Schema = {"type": "boolean"}


def view(slug: str, seat_counts: Sequence[int]) -> Shapes:
    """The whole view and its larger parts."""
    stacks = {count: len(deck(count)) - HAND_SIZE * count - DISPLAY_SIZE for count in seat_counts}
    keys: Shapes = {
        "game": const(slug),
        "seats": enum(seat_counts),
        "seat": nullable(ref("seat")),
        "round": integer(1),
        "last_round": YES_OR_NO,
        "idle_rounds": integer(0, IDLE_LIMIT),
        "start": ref("seat"),
        "stage": nullable(enum(("bid", "lay"))),
        "display": ref("bid_cards"),
        "stack": integer(),
        "stack_bottom": {**array(ref("card")), "description": "shown before they went there, the very last one last"},
        "players": array(ref("player"), min(seat_counts), max(seat_counts)),
        "turn": nullable(ref("seat")),
        "you": nullable(opened({"hand": array(ref("card"), 0, HAND_MOST)})),
    }
    sizes: dict[int, Schema] = {count: {"minItems": count, "maxItems": count} for count in seat_counts}
    most: dict[int, Schema] = {count: {"maximum": stack} for count, stack in stacks.items()}
    tied = [*per_seats(seat_counts, "players", sizes), *per_seats(seat_counts, "stack", most)]
    return {"view": {**opened(keys), "allOf": [own_part(), *tied]}, "player": player(), "bottle": bottle()}


def player() -> Schema:
    """One seat as everybody sees it; without a bid there is no total."""
    shape = opened(
        {
            "hand": integer(0, HAND_MOST),
            "known": {**array(ref("card"), 0, HAND_MOST), "description": "cards everybody knows to be in this hand"},
            "bid": array(ref("card"), 0, BID_MOST),
            "total": nullable(ref("total")),
            "passed": YES_OR_NO,
            "done": YES_OR_NO,
            "points": integer(),
            "cellars": array(array(ref("bottle"), 1, BOTTLES)),
        }
    )
    none: Schema = {"properties": {"bid": {"maxItems": 0}}}
    no_total, some_total = ({"properties": {"total": part}} for part in (const(None), ref("total")))
    return {**shape, "if": none, "then": no_total, "else": some_total}


def bottle() -> Schema:
    """One cell of a cellar that is not vacant; only a full bottle covers, and only an empty one is covered."""
    shape = opened(
        {
            "level": level(),
            "x": integer(-REACH, REACH),
            "card": ref("card"),
            "under": nullable(const(EMPTY_CODE)),
        }
    )
    covering: Schema = {"properties": {"under": const(EMPTY_CODE)}}
    return {**shape, "if": covering, "then": {"properties": {"card": ref("full_card")}}}
