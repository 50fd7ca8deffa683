"""Edel, Stein & Reich, both variants: the definitions that their schemas are built from."""

from __future__ import annotations

from games.base import Game
from games.edel_stein_reich.cards import TABLES
from games.edel_stein_reich.game import Duel, EdelSteinReich
from games.schemas.documents import GameShapes
from games.schemas.edel_stein_reich.codes import Variant, any_move, codes, moves
from games.schemas.edel_stein_reich.decisions import decision
from games.schemas.edel_stein_reich.happenings import events, opening, steps
from games.schemas.edel_stein_reich.views import view


def variant_of(game: type[Game]) -> Variant:
    """The variant that ``game`` plays, as the table of the decks lays it out."""
    layouts = [TABLES[count] for count in game.seat_counts]
    longest = max((layout.actions for layout in layouts), key=len)
    rounds = tuple(layout.rounds for layout in layouts)
    asides = tuple(layout.aside for layout in layouts)
    return Variant(game.slug, game.seat_counts, longest, rounds, asides)


def shapes_of(game: type[Game]) -> GameShapes:
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


EDEL_STEIN_REICH = shapes_of(EdelSteinReich)
DUEL = shapes_of(Duel)
