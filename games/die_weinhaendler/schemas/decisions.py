"""The decisions of Die Weinhändler as a schema."""

from __future__ import annotations

from collections.abc import Sequence

from games.die_weinhaendler.cards import HAND_LIMIT
from games.die_weinhaendler.schemas.codes import BID_MOST, HAND_MOST
from games.rules import LISTED_MOVES
from games.schemas import (
    Schema,
    Shapes,
    array,
    const,
    enum,
    integer,
    nullable,
    one_of,
    opened,
    ref,
)


def decision(seat_counts: Sequence[int]) -> Shapes:
    """What a seat can be asked: to bid, or to lay a bottle."""
    bid = {
        "hand": array(ref("card"), 1, BID_MOST),
        "bid": array(ref("card"), 0, BID_MOST - 1),
        "total": nullable(ref("total")),
        "taken": {**array(ref("total"), 0, max(seat_counts) - 1, unique=True), "description": "ascending"},
    }
    cell = opened({"cell": ref("cell"), "cards": enum(("any", "full"))})
    lay = {
        "hand": array(ref("card"), 1, HAND_MOST),
        "must_lay": integer(0, HAND_MOST - HAND_LIMIT),
        "cells": array(cell, 1, unique=True),
        "new_cellar": {"type": "boolean"},
    }
    return {"decision": one_of(asked("bid", const("pass"), bid), asked("lay", ref("move_lay"), lay))}


def asked(kind: str, default: Schema, bounds: Shapes) -> Schema:
    """A decision: its bounds, its default move, and all legal moves where they are few (at least two)."""
    legal = nullable(array(ref(f"move_{kind}"), 2, LISTED_MOVES, unique=True))
    return opened({"kind": const(kind), "seat": ref("seat"), **bounds, "default": default, "legal": legal})
