"""The entry of Die Weinhändler in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from games.die_weinhaendler.knowledge import WineKnowledge
from games.die_weinhaendler.state import WeinhaendlerState
from games.game import Game
from games.rules import Rules

if TYPE_CHECKING:
    from games.learning import Encoding
    from games.presentation import Presentation
    from games.schemas import GameShapes
    from games.statistics import Statistics


def _presentation() -> Presentation:
    from games.die_weinhaendler.presentation import PRESENTATION

    return PRESENTATION


def _statistics() -> Statistics:
    from games.die_weinhaendler.statistics import STATISTICS

    return STATISTICS


def _encoding(seats: int) -> Encoding:
    from games.die_weinhaendler.encoding import WeinhaendlerEncoding

    return WeinhaendlerEncoding(seats)


def _shapes(rules: Rules) -> GameShapes:
    from games.die_weinhaendler.schemas import shapes_of

    return shapes_of(rules)


WEINHAENDLER: Final = Game(
    Rules("die-weinhaendler", "Die Weinhändler", (3, 4, 5), WeinhaendlerState, veiled=("bid", "lay")),
    _presentation,
    _statistics,
    _encoding,
    _shapes,
    WineKnowledge,
)
"""Die Weinhändler, for three to five seats."""
