"""Codes, gems and moves of Edel, Stein & Reich as schemas."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement

from games.edel_stein_reich.cards import COLOURS, EVENT_ORDER, GEM_CARDS, GEMS_PER_COLOUR, SCORING_CARDS
from games.schemas import Schema, Shapes, array, by_key, closed, const, enum, integer, one_of, ref


@dataclass(frozen=True)
class Variant:
    """A variant as far as its documents differ: how many sit there and what may be chosen."""

    slug: str
    seat_counts: tuple[int, ...]
    actions: tuple[str, ...]
    rounds: tuple[int, ...]
    asides: tuple[int, ...]

    @property
    def duel(self) -> bool:
        """Whether it is the alternating game of two."""
        return self.seat_counts == (2,)

    @property
    def seat_key(self) -> str:
        """A pattern for a seat as a key."""
        return f"^[0-{max(self.seat_counts) - 1}]$"

    def by_seat(self, items: Schema, unique: bool = False) -> Schema:
        """A list with one entry a seat."""
        return array(items, min(self.seat_counts), max(self.seat_counts), unique)


IMMEDIATE_CARDS = [code for code in EVENT_ORDER if code not in SCORING_CARDS]
ADJUSTING = [code for code in IMMEDIATE_CARDS if code.startswith("adjust:")]
BARTERED = ("money", "event", "gems")


def codes(variant: Variant) -> Shapes:
    """Seats, colours, cards and gems."""
    gems = array(integer(0, GEMS_PER_COLOUR), 4, 4)
    return {
        "seat": integer(0, max(variant.seat_counts) - 1),
        "colour": enum(COLOURS),
        "colours": {**array(ref("colour"), 1, 4, unique=True), "description": "in the order R, Y, G, B"},
        "gem_card": {
            "enum": list(dict.fromkeys(GEM_CARDS)),
            "description": "millions, then gems in the order R, Y, G, B",
        },
        "event_card": enum(list(EVENT_ORDER)),
        "scoring_card": enum([code for code in EVENT_ORDER if code in SCORING_CARDS]),
        "immediate_card": enum(IMMEDIATE_CARDS),
        "action": enum(variant.actions),
        "bartered_action": enum(BARTERED),
        "gems": {**gems, "description": "[R, Y, G, B]"},
        "some_gems": {**gems, "contains": {"minimum": 1}, "description": "[R, Y, G, B], not all of them 0"},
        "score": closed(
            {"money": integer(), "gems": ref("gems")},
            {"forfeit": ref("forfeit_reason")},
        ),
    }


def moves(variant: Variant) -> Shapes:
    """The moves of every kind of decision, as the record writes them."""
    offer = closed({"offer": ref("some_gems")})
    kinds: Shapes = {
        "action": ref("action"),
        "open_barter": one_of(const("decline"), offer),
        "answer_offer": one_of(const("accept"), offer),
        "counter_gift": one_of(const("decline"), closed({"gift": ref("colour")})),
        "event_card": enum(("face_up", "blind")),
        "immediate": one_of(const("decline"), *immediate_moves(variant)),
    }
    if variant.duel:
        kinds["guess"] = ref("action")
    else:
        kinds["free_choice"] = one_of(const("decline"), *free_choice_moves(one_of(pair(), single())))
    return {f"move_{kind}": shape for kind, shape in kinds.items()}


def immediate_moves(variant: Variant) -> tuple[Schema, ...]:
    """Half and three, adjust and halve_all, swap, rob."""
    return (
        const("apply"),
        closed({"colour": ref("colour")}),
        closed({"give": ref("colour"), "seat": ref("seat"), "take": ref("colour")}),
        closed({"take": by_key(variant.seat_key, ref("colour"))}),
    )


def single() -> Schema:
    """One gem."""
    return array(ref("colour"), 1, 1)


def pair() -> Schema:
    """Two gems in the order of their colours."""
    return enum([list(two) for two in combinations_with_replacement(COLOURS, 2)])


def free_choice_moves(taken_alone: Schema) -> tuple[Schema, ...]:
    """Alone: one gem back for two; among several: one gem."""
    return closed({"give": ref("colour"), "take": taken_alone}), closed({"take": single()})


def any_move(variant: Variant, kinds: Shapes) -> Shapes:
    """A move of any kind: as a record stores it, and as a player may write it (any order inside ``take``)."""
    names = [*variant.actions, "decline", "accept", "face_up", "blind", "apply"]
    shapes: list[Schema] = [
        enum(names),
        closed({"offer": ref("some_gems")}),
        closed({"gift": ref("colour")}),
        *immediate_moves(variant)[1:],
    ]
    if not variant.duel:
        shapes += free_choice_moves(array(ref("colour"), 1, 2))
    return {"answer_move": one_of(*shapes), **kinds}
