"""Edel, Stein & Reich, both variants: the definitions that their schemas are built from."""

from __future__ import annotations

from games.base import Game
from games.describing.documents import GameShapes
from games.edel_stein_reich.cards import TABLES
from games.edel_stein_reich.schemas.codes import Variant, any_move, codes, moves
from games.edel_stein_reich.schemas.decisions import decision
from games.edel_stein_reich.schemas.happenings import events, opening, steps
from games.edel_stein_reich.schemas.views import view


def variant_of(game: Game) -> Variant:
    """The variant that ``game`` plays, as the table of the decks lays it out."""
    layouts = [TABLES[count] for count in game.seat_counts]
    longest = max((layout.actions for layout in layouts), key=len)
    rounds = tuple(layout.rounds for layout in layouts)
    asides = tuple(layout.aside for layout in layouts)
    return Variant(game.slug, game.seat_counts, longest, rounds, asides)


def shapes_of(game: Game) -> GameShapes:
    """Everything the documents of one variant are made of."""
    variant = variant_of(game)
    kinds = moves(variant)
    defs = {
        **codes(variant),
        **any_move(variant, kinds),
        **steps(variant, kinds),
        **events(variant),
        **view(variant),
        **decision(variant),
    }
    return GameShapes(game.slug, game.rules, game.seat_counts, defs, opening(variant))
