"""The rules contract: the interface between a game and everything that plays it.

Documents (records, views, decisions, logs) are JSON values: ``dict``, ``list``, ``str``, ``int``, ``bool`` and
``None``. ``docs/reference/record.md`` and ``docs/reference/views.md`` describe them. ``Game.schema`` returns their JSON
Schemas.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple, Protocol, Self

from games import strict
from games.chance import Chance, SeededChance

Document = dict[str, Any]
"""A JSON object as it is sent. Do not change a document that a state returned."""

Move = str | dict[str, Any]
"""A move as in ``docs/reference/record.md``: a string, or an object such as ``{"offer": [0, 1, 0, 0]}``."""

FORFEIT_REASONS = ("strikes", "exit", "not_ready", "memory", "time", "resign", "abandoned")
"""The reasons for which a seat forfeits its game."""

DEFAULT_REASONS = ("late", "malformed", "too_long", "wrong_id", "illegal", "forfeit", "absent")
"""The reasons for which the platform plays the default move for a seat."""

FORFEIT_KEYS: Final = ("forfeit", "forfeit_at")
"""The keys of a score that are about a forfeit; all others are the score in the format of the game."""

LISTED_MOVES: Final = 64
"""Maximum number of legal moves that a decision lists. If there are more, it lists none."""


class IllegalMove(ValueError):
    """The rules do not allow the move. The state is unchanged.

    ``rule`` names the broken rule, ``legal`` lists or describes the legal moves.
    """

    def __init__(self, rule: str, legal: str) -> None:
        super().__init__(f"{rule} Legal moves: {legal}.")
        self.rule = rule
        self.legal = legal


class Forfeit(NamedTuple):
    """The forfeit of a seat: one of ``FORFEIT_REASONS``, and the number of steps recorded when the seat gave up.

    ``at`` is ``None`` in games from before it was stored.
    """

    reason: str
    at: int | None = None


class NumberedMoves(Protocol):
    """The legal moves by their position in canonical order, from 0.

    ``[…]`` raises ``IndexError`` for an invalid position, ``index`` raises ``ValueError`` for a move that is not legal.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Move: ...

    def index(self, move: Move, /) -> int: ...


