"""Statistics of Die Weinhändler."""

from __future__ import annotations

from typing import Final

from games.die_weinhaendler import figures, habits
from games.statistics import Statistics

STATISTICS: Final = Statistics(
    figures.STRETCHES,
    figures.COLUMNS,
    figures.figures_of,
    habit_columns=habits.COLUMNS,
    habits=habits.habits_of,
    turning_point=figures.turning_point,
)
