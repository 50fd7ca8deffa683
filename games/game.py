"""A game of the registry: its rules, presentation, statistics, encoding, JSON Schemas and knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from games.knowledge import Knowledge
from games.rules import Document, Rules, State

if TYPE_CHECKING:
    from games.learning import Encoding
    from games.presentation import Presentation
    from games.schemas import GameShapes, Schema
    from games.statistics import Statistics


def _plain_statistics() -> Statistics:
    from games.statistics import Statistics

    return Statistics()


def _plain_encoding(seats: int) -> Encoding:
    from games.learning import PlainEncoding

    return PlainEncoding(seats)


def _plain_shapes(rules: Rules) -> GameShapes:
    from games.schemas import plain_shapes

    return plain_shapes(rules)


class Game:
    """One game. Only ``rules`` and ``presentation`` are required; all other parts have a default for any game.

    All parts but the rules are functions. They import what they need when a part is used for the first time, because a
    bot that searches needs only the rules and the knowledge, and has little time to start.

    ``presentation`` and ``statistics`` return these parts. ``learning`` returns the encoding of moves and views for a
    number of seats. ``shapes`` describes the documents of the game, from which the JSON Schemas are built.
    ``knowledge`` reads what a seat knows from its view and its log; without it, ``games.sampling`` does not support the
    game.
    """

    def __init__(
        self,
        rules: Rules,
        presentation: Callable[[], Presentation],
        statistics: Callable[[], Statistics] = _plain_statistics,
        learning: Callable[[int], Encoding] = _plain_encoding,
        shapes: Callable[[Rules], GameShapes] = _plain_shapes,
        knowledge: Callable[[Rules, Document, Sequence[Document]], Knowledge] | None = None,
    ) -> None:
        self.rules = rules
        self._presentation = presentation
        self._statistics = statistics
        self._learning = learning
        self._shapes = shapes
        self.knowledge = knowledge

    @cached_property
    def presentation(self) -> Presentation:
        """How the game is shown to people."""
        return self._presentation()

    @cached_property
    def statistics(self) -> Statistics:
        """What is counted in finished games."""
        return self._statistics()

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
        return self._learning(seats)

    def schema(self, document: str) -> Schema:
        """Return a copy of the JSON Schema of a document in ``games.schemas.DOCUMENTS``, or raise ``LookupError``."""
        from copy import deepcopy

        if document not in self._schemas:
            raise LookupError(f"unknown document {document!r}; choose from {', '.join(self._schemas)}")
        return deepcopy(self._schemas[document])

    @cached_property
    def _schemas(self) -> dict[str, Schema]:
        from games.schemas import build

        return build(self._shapes(self.rules))


def terms(games: Iterable[Game]) -> list[str]:
    """Return the English words of ``games`` that pages and boards show, sorted and unique. They must be translated."""
    from games.words import DEFAULTS, FORFEITS

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
