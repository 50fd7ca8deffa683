"""Every word of the games that pages and boards say: what a site must have in a language to speak of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from games.base import Game
from games.words import DEFAULTS, FORFEITS


def terms(games: Iterable[Game]) -> list[str]:
    """The English terms of ``games`` and of all games, each once, sorted."""
    found = {term for game in games for term in _of(game)}
    return sorted(found | set(DEFAULTS.values()) | set(FORFEITS.values()))


def _of(game: Game) -> Iterator[str]:
    yield from game.drawn.values()
    yield from game.terms
    yield from game.stretches
    yield from (column.heading for column in game.score_columns())
    for figure in game.figure_columns():
        yield from (figure.heading, figure.meaning)
    for habit in game.habit_columns():
        yield from (habit.group, habit.heading, habit.meaning, habit.occasion)
    if game.price_unit:
        yield game.price_unit
