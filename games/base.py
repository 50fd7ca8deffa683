"""The contract between a game and everything that plays it.

A reader learns the whole API here. Documents (records, views, decisions, logs) are plain JSON
values: ``dict``, ``list``, ``str``, ``int``, ``bool`` and ``None``. Their shapes are written down in
``docs/`` and, for machines, as JSON Schema (``games.schemas``).
"""

from __future__ import annotations

from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from random import Random
from typing import TYPE_CHECKING, Any, Protocol, Self

from games.chance import Chance, SeededChance

if TYPE_CHECKING:
    from games.describing.documents import GameShapes
    from games.encoding import Encoding
    from games.tutoring import Tutorial

Document = dict[str, Any]
"""One JSON object, as it goes over a wire. What a state gives out is to be read, not changed."""

Move = str | dict[str, Any]
"""One move as ``docs/record.md`` writes it: a word, or an object such as ``{"offer": [0, 1, 0, 0]}``."""

FORFEIT_REASONS = ("strikes", "exit", "not_ready", "memory", "time", "resign", "abandoned")
"""Why a seat lost its game without playing it to the end."""

DEFAULT_REASONS = ("late", "malformed", "too_long", "wrong_id", "illegal", "forfeit", "absent")
"""Why the platform played the default move for a seat."""


class IllegalMove(ValueError):
    """A move the rules do not allow here; the state is as it was.

    ``rule`` names the rule that was broken, ``legal`` says in words what would have been legal.
    """

    def __init__(self, rule: str, legal: str) -> None:
        super().__init__(f"{rule} Legal here: {legal}.")
        self.rule = rule
        self.legal = legal


@dataclass(frozen=True)
class Chapter:
    """A stretch of a told game: its title and its sentences, in order; ``ply`` is where it begins.

    ``plies`` has for every sentence the step it tells of, or one of them where it tells of several.
    """

    title: str
    ply: int
    sentences: tuple[str, ...]
    plies: tuple[int, ...]


@dataclass(frozen=True)
class ScoreColumn:
    """One column of a result table: its heading with the unit, and how to read it from a score object.

    The text may hold tokens, such as ``{R}`` for a red gem: ``Game.tokens``.
    """

    heading: str
    text: Callable[[Mapping[str, Any]], str]


@dataclass(frozen=True)
class Figure:
    """One thing that a game counts of every seat, in each of its stretches (``Game.stretches``), beside the score.

    ``key`` names it in documents, ``heading`` is its column with the unit, ``meaning`` a sentence for whoever asks.
    """

    key: str
    heading: str
    meaning: str


Figures = dict[str, list[int]]
"""What a game counted of one seat: by ``Figure.key``, a number a stretch."""


@dataclass(frozen=True)
class Habit:
    """One thing that seats do more or less of: how often (``share``) or how much on average, over its occasions.

    ``group`` is the table that it stands in; ``heading`` names it there, ``meaning`` is a sentence for whoever asks.
    ``occasion`` is what is counted, in the plural. An amount is in units of 1/``scale``.
    """

    key: str
    group: str
    heading: str
    meaning: str
    occasion: str
    share: bool = True
    scale: int = 1


Habits = dict[str, list[int]]
"""What one seat did in a game: by ``Habit.key``, the sum of the amounts and the number of occasions.

Of a share the amount is how many of the occasions it did so. What had no occasion may be left out.
"""


@dataclass(frozen=True)
class Exchange:
    """What two seats agreed on: ``buyer`` gave ``seller`` so many units and was left the ``good`` that both wanted.

    The unit is the game's own (``Game.price_unit``), and so are the words for goods, such as ``money`` or ``gems``.
    """

    buyer: int
    seller: int
    price: int
    good: str


