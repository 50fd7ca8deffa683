"""The entries of both games in the registry."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from games.edel_stein_reich import figures, habits
from games.edel_stein_reich.duel import GUESSES, DuelState
from games.edel_stein_reich.encoding import EdelSteinReichEncoding
from games.edel_stein_reich.knowledge import GemKnowledge
from games.edel_stein_reich.presentation import DUEL_PRESENTATION, PRESENTATION
from games.edel_stein_reich.schemas import shapes_of
from games.edel_stein_reich.state import EdelSteinReichState
from games.game import Game
from games.rules import Rules, State
from games.statistics import Habits, Statistics

CHANCE_VALUES: Final = {"age_order": "seats", "event_deck": "cards", "gem_deck": "cards"}


def _habits(state: State) -> list[Habits]:
    return habits.habits_of(state, GUESSES)


STATISTICS: Final = Statistics(
    figures.STRETCHES,
    figures.COLUMNS,
    figures.figures_of,
    habit_columns=habits.columns(5),
    habits=_habits,
    price_unit="gems",
    exchanges=figures.exchanges_of,
    turning_point=figures.turning_point,
)

EDEL_STEIN_REICH: Final = Game(
    Rules(
        "edel-stein-reich",
        "Edel, Stein & Reich",
        (3, 4, 5),
        EdelSteinReichState,
        chance_values=CHANCE_VALUES,
    ),
    PRESENTATION,
    STATISTICS,
    EdelSteinReichEncoding,
    shapes_of,
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
    DUEL_PRESENTATION,
    replace(STATISTICS, habit_columns=habits.columns(2)),
    EdelSteinReichEncoding,
    shapes_of,
    GemKnowledge,
)
"""The version for two, in which the seats take turns and guess each other's hidden action."""
