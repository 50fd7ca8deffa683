"""Die Weinhändler: the definitions that its schemas are built from."""

from __future__ import annotations

from games.die_weinhaendler.schemas.codes import codes, moves
from games.die_weinhaendler.schemas.decisions import decision
from games.die_weinhaendler.schemas.happenings import OWN_EVENTS, dealt, events, opening, steps
from games.die_weinhaendler.schemas.views import view
from games.rules import Rules
from games.schemas import GameShapes


def shapes_of(rules: Rules) -> GameShapes:
    """Everything the documents of the game are made of."""
    counts = rules.seat_counts
    defs = {**codes(counts), **moves(), **steps(), **events(counts), **view(rules.slug, counts), **decision(counts)}
    return GameShapes(rules.slug, rules.version, counts, defs, opening(), dealt(counts), OWN_EVENTS)
