"""The learning contract: moves as sequences of numbered actions, and what a seat may see as one vector.

Both come from documents alone: the ``view`` and the ``decision`` of one seat (``docs/reference/views.md``).
Nothing hidden can leak, and a policy that learned in an environment can play as a bot,
which gets the same two documents.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from games.rules import LISTED_MOVES, Document, Move
from games.strict import same

Chosen = tuple[int, ...]
"""The actions of one move that have been chosen so far; ``()`` before the first."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an observation is made of: a seat's view, what it is asked (``None``: nothing), what it has chosen so far.

    ``players`` are the view's, this seat's first, then clockwise.
    """

    view: Document
    decision: Document | None
    chosen: Chosen
    players: Sequence[Document]

    def clockwise(self, seat: int) -> int:
        """How far ``seat`` sits from this one: 0 is itself, 1 the next."""
        distance: int = (seat - self.view["seat"]) % self.view["seats"]
        return distance


@dataclass(frozen=True)
class Section:
    """A stretch of the observation: so many numbers from 0 to ``high``, what they mean, and how they are read."""

    name: str
    size: int
    meaning: str
    read: Callable[[Seen], Sequence[float]]
    high: float = 1.0


class Encoding(ABC):
    """The moves and views of one game at one number of seats, as numbers; stateless.

    A game's own is made from its number of ``seats``, and nothing else.
    """

    def __init__(self, seats: int, actions: tuple[str, ...], sections: tuple[Section, ...]) -> None:
        """``actions`` names every action, by its number; ``sections`` are the observation's, in order."""
        self.seats = seats
        self.actions = actions
        self.sections = sections

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or one read from a pickle, is made anew."""
        return type(self), (self.seats,)

    @abstractmethod
    def options(self, decision: Document, chosen: Chosen) -> list[int]:
        """The actions that may follow ``chosen``, each of them the way to at least one legal move; ascending.

        Empty only when ``chosen`` is a whole move. ``chosen`` itself is taken to have been chosen from options.
        """

    @abstractmethod
    def compose(self, decision: Document, actions: Chosen) -> Move:
        """The move in its canonical form that ``actions``, chosen from options to the end, stand for."""

    @abstractmethod
    def sequence(self, decision: Document, move: Move) -> Chosen:
        """The one sequence of actions that composes ``move``, which must be legal."""

    def score(self, score: Mapping[str, Any]) -> float:
        """The number of a seat's score object that decides the game first; higher is better."""
        return float(score["points"])

    def mask(self, decision: Document, chosen: Chosen) -> list[int]:
        """1 for every action that may follow ``chosen``, 0 for all others."""
        mask = [0] * len(self.actions)
        for action in self.options(decision, chosen):
            mask[action] = 1
        return mask

    def move(self, decision: Document, actions: Chosen) -> Move:
        """The move that ``actions`` compose. Raises ``ValueError`` unless they are a whole legal move."""
        for length, action in enumerate(actions):
            options = self.options(decision, actions[:length])
            if action not in options:
                raise ValueError(f"action {action} cannot follow {list(actions[:length])}; possible actions: {options}")
        if options := self.options(decision, actions):
            raise ValueError(f"{list(actions)} is not a complete move; possible next actions: {options}")
        return self.compose(decision, actions)

    def allows(self, decision: Document, move: Any) -> bool:
        """Whether ``move``, whatever JSON value it is, is legal; it need not be in its canonical form."""
        try:
            actions = self.sequence(decision, move)
            composed = self.move(decision, tuple(map(index, actions)))  # which no float has
        except (AttributeError, LookupError, TypeError, ValueError):  # it is none, so nothing fits anything
            return False
        return same(_in_any_order(composed), _in_any_order(move))

    @property
    def size(self) -> int:
        """How many numbers an observation has."""
        return sum(section.size for section in self.sections)

    @property
    def highs(self) -> list[float]:
        """The greatest value at each index of an observation; the least is 0 everywhere."""
        return [section.high for section in self.sections for _ in range(section.size)]

    def observation(self, view: Document, decision: Document | None, chosen: Chosen = ()) -> list[float]:
        """What the seat of ``view`` is told, and what it has chosen of the move it is asked for, as ``size`` numbers.

        ``decision`` is ``None`` when the seat is not asked. Raises ``ValueError`` for a spectator's view.
        """
        seat = view["seat"]
        if seat is None:
            raise ValueError("an observation needs the view of a seat, not of a spectator")
        players = view["players"]
        seen = Seen(view, decision, chosen, players[seat:] + players[:seat])
        numbers: list[float] = []
        for section in self.sections:
            numbers += section.read(seen)
        return numbers


class PlainEncoding(Encoding):
    """The encoding of a game that brings none: action ``n`` is the ``n``-th legal move that the decision lists.

    Actions exist only for decisions that list their moves. The observation says which moves are listed, and nothing of
    the view: enough to play at random and for tests, not to learn.
    """

    def __init__(self, seats: int) -> None:
        asked = Section("legal", LISTED_MOVES, "1 for every listed move", _listed)
        super().__init__(seats, tuple(f"move {number}" for number in range(LISTED_MOVES)), (asked,))

    def options(self, decision: Document, chosen: Chosen) -> list[int]:
        return [] if chosen else list(range(len(decision["legal"])))

    def compose(self, decision: Document, actions: Chosen) -> Move:
        move: Move = decision["legal"][actions[0]]
        return move

    def sequence(self, decision: Document, move: Move) -> Chosen:
        return (next(place for place, one in enumerate(decision["legal"]) if same(one, move)),)

    def allows(self, decision: Document, move: Any) -> bool:
        """Whether ``move`` is listed. Where nothing is listed, any move may be legal: only the rules can tell."""
        return decision["legal"] is None or any(same(one, move) for one in decision["legal"])


def _listed(seen: Seen) -> list[float]:
    legal = seen.decision["legal"] if seen.decision and not seen.chosen else []
    return [float(place < len(legal)) for place in range(LISTED_MOVES)]


def _in_any_order(value: Any) -> Any:
    """``value`` with its lists of words sorted: several cards, or colours, are the same ones in any order."""
    if type(value) is dict:
        return {key: _in_any_order(part) for key, part in value.items()}
    if type(value) is list and all(type(word) is str for word in value):
        return sorted(value)
    return value


def one_hot(index: int | None, size: int) -> list[float]:
    """1 at ``index``, 0 elsewhere; ``None`` is 0 everywhere."""
    numbers = [0.0] * size
    if index is not None:
        numbers[index] = 1.0
    return numbers


def scaled(numbers: Iterable[float], unit: float) -> list[float]:
    """Every number in units of ``unit``."""
    return [number / unit for number in numbers]


class Shares:
    """How many of all its copies of each item are among some: from 0 to 1, in the order of ``copies``."""

    def __init__(self, copies: Mapping[str, int]) -> None:
        self.places = {item: (place, 1 / count) for place, (item, count) in enumerate(copies.items())}

    def __len__(self) -> int:
        return len(self.places)

    def of(self, items: Iterable[str]) -> list[float]:
        """The shares of ``items``, a multiset."""
        numbers = [0.0] * len(self.places)
        for item in items:
            place, share = self.places[item]
            numbers[place] += share
        return numbers
