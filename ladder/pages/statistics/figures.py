"""What games count of their seats, as tables of means a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_noop

from games.base import Figure, Figures, Game
from ladder.statistics.tallies import added


@dataclass(frozen=True)
class FigureRow:
    """One row: what it is of, and a mean a game for each column."""

    name: str
    means: Sequence[float]


@dataclass(frozen=True)
class FigureTable:
    """A row a stretch of the game, and the whole game last."""

    columns: Sequence[Figure]
    rows: Sequence[FigureRow]


def figure_table(game: Game, figures: Figures, games: int) -> FigureTable | None:
    """The means a game of what ``figures`` add up over ``games``; ``None`` without games."""
    if not games:
        return None
    columns = [column for column in game.figure_columns() if column.key in figures]
    rows = [
        FigureRow(stretch, [figures[column.key][place] / games for column in columns])
        for place, stretch in enumerate(game.stretches)
    ]
    whole = [sum(figures[column.key]) / games for column in columns]
    return FigureTable(columns, [*rows, FigureRow(gettext_noop("whole game"), whole)])


def together(figures: Iterable[Figures]) -> Figures:
    """All of them, added up."""
    total: Figures = {}
    for its in figures:
        total = added(total, its)
    return total
