"""Die Weinhändler: the definitions that its schemas are built from."""

from __future__ import annotations

from games.base import Game
from games.describing.documents import GameShapes
from games.die_weinhaendler.schemas.codes import codes, moves
from games.die_weinhaendler.schemas.decisions import decision
from games.die_weinhaendler.schemas.happenings import OWN_EVENTS, dealt, events, opening, steps
from games.die_weinhaendler.schemas.views import view


def shapes_of(game: Game) -> GameShapes:
    """Everything the documents of the game are made of."""
    counts = game.seat_counts
    defs = {**codes(counts), **moves(), **steps(), **events(counts), **view(game.slug, counts), **decision(counts)}
    return GameShapes(game.slug, game.rules, counts, defs, opening(), dealt(counts), OWN_EVENTS)
