"""The rules contract: what a game is to everything that plays it.

Documents (records, views, decisions, logs) are JSON values: ``dict``, ``list``, ``str``, ``int``, ``bool`` and
``None``. See ``docs/reference/record.md`` and ``docs/reference/views.md``.
``Game.schema`` returns their JSON Schemas.
"""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol, Self

from games import strict
from games.chance import Chance, SeededChance

Document = dict[str, Any]
"""One JSON object, as it is sent. Do not change a document that a state returned."""

Move = str | dict[str, Any]
"""One move as ``docs/reference/record.md`` writes it: a word, or an object such as ``{"offer": [0, 1, 0, 0]}``."""

FORFEIT_REASONS = ("strikes", "exit", "not_ready", "memory", "time", "resign", "abandoned")
"""Why a seat lost its game without playing it to the end."""

DEFAULT_REASONS = ("late", "malformed", "too_long", "wrong_id", "illegal", "forfeit", "absent")
"""Why the platform played the default move for a seat."""

LISTED_MOVES: Final = 64
"""A decision lists its legal moves up to this number."""


class IllegalMove(ValueError):
    """The rules do not allow the move here. The state is unchanged.

    ``rule`` names the broken rule, ``legal`` lists or describes the legal moves.
    """

    def __init__(self, rule: str, legal: str) -> None:
        super().__init__(f"{rule} Legal moves: {legal}.")
        self.rule = rule
        self.legal = legal


class NumberedMoves(Protocol):
    """Legal moves by their position in the canonical order, from 0.

    ``[…]`` raises ``IndexError`` for other positions, ``index`` raises ``ValueError`` for other moves.
    """

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> Move: ...

    def index(self, move: Move, /) -> int: ...


