"""A game of the registry: its rules, presentation, statistics, encoding, JSON Schemas and knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property

from games.knowledge import Knowledge
from games.learning import Encoding, PlainEncoding
from games.presentation import Presentation
from games.rules import Document, Rules, State
from games.schemas import GameShapes, Schema, build, plain_shapes
from games.statistics import Statistics
from games.words import DEFAULTS, FORFEITS


@dataclass(frozen=True, eq=False)
class Game:
    """One game. Only ``rules`` and ``presentation`` are required; all other parts have a default for any game.

    ``learning`` returns the encoding of moves and views for a number of seats. ``shapes`` describes the documents of
    the game, from which the JSON Schemas are built. ``knowledge`` reads what a seat knows from its view and its log;
    without it, ``games.sampling`` does not support the game.
    """

    rules: Rules
    presentation: Presentation
    statistics: Statistics = field(default_factory=Statistics)
    learning: Callable[[int], Encoding] = PlainEncoding
    shapes: Callable[[Rules], GameShapes] = plain_shapes
    knowledge: Callable[[Rules, Document, Sequence[Document]], Knowledge] | None = None

    @property
    def slug(self) -> str:
        return self.rules.slug

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def seat_counts(self) -> tuple[int, ...]:
        return self.rules.seat_counts

    def new(self, seats: int, seed: bytes) -> State:
        """Deal the game of a 32-byte ``seed``. Raises ``ValueError`` for a wrong number of seats."""
        return self.rules.new(seats, seed)

    def encoding(self, seats: int) -> Encoding:
        """Return the numeric encoding for a number of seats. Raises ``ValueError`` for a wrong number."""
        self.rules.require_seats(seats)
        return self.learning(seats)

    def schema(self, document: str) -> Schema:
        """Return a copy of the JSON Schema of a document in ``games.schemas.DOCUMENTS``, or raise ``LookupError``."""
        if document not in self._schemas:
            raise LookupError(f"unknown document {document!r}; choose from {', '.join(self._schemas)}")
        return deepcopy(self._schemas[document])

    @cached_property
    def _schemas(self) -> dict[str, Schema]:
        return build(self.shapes(self.rules))


def terms(games: Iterable[Game]) -> list[str]:
    """Return the English words of ``games`` that pages and boards show, sorted and unique. They must be translated."""
    terms = {term for game in games for term in _terms_of(game)}
    return sorted(terms | set(DEFAULTS.values()) | set(FORFEITS.values()))


def _terms_of(game: Game) -> Iterator[str]:
    yield from game.presentation.drawn.values()
    yield from game.presentation.terms
    yield from (column.heading for column in game.presentation.score_columns)
    yield from game.statistics.stretches
    for figure in game.statistics.figure_columns:
        yield from (figure.heading, figure.meaning)
    for habit in game.statistics.habit_columns:
        yield from (habit.group, habit.heading, habit.meaning, habit.occasion)
    if game.statistics.price_unit:
        yield game.statistics.price_unit
