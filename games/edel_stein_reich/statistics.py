"""Statistics of both versions of Edel, Stein & Reich."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from games.edel_stein_reich import figures, habits
from games.edel_stein_reich.duel import GUESSES
from games.rules import State
from games.statistics import Habits, Statistics


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
DUEL_STATISTICS: Final = replace(STATISTICS, habit_columns=habits.columns(2))
