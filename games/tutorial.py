"""The contract between the tutorial of a game and the page that plays it with a newcomer.

All texts of a tutorial are sentences that the page translates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from games.rules import Document, Move, State


class Term(str):
    """A term of the game among the values of a sentence. It is also translated."""

    __slots__ = ()


Value = int | str | tuple[Term, ...]


@dataclass(frozen=True)
class Sentence:
    """An English text with placeholders such as ``%(name)s``, and their values.

    A value can contain tokens of ``Presentation.tokens``, such as ``2 {R}`` for two red gems. A tuple of terms becomes
    a list in words.
    """

    text: str
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class MoveOption:
    """A move with its label and its consequence in this position."""

    move: Move
    label: Sentence
    meaning: Sentence


@dataclass(frozen=True)
class Heap:
    """The tokens of one kind for an offer: ``held`` by the newcomer, ``standing`` in the current offer."""

    token: str
    held: int
    standing: int


@dataclass(frozen=True)
class Lesson:
    """One decision: its topic, hints, and the possible moves.

    ``heaps`` are the tokens for an offer; empty if the decision is not an offer. ``advice`` explains the move
    ``advised``.
    """

    title: Sentence
    introduction: Sequence[Sentence]
    hints: Sequence[Sentence]
    options: Sequence[MoveOption]
    heaps: Sequence[Heap]
    advised: Move
    advice: Sentence


@dataclass(frozen=True)
class Grid:
    """A table: its column heads, and rows whose first cell is also a head."""

    heads: Sequence[Sentence]
    rows: Sequence[Sequence[Sentence]]


class Tutorial(ABC):
    """The beginning of a game with a fixed deal. A newcomer in ``seat`` plays against simple opponents.

    It depends only on the state, so the newcomer's moves are sufficient to replay it.
    """

    game: str
    seats: int
    seat: int
    names: Sequence[str]
    seed: bytes
    most_moves: int
    """Maximum number of moves that the newcomer makes."""

    @property
    @abstractmethod
    def welcome(self) -> Sequence[Sentence]:
        """What to know before the first decision."""

    @abstractmethod
    def answer(self, state: State, seat: int) -> Move:
        """Return the move of the opponent in ``seat``, which owes a decision."""

    @abstractmethod
    def is_over(self, state: State) -> bool:
        """Return whether the tutorial has ended."""

    @abstractmethod
    def progress(self, state: State) -> tuple[int, int]:
        """Return the number of completed parts and the number of all parts."""

    @abstractmethod
    def place(self, state: State) -> Sentence:
        """Return the current part of the game, such as the round."""

    @abstractmethod
    def log(self, state: State) -> Document:
        """Return the ``game-log/1`` of the newcomer's seat, up to the end of the tutorial."""

    @abstractmethod
    def lesson(self, state: State, met: Sequence[str]) -> Lesson:
        """Return the decision of the newcomer. ``met`` contains the kinds of earlier decisions, in order."""

    @abstractmethod
    def offer(self, amounts: Sequence[int]) -> Move:
        """Return the move that offers ``amounts`` tokens of each heap."""

    @abstractmethod
    def why_not(self, state: State, amounts: Sequence[int]) -> Sentence:
        """Explain why the rules do not allow an offer in this position. Names the values of this offer."""

    @abstractmethod
    def grid(self, state: State) -> Grid:
        """Return the table as rows and columns, for a page without drawings."""

    @abstractmethod
    def closing(self, state: State) -> tuple[Grid, Sequence[Sentence]]:
        """Return how the tutorial ended: the payments, and sentences that explain who leads and why."""