class State(ABC):
    """One play of a game, from the deal to the outcome. Seats are numbered from 0.

    The state itself plays chance and forced moves. After :meth:`play`, at least one seat owes a decision, or the game
    is over. Every pending seat has at least two legal moves.

    ``games.stepped.SteppedState`` implements most of this contract.
    """

    __slots__ = ()

    rules: Rules
    seats: int

    @property
    @abstractmethod
    def pending(self) -> tuple[int, ...]:
        """The seats that owe a decision now, ascending. Several seats choose simultaneously.

        It is empty if the game is over.
        """

    @property
    @abstractmethod
    def decision_kind(self) -> str | None:
        """The kind of the decision that all pending seats owe, or ``None`` if the game is over."""

    def decision(self, seat: int) -> Document:
        """Return the decision that ``seat`` owes: kind, bounds, default move and legal moves.

        ``legal`` is ``None`` if there are more than ``LISTED_MOVES`` legal moves. Raises ``LookupError`` if ``seat``
        owes no decision. Override it to add bounds, or if a list is too slow.
        """
        legal = list(self.legal_moves(seat))
        listed = legal if len(legal) <= LISTED_MOVES else None
        return {"kind": self.decision_kind, "seat": seat, "default": legal[0], "legal": listed}

    @abstractmethod
    def legal_moves(self, seat: int) -> Sequence[Move]:
        """Return all legal moves of ``seat`` in canonical order. The first one is the default move.

        Raises ``LookupError`` if ``seat`` owes no decision, as the methods below do.
        """

    def numbered_moves(self, seat: int) -> NumberedMoves:
        """Return the legal moves by position, without the need to build all of them."""
        return self.legal_moves(seat)

    def default_move(self, seat: int) -> Move:
        """Return the default move, which is the first legal move. Override it if :meth:`legal_moves` is slow."""
        return self.legal_moves(seat)[0]

    def random_move(self, seat: int, random: Random) -> Move:
        """Return a random legal move; all have the same probability. Override it if :meth:`legal_moves` is slow."""
        legal = self.legal_moves(seat)
        return legal[int(random.random() * len(legal))]

    def check(self, seat: int, move: object) -> Move:
        """Return ``move`` in its canonical form. Raises ``IllegalMove`` if it is not legal.

        Override it to name the broken rule, to accept other forms of a move, or if :meth:`legal_moves` is slow.
        """
        legal = self.legal_moves(seat)
        for legal_move in legal:
            if strict.same(legal_move, move):
                return legal_move
        listed = " · ".join([str(legal_move) for legal_move in legal[:LISTED_MOVES]])
        raise IllegalMove(f"{move!r:.60} is not a legal move.", listed)

    @abstractmethod
    def play(self, seat: int, move: object, *, default: str | None = None) -> None:
        """Play ``move`` for ``seat``. Simultaneous choices stay secret until the last one is made.

        ``default`` is one of ``DEFAULT_REASONS`` if the platform plays the default move for the seat. Raises
        ``IllegalMove`` if the move is not legal, which changes nothing, and ``LookupError`` if ``seat`` owes no
        decision.
        """

    @abstractmethod
    def forfeit(self, seat: int, reason: str, at: int | None = None) -> None:
        """Record that ``seat`` forfeits, see :class:`Forfeit`. Affects the outcome, not the play."""

    @property
    @abstractmethod
    def rounds_begun(self) -> int:
        """The number of rounds that have begun in the whole game, from 1. It never decreases."""

    @abstractmethod
    def view(self, seat: int | None) -> Document:
        """Return everything that ``seat`` may see now; ``None`` is a spectator.

        A view has at least ``game``, ``seats``, ``seat``, ``turn``, ``players`` (one object per seat) and ``you`` (the
        private part of the seat, ``None`` for a spectator). Raises ``LookupError`` for a seat that does not exist.
        """

    @abstractmethod
    def entries(self, seat: int | None, start: int = 0) -> list[Document]:
        """Return the log entries of ``seat`` from position ``start``. The log only grows at its end."""

    @property
    @abstractmethod
    def outcome(self) -> Document | None:
        """``{"ranks": […], "scores": […]}`` including forfeits, or ``None`` while the game runs."""

    @property
    @abstractmethod
    def record(self) -> Document:
        """The whole game, including secrets. Its ``outcome`` is ``None`` while the game runs."""

    @abstractmethod
    def retraced(self) -> Iterator[tuple[int, Self]]:
        """Replay this game in one new state. Yield the state after the deal and after every decision.

        Each item is the index of the last step so far and the state. Chance steps come with the decision before them.
        Forced moves are decisions. A secret choice counts as a step before a log shows it.
        """

    @abstractmethod
    def steps_since(self, start: int) -> list[Document]:
        """Return the steps of the record from index ``start``."""

    @property
    def step_count(self) -> int:
        """The number of steps of the record so far."""
        return len(self.steps_since(0))

    def entry_count(self, seat: int | None) -> int:
        """The number of entries of the log of ``seat`` so far; of the public log if it is ``None``."""
        return len(self.entries(seat))

    @abstractmethod
    def copy(self) -> Self:
        """Return an independent copy. It is cheap enough for a search."""

    def log(self, seat: int | None) -> Document:
        """Return everything that ``seat`` has been allowed to see so far, as steps and events (``game-log/1``)."""
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


class Rules:
    """The rules of one game: its name, its seat counts, and how a state is dealt. They never change.

    ``slug`` names the game in URLs, records and code. ``version`` is the version of its rules; records of another
    version are rejected. ``deal(rules, seats, chance)`` returns a new state; it can be the class of the state.

    ``chance_values`` maps the name of each chance step to the key of its value: ``cards`` (a list of strings),
    ``seats`` (a list of numbers) or ``seat`` (a number). The default knows ``deck`` and ``starter``.

    ``veiled`` are the kinds of decisions whose forced moves depend on a hidden hand. Live tables delay the events after
    them, because the time until the next event must not reveal that a move was forced.
    """

    def __init__(
        self,
        slug: str,
        name: str,
        seat_counts: tuple[int, ...],
        deal: Callable[[Rules, int, Chance], State],
        version: str = "1",
        chance_values: Mapping[str, str] | None = None,
        veiled: tuple[str, ...] = (),
    ) -> None:
        self.slug = slug
        self.name = name
        self.seat_counts = seat_counts
        self.deal = deal
        self.version = version
        self.chance_values = {"deck": "cards", "starter": "seat"} if chance_values is None else chance_values
        self.veiled = veiled

    def start(self, seats: int, chance: Chance) -> State:
        """Deal a state with chance outcomes from ``chance``. Raises ``ValueError`` for a wrong number of seats."""
        self.require_seats(seats)
        return self.deal(self, seats, chance)

    def new(self, seats: int, seed: bytes) -> State:
        """Deal the game of a 32-byte ``seed``. The same seed always gives the same deal."""
        return self.start(seats, SeededChance(seed))

    def require_seats(self, seats: int) -> None:
        """Raise ``ValueError`` unless the game can be played with this number of seats."""
        if seats not in self.seat_counts:
            allowed = ", ".join(map(str, self.seat_counts))
            raise ValueError(f"{self.name} has {allowed} seats, not {seats}")