class State(metaclass=ABCMeta):  # not ABC: mypyc makes no native class of what inherits from one that is not
    """One play of a game, from the deal to the outcome. Seats count from 0.

    The state itself plays chance and forced moves. After :meth:`play` at least one seat owes a decision, or the game
    is over. Every pending seat has at least two legal moves.

    ``games.stepped.SteppedState`` implements most of this contract.
    """

    __slots__ = ()

    rules: Rules
    seats: int

    @property
    @abstractmethod
    def pending(self) -> tuple[int, ...]:
        """The seats that owe a decision now, ascending. Several seats choose at once and in secret. Empty: over."""

    @property
    @abstractmethod
    def decision_kind(self) -> str | None:
        """The kind of the decision that the pending seats owe, the same for all of them; ``None``: over."""

    def decision(self, seat: int) -> Document:
        """What ``seat`` is asked: kind, bounds, default move and, up to ``LISTED_MOVES``, the legal moves.

        Raises ``LookupError`` when ``seat`` owes no decision. Override it to add bounds, or if a list is too slow.
        """
        legal = list(self.legal_moves(seat))
        listed = legal if len(legal) <= LISTED_MOVES else None
        return {"kind": self.decision_kind, "seat": seat, "default": legal[0], "legal": listed}

    @abstractmethod
    def legal_moves(self, seat: int) -> Sequence[Move]:
        """All legal moves of ``seat`` in canonical order; the first one is the default move.

        Raises ``LookupError`` when ``seat`` owes no decision, as do the methods below.
        """

    def numbered_moves(self, seat: int) -> NumberedMoves:
        """A view of the legal moves by position that need not build all of them."""
        return self.legal_moves(seat)

    def default_move(self, seat: int) -> Move:
        """The first legal move. Override it if :meth:`legal_moves` is slow."""
        return self.legal_moves(seat)[0]

    def random_move(self, seat: int, random: Random) -> Move:
        """One legal move, each with the same probability. Override it if :meth:`legal_moves` is slow."""
        legal = self.legal_moves(seat)
        return legal[int(random.random() * len(legal))]

    def check(self, seat: int, move: object) -> Move:
        """Return ``move`` in its canonical form, or raise ``IllegalMove``.

        Override it to name the broken rule, to accept other forms of a move, or if :meth:`legal_moves` is slow.
        """
        legal = self.legal_moves(seat)
        for one in legal:
            if strict.same(one, move):
                return one
        listed = " · ".join([str(one) for one in legal[:LISTED_MOVES]])
        raise IllegalMove(f"{move!r:.60} is not a legal move.", listed)

    @abstractmethod
    def play(self, seat: int, move: object, *, default: str | None = None) -> None:
        """Play ``move`` for ``seat``. Simultaneous choices stay secret until the last one is in.

        ``default`` is one of ``DEFAULT_REASONS`` where the platform plays the default move for the seat.
        Raises ``IllegalMove`` and changes nothing; ``LookupError`` when ``seat`` owes no decision.
        """

    @abstractmethod
    def forfeit(self, seat: int, reason: str) -> None:
        """Note that ``seat`` has lost by ``reason`` (``FORFEIT_REASONS``). Changes the outcome, not the play."""

    @property
    @abstractmethod
    def rounds_begun(self) -> int:
        """The number of rounds of the whole game that have begun, from 1. It never decreases."""

    @abstractmethod
    def view(self, seat: int | None) -> Document:
        """All that ``seat`` may see now; ``None`` is a spectator.

        It has at least ``game``, ``seats``, ``seat``, ``turn``, ``players`` (one object per seat) and ``you`` (the
        seat's own part, ``None`` for a spectator). Raises ``LookupError`` for a seat that does not exist.
        """

    @abstractmethod
    def entries(self, seat: int | None, start: int = 0) -> list[Document]:
        """The log entries of ``seat`` from position ``start`` on; the list only ever grows at its end."""

    @property
    @abstractmethod
    def outcome(self) -> Document | None:
        """``None`` while the game runs, then ``{"ranks": […], "scores": […]}``, forfeits included."""

    @property
    @abstractmethod
    def record(self) -> Document:
        """The whole game, secrets included; its ``outcome`` is ``None`` while the game runs."""

    @abstractmethod
    def retraced(self) -> Iterator[tuple[int, Self]]:
        """Replay this game in one new state, which is yielded after the deal and after every decision.

        With it comes the index of the last step so far. Chance steps come with the decision before them. Forced moves
        are decisions. A secret choice counts as a step before a log shows it.
        """

    @abstractmethod
    def steps_since(self, start: int) -> list[Document]:
        """The steps of the record from index ``start`` on."""

    @abstractmethod
    def copy(self) -> Self:
        """An independent copy, cheap enough for a search."""

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


def _chance_values() -> dict[str, str]:
    return {"deck": "cards", "starter": "seat"}


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of one game: what it is called, who can play it, and how a state is dealt.

    ``slug`` names the game in URLs, records and code. ``version`` is the version of its rules: records of another
    version are rejected. ``deal(rules, seats, chance)`` makes a state, for example the state's class.

    ``chance_values`` maps the name of each chance step to the key of its value: ``cards`` (a list of words), ``seats``
    (a list of numbers) or ``seat`` (a number).

    ``veiled`` are the kinds of decisions whose forced moves depend on a hidden hand. Live tables delay what follows
    them, because the time until the next event must not reveal that a move was forced.
    """

    slug: str
    name: str
    seat_counts: tuple[int, ...]
    deal: Callable[[Rules, int, Chance], State]
    version: str = "1"
    chance_values: Mapping[str, str] = field(default_factory=_chance_values)
    veiled: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[type[Rules], tuple[Any, ...]]:
        """For ``copy`` and ``pickle``, which could not make an object of a compiled class without its arguments."""
        known = (self.slug, self.name, self.seat_counts, self.deal, self.version, dict(self.chance_values), self.veiled)
        return type(self), known

    def start(self, seats: int, chance: Chance) -> State:
        """Deal a state whose chance outcomes come from ``chance``. Raises ``ValueError`` for a wrong ``seats``."""
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