class NumberedMoves(Protocol):
    """Legal moves by their place in the canonical order, from 0.

    ``[…]`` raises ``IndexError`` for a place that there is not, ``index`` raises ``ValueError`` for any other move.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Move: ...

    def index(self, move: Move, /) -> int: ...


class State(metaclass=ABCMeta):  # not ABC: mypyc makes no native class of what inherits from one that is not
    """One game from the deal to the outcome. Seats count from 0.

    Chance and forced moves are played by the state itself: between two calls of :meth:`play` there is
    always somebody to ask, or the game is over.
    """

    __slots__ = ()

    game: Game
    seats: int

    @property
    @abstractmethod
    def pending(self) -> tuple[int, ...]:
        """The seats that owe a decision now, ascending; several choose at once and in secret. Empty: over."""

    @property
    @abstractmethod
    def decision_kind(self) -> str | None:
        """The kind of the decision that is owed, one for all who are asked at once; ``None``: over."""

    @abstractmethod
    def decision(self, seat: int) -> Document:
        """What ``seat`` is asked: kind, bounds, default and, up to 64 of them, the legal moves.

        Raises ``LookupError`` when ``seat`` owes no decision.
        """

    @abstractmethod
    def legal_moves(self, seat: int) -> Sequence[Move]:
        """Every legal move of ``seat``, in the one canonical order; the first is the default move."""

    def numbered_moves(self, seat: int) -> NumberedMoves:
        """The same, of which not all are listed where there are many; for those who know a move by its place."""
        return self.legal_moves(seat)

    @abstractmethod
    def default_move(self, seat: int) -> Move:
        """The first legal move, found without enumerating the others."""

    @abstractmethod
    def random_move(self, seat: int, random: Random) -> Move:
        """One legal move, each with the same probability, found without enumerating them where they are many."""

    @abstractmethod
    def check(self, seat: int, move: object) -> Move:
        """Judge one move without enumerating: its canonical form, or ``IllegalMove``."""

    @abstractmethod
    def play(self, seat: int, move: object, *, default: str | None = None) -> None:
        """Play ``move`` for ``seat``; simultaneous choices are kept in secret until the last one is in.

        ``default`` is one of ``DEFAULT_REASONS`` where the platform plays the default move for the seat.
        Raises ``IllegalMove`` and changes nothing; ``LookupError`` when ``seat`` owes no decision.
        """

    @abstractmethod
    def forfeit(self, seat: int, reason: str) -> None:
        """Note that ``seat`` has lost by ``reason`` (``FORFEIT_REASONS``). Changes the outcome, not the play."""

    @property
    @abstractmethod
    def rounds_begun(self) -> int:
        """How many rounds of the whole game have begun, from 1; it never falls, and stays as it is at the end."""

    @abstractmethod
    def view(self, seat: int | None) -> Document:
        """Everything ``seat`` may see now; ``None`` is a spectator."""

    @abstractmethod
    def entries(self, seat: int | None, start: int = 0) -> list[Document]:
        """The log entries of ``seat`` from position ``start`` on; the list only ever grows at its end."""

    @property
    @abstractmethod
    def outcome(self) -> Document | None:
        """``None`` while the game runs, afterwards ``{"ranks": […], "scores": […]}`` with the forfeits in it."""

    @property
    @abstractmethod
    def record(self) -> Document:
        """The whole game, secrets included; its ``outcome`` is ``None`` while the game runs."""

    @abstractmethod
    def retraced(self) -> Iterator[tuple[int, Self]]:
        """The same game again, as one state that goes from step to step: after the deal, then after every decision.

        With it comes the index of the last step that has happened: chance steps come with the decision before them,
        forced moves are decisions, and a choice that is still secret has happened, though no log has it.
        """

    @abstractmethod
    def steps_since(self, start: int) -> list[Document]:
        """The steps of the record from index ``start`` on."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent copy, cheap enough to search with."""

    def log(self, seat: int | None) -> Document:
        """What ``seat`` has been allowed to see so far, as steps and public events (``game-log/1``)."""
        record = self.record
        return {
            "format": "game-log/1",
            "game": record["game"],
            "rules": record["rules"],
            "seats": record["seats"],
            "seat": seat,
            "commitment": record["commitment"],
            "entries": self.entries(seat),
            "outcome": self.outcome,
        }


