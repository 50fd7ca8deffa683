"""Definitions for the JSON Schemas of Die Weinhändler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.die_weinhaendler.cards import (
    CODES,
    DISPLAY_SIZE,
    EMPTY_CODE,
    EMPTY_TENTHS,
    HAND_LIMIT,
    HAND_SIZE,
    TENTHS,
    deck,
)
from games.die_weinhaendler.grid import BASE, BOTTLES, CELLS, REACH, cell_of, place_of
from games.die_weinhaendler.rulings import IDLE_LIMIT
from games.rules import LISTED_MOVES, Rules
from games.schemas import (
    GameShapes,
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
    own_part,
    per_seats,
    ref,
    score,
)

# --- Codes and moves -------------------------------------------------------------------------------------------------

BID_MOST: Final = HAND_LIMIT
"""Maximum number of bottles in a hand at the start of an auction, and therefore in a bid or the display."""

HAND_MOST: Final = HAND_LIMIT - 1 + BID_MOST
"""Maximum number of bottles in a hand: after bidding one bottle and receiving the largest bid."""


def codes(seat_counts: Sequence[int]) -> Shapes:
    """Return the definitions of seats, bottles, cells, totals and scores."""
    cells = [place_of(cell) for cell in range(CELLS) if cell_of(*place_of(cell)) >= 0]
    most = BID_MOST * max(TENTHS)
    return {
        "seat": integer(0, max(seat_counts) - 1),
        "card": {"enum": list(CODES), "description": "variety and value, or an empty bottle"},
        "full_card": enum([code for code in CODES if code != EMPTY_CODE]),
        "cell": {"enum": cells, "description": "[level, x]; x counts from the first bottle of the base row"},
        "total": {**integer(EMPTY_TENTHS, most), "multipleOf": EMPTY_TENTHS, "description": "tenths: 192 is 19.20"},
        "bid_cards": {**array(ref("card"), 1, BID_MOST), "description": "highest first"},
        "score": score({"points": integer()}),
    }


def moves() -> Shapes:
    """Return the definitions of moves, and of answers, which can list the cards of a bid in any order."""
    bid = closed({"cards": ref("bid_cards")})
    lay = closed({"card": ref("card"), "cell": ref("cell")})
    return {
        "answer_move": one_of(enum(("pass", "done")), bid, lay),
        "move_bid": one_of(const("pass"), bid),
        "move_lay": one_of(const("done"), lay),
    }


def place() -> Schema:
    """Return the schema of a source or target of bottles in an exchange."""
    return one_of(const("display"), ref("seat"))


def level() -> Schema:
    """Return the schema of a level of a cellar."""
    return integer(0, BASE - 1)


# --- Decisions -------------------------------------------------------------------------------------------------------


def decision(seat_counts: Sequence[int]) -> Shapes:
    """Return the definitions of decisions: to bid, or to lay a bottle."""
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
    """Return the schema of a decision: its bounds, its default move, and at least two legal moves if there are few."""
    legal = nullable(array(ref(f"move_{kind}"), 2, LISTED_MOVES, unique=True))
    return opened({"kind": const(kind), "seat": ref("seat"), **bounds, "default": default, "legal": legal})


# --- Steps and events ------------------------------------------------------------------------------------------------

OWN_EVENTS: Final = ("hand",)
"""Events that only a seat's own log contains."""


def steps() -> Shapes:
    """Return the definitions of chance steps, move steps, and steps in a log."""
    return {
        "chance_starter": closed({"chance": const("starter"), "seat": ref("seat")}),
        "chance_deck": closed({"chance": const("deck"), "cards": array(ref("card"))}),
        "move_step": one_of(bid_step(), lay_step()),
        "step": ref("move_step"),
        "log_step": one_of(ref("chance_starter"), ref("move_step")),
    }


def opening() -> tuple[Schema, ...]:
    """Return the schemas of the first steps of every record."""
    return ref("chance_starter"), ref("chance_deck")


def dealt(seat_counts: Sequence[int]) -> tuple[Schema, ...]:
    """Return the conditions that the deck contains the bottles for the number of seats."""
    cards = {count: deck(count) for count in seat_counts}
    decks: dict[int, Schema] = {
        count: {"items": enum(list(dict.fromkeys(codes))), "minItems": len(codes), "maxItems": len(codes)}
        for count, codes in cards.items()
    }
    first = {count: {"prefixItems": [{}, {"properties": {"cards": shape}}]} for count, shape in decks.items()}
    return tuple(per_seats(seat_counts, "steps", first))


def bid_step() -> Schema:
    """Return the schema of a bid or a pass. Forced and default moves are passes."""
    shape = move_step("bid")
    marked: Schema = {"anyOf": [{"required": ["forced"]}, {"required": ["default"]}]}
    return {**shape, "if": marked, "then": {"properties": {"move": const("pass")}}}


def lay_step() -> Schema:
    """Return the schema of a laid bottle or ``done``. Only ``done`` can be forced."""
    return {**move_step("lay"), "if": {"required": ["forced"]}, "then": {"properties": {"move": const("done")}}}


def move_step(kind: str) -> Schema:
    """Return the schema of one move. ``forced`` and ``default`` exclude each other."""
    marks: Shapes = {"default": ref("default_reason"), "forced": const(True)}
    shape = closed({"seat": ref("seat"), "decision": const(kind), "move": ref(f"move_{kind}")}, marks)
    return {**shape, "not": {"required": ["forced", "default"]}}


def events(seat_counts: Sequence[int]) -> Shapes:
    """Return the definitions of events."""
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
    """Return the schema of a draw: two cards are shown and one goes to the bottom; with one card none does."""
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


# --- Views -----------------------------------------------------------------------------------------------------------

YES_OR_NO: Schema = {"type": "boolean"}


def view(slug: str, seat_counts: Sequence[int]) -> Shapes:
    """Return the definitions of the view and its larger parts."""
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
        "stack_bottom": {
            **array(ref("card")),
            "description": "cards that were shown before they went to the bottom; the bottom card is last",
        },
        "players": array(ref("player"), min(seat_counts), max(seat_counts)),
        "turn": nullable(ref("seat")),
        "you": nullable(opened({"hand": array(ref("card"), 0, HAND_MOST)})),
    }
    sizes: dict[int, Schema] = {count: {"minItems": count, "maxItems": count} for count in seat_counts}
    most: dict[int, Schema] = {count: {"maximum": stack} for count, stack in stacks.items()}
    tied = [*per_seats(seat_counts, "players", sizes), *per_seats(seat_counts, "stack", most)]
    return {"view": {**opened(keys), "allOf": [own_part(), *tied]}, "player": player(), "bottle": bottle()}


def player() -> Schema:
    """Return the schema of the public part of a seat. Without a bid there is no total."""
    shape = opened(
        {
            "hand": integer(0, HAND_MOST),
            "known": {
                **array(ref("card"), 0, HAND_MOST),
                "description": "cards that all players know to be in this hand",
            },
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
    """Return the schema of an occupied cell. Only a full bottle covers another, and only an empty one is covered."""
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


# --- All of them -----------------------------------------------------------------------------------------------------


def shapes_of(rules: Rules) -> GameShapes:
    """Return all definitions for the documents of the game."""
    counts = rules.seat_counts
    defs = {**codes(counts), **moves(), **steps(), **events(counts), **view(rules.slug, counts), **decision(counts)}
    return GameShapes(rules.slug, rules.version, counts, defs, opening(), dealt(counts), OWN_EVENTS)
