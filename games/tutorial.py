"""The contract between a game's tutorial and the page that plays it with a newcomer.

A tutorial says what it has to say in sentences that can be translated; a page says them in the reader's language.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from games.rules import Document, Move, State


class Term(str):
    """A word of the game among the values of a sentence: it is said in the reader's language, too."""

    __slots__ = ()


Value = int | str | tuple[Term, ...]


@dataclass(frozen=True)
class Sentence:
    """An English text with placeholders such as ``%(name)s``, and what stands for them.

    A value may hold tokens, such as ``2 {R}`` for two red gems: ``Presentation.tokens``. Several terms are listed.
    """

    text: str
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Option:
    """A move with what it is called and what it would mean here."""

    move: Move
    label: Sentence
    meaning: Sentence


@dataclass(frozen=True)
class Heap:
    """So many of one token can be named; ``standing`` of them are in what has been offered before."""

    token: str
    held: int
    standing: int


@dataclass(frozen=True)
class Lesson:
    """One decision: what it is about, what to think of, and what could be answered.

    ``heaps`` are what an offer can be made of, none where nothing is offered. ``advised`` is the move that ``advice``
    is for.
    """

    title: Sentence
    introduction: Sequence[Sentence]
    hints: Sequence[Sentence]
    options: Sequence[Option]
    heaps: Sequence[Heap]
    advised: Move
    advice: Sentence


@dataclass(frozen=True)
class Grid:
    """A table: its column heads, and rows whose first cell is a head as well."""

    heads: Sequence[Sentence]
    rows: Sequence[Sequence[Sentence]]


class Tutorial(ABC):
    """The beginning of one game on a fixed deal, played by a newcomer in ``seat`` against simple opponents.

    What it does depends on the state alone, so the newcomer's moves are enough to play it again.
    """

    game: str
    seats: int
    seat: int
    names: Sequence[str]
    seed: bytes
    most_moves: int
    """No way through it asks the newcomer for more."""

    @property
    @abstractmethod
    def welcome(self) -> Sequence[Sentence]:
        """What to know before the first decision."""

    @abstractmethod
    def answer(self, state: State, seat: int) -> Move:
        """What the opponent in ``seat``, who owes a decision, does."""

    @abstractmethod
    def is_over(self, state: State) -> bool:
        """Whether the part that it plays has ended."""

    @abstractmethod
    def progress(self, state: State) -> tuple[int, int]:
        """How many parts are behind the newcomer, and how many there are."""

    @abstractmethod
    def place(self, state: State) -> Sentence:
        """Where in the game that is."""

    @abstractmethod
    def log(self, state: State) -> Document:
        """The ``game-log/1`` of the newcomer's seat, no further than the part that is played."""

    @abstractmethod
    def lesson(self, state: State, met: Sequence[str]) -> Lesson:
        """The decision that the newcomer owes; ``met`` are the kinds of those before, in order."""

    @abstractmethod
    def offer(self, amounts: Sequence[int]) -> Move:
        """The move that offers so many of each heap."""

    @abstractmethod
    def why_not(self, state: State, amounts: Sequence[int]) -> Sentence:
        """What is wrong with an offer that the rules do not allow here, in the terms of this very offer."""

    @abstractmethod
    def grid(self, state: State) -> Grid:
        """What lies on the table, for a page without drawings."""

    @abstractmethod
    def closing(self, state: State) -> tuple[Grid, Sequence[Sentence]]:
        """How the part ended: what was paid to whom; then who is in front, and sentence by sentence why."""
