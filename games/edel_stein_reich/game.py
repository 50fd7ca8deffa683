"""The entries of both games in the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from games.edel_stein_reich.duel import DuelState
from games.edel_stein_reich.knowledge import GemKnowledge
from games.edel_stein_reich.state import EdelSteinReichState
from games.game import Game
from games.rules import Rules

if TYPE_CHECKING:
    from games.learning import Encoding
    from games.presentation import Presentation
    from games.schemas import GameShapes
    from games.statistics import Statistics

CHANCE_VALUES: Final = {"age_order": "seats", "event_deck": "cards", "gem_deck": "cards"}


def _presentation() -> Presentation:
    from games.edel_stein_reich.presentation import PRESENTATION

    return PRESENTATION


def _duel_presentation() -> Presentation:
    from games.edel_stein_reich.presentation import DUEL_PRESENTATION

    return DUEL_PRESENTATION


def _statistics() -> Statistics:
    from games.edel_stein_reich.statistics import STATISTICS

    return STATISTICS


def _duel_statistics() -> Statistics:
    from games.edel_stein_reich.statistics import DUEL_STATISTICS

    return DUEL_STATISTICS


def _encoding(seats: int) -> Encoding:
    from games.edel_stein_reich.encoding import EdelSteinReichEncoding

    return EdelSteinReichEncoding(seats)


def _shapes(rules: Rules) -> GameShapes:
    from games.edel_stein_reich.schemas import shapes_of

    return shapes_of(rules)


EDEL_STEIN_REICH: Final = Game(
    Rules(
        "edel-stein-reich",
        "Edel, Stein & Reich",
        (3, 4, 5),
        EdelSteinReichState,
        chance_values=CHANCE_VALUES,
    ),
    _presentation,
    _statistics,
    _encoding,
    _shapes,
    GemKnowledge,
)
"""Edel, Stein & Reich, for three to five seats."""

DUEL: Final = Game(
    Rules(
        "edel-stein-reich-duel",
        "Edel, Stein & Reich for two",
        (2,),
        DuelState,
        chance_values={**CHANCE_VALUES, "starter": "seat"},
    ),
    _duel_presentation,
    _duel_statistics,
    _encoding,
    _shapes,
    GemKnowledge,
)
"""The version for two, in which the seats take turns and guess each other's hidden action."""
