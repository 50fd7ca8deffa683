"""Edel, Stein & Reich, both variants: the definitions that their schemas are built from."""

from __future__ import annotations

from games.edel_stein_reich.cards import TABLES
from games.edel_stein_reich.schemas.codes import Variant, any_move, codes, moves
from games.edel_stein_reich.schemas.decisions import decision
from games.edel_stein_reich.schemas.happenings import events, opening, steps
from games.edel_stein_reich.schemas.views import view
from games.rules import Rules
from games.schemas import GameShapes


def variant_of(rules: Rules) -> Variant:
    """The variant that ``rules`` are of, as the table of the decks lays it out."""
    layouts = [TABLES[count] for count in rules.seat_counts]
    longest = max((layout.actions for layout in layouts), key=len)
    rounds = tuple(layout.rounds for layout in layouts)
    asides = tuple(layout.aside for layout in layouts)
    return Variant(rules.slug, rules.seat_counts, longest, rounds, asides)


def shapes_of(rules: Rules) -> GameShapes:
    """Everything the documents of one variant are made of."""
    variant = variant_of(rules)
    kinds = moves(variant)
    defs = {
        **codes(variant),
        **any_move(variant, kinds),
        **steps(variant, kinds),
        **events(variant),
        **view(variant),
        **decision(variant),
    }
    return GameShapes(rules.slug, rules.version, rules.seat_counts, defs, opening(variant))