class Game(ABC):
    """The rules of one game; stateless, one object a game in ``games.registry.GAMES``.

    ``tokens`` are what its guide and its score columns may hold in braces, and the words for them: ``{"R": "red"}``
    for ``{R}``. ``games.words`` says them; a page draws them with the symbols of ``drawing``, the name of a file in
    ``esr_platform/static/esr/drawings/`` that has a symbol for every token. Games may share a drawing.

    ``pictures`` are further symbols of that drawing, such as cards, that only its guide may hold in braces.

    ``board`` is the name of the module in ``esr_platform/static/esr/boards/`` that draws its table, with a style sheet
    of the same name beside it (``docs/boards.md``); ``""``: a plain one draws its views as they are. Games share it.

    ``stretches`` are the names of the parts by which figures are counted, such as phases. ``price_unit`` is what is
    paid in an :class:`Exchange`, in the plural; ``""`` where nothing is exchanged.

    ``veiled`` are the kinds of decisions of which nobody else knows that they were forced: it depends on a hidden hand.
    Who plays over a network must not learn it from how soon the next one comes.

    ``terms`` are the other words that pages and boards say of it, in English: what a translation must have.
    ``tutorial`` plays its beginning with a newcomer, where there is one.
    """

    slug: str
    name: str
    rules: str = "1"
    seat_counts: tuple[int, ...]
    tokens: Mapping[str, str] = {}
    pictures: Mapping[str, str] = {}
    drawing: str = ""
    board: str = ""
    stretches: tuple[str, ...]
    price_unit: str = ""
    veiled: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    tutorial: Tutorial | None = None

    @property
    def folder(self) -> Traversable:
        """The package that the game lies in, with its guide and its schema files."""
        return files(type(self).__module__.rpartition(".")[0])

    @abstractmethod
    def start(self, seats: int, chance: Chance) -> State:
        """Deal a game whose chance outcomes come from ``chance``. Raises ``ValueError`` for a wrong ``seats``."""

    def new(self, seats: int, seed: bytes) -> State:
        """Deal the game of a 32-byte ``seed``; the same seed always gives the same deal."""
        return self.start(seats, SeededChance(seed))

    def require_seats(self, seats: int) -> None:
        """Raise ``ValueError`` unless the game can be played by so many."""
        if seats not in self.seat_counts:
            allowed = ", ".join(map(str, self.seat_counts))
            raise ValueError(f"{self.name} has {allowed} seats, not {seats}")

    @abstractmethod
    def story(self, log: Mapping[str, Any], names: Sequence[str], *, by_step: bool = False) -> list[Chapter]:
        """The game of a ``game-log/1`` told in sentences, a chapter a round.

        With ``by_step`` no sentence tells of two steps, for readers who go through the game step by step.
        """

    @property
    @abstractmethod
    def guide(self) -> str:
        """The rules for a newcomer, as Markdown.

        Blocks of code whose first word is ``chain``, ``steps``, ``cards``, ``piles`` or ``pyramid`` are drawn by pages.
        """

    @property
    def drawn(self) -> Mapping[str, str]:
        """What its guide may hold in braces, with the words for it."""
        return {**self.tokens, **self.pictures}

    @property
    def starter(self) -> str:
        """The ``strategy.py`` of a first bot: a commented source that decides simply, from the folder ``starter``.

        It needs Python's standard library only and has a class ``Strategy``, made from the ``hello``, whose
        ``choose(decision, view, log)`` gives a legal move for every decision of the game.
        """
        return self.folder.joinpath("starter", "strategy.py").read_text(encoding="utf-8")

    @abstractmethod
    def shapes(self) -> GameShapes:
        """What its documents look like: the definitions that ``python -m games.schemas.build`` builds schemas from."""

    @abstractmethod
    def score_columns(self) -> Sequence[ScoreColumn]:
        """What a table of results shows of one seat's score object, left to right."""

    @abstractmethod
    def figure_columns(self) -> Sequence[Figure]:
        """What it counts of every seat beside the score, left to right."""

    @abstractmethod
    def figures(self, state: State) -> list[Figures]:
        """What it counted in a finished game, by seat; every figure has a number for each of ``stretches``.

        Raises ``ValueError`` for a game that is not over.
        """

    def habit_columns(self) -> Sequence[Habit]:
        """What it counts of how seats play, group by group; nothing unless the game says so."""
        return ()

    def habits(self, state: State) -> list[Habits]:
        """What seats did in a finished game, by seat. Raises ``ValueError`` for a game that is not over."""
        if state.outcome is None:
            raise ValueError("habits are of a finished game")
        return [{} for _ in range(state.seats)]

    def exchanges(self, state: State) -> list[Exchange]:  # noqa: ARG002
        """What seats of a finished game gave each other by agreement, in order; nothing in a game without barter.

        Raises ``ValueError`` for a game that is not over.
        """
        return []

    def turning_point(self, state: State) -> int | None:  # noqa: ARG002
        """The step that turned a finished game, for whoever looks at one step only; ``None`` if no step did.

        Raises ``ValueError`` for a game that is not over.
        """
        return None

    @abstractmethod
    def encoding(self, seats: int) -> Encoding:
        """Its moves and views at a table of ``seats`` as numbers, for learners. Raises ``ValueError`` as ``start``."""
