"""The learning contract: moves as sequences of numbered actions, observations as vectors of numbers.

Both are computed from two documents of one seat: the ``view`` and the ``decision`` (``docs/reference/views.md``). So no
hidden information can leak, and a policy that was trained in an environment can play as a bot, which receives the same
documents.
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
    """The input of an observation: the view of a seat, its decision (``None`` if it owes none) and its actions so far.

    ``players`` are those of the view in clockwise order, beginning with this seat.
    """

    view: Document
    decision: Document | None
    chosen: Chosen
    players: Sequence[Document]

    def clockwise(self, seat: int) -> int:
        """Return the distance from this seat to ``seat``: 0 is this seat, 1 the next one clockwise."""
        distance: int = (seat - self.view["seat"]) % self.view["seats"]
        return distance


@dataclass(frozen=True)
class Section:
    """A part of the observation: ``size`` numbers from 0 to ``high``, their meaning, and a function that reads them."""

    name: str
    size: int
    meaning: str
    read: Callable[[Seen], Sequence[float]]
    high: float = 1.0


class Encoding(ABC):
    """The numeric encoding of the moves and views of one game with one number of seats. It has no state.

    The constructor of a game's own encoding takes only ``seats``.
    """

    def __init__(self, seats: int, actions: tuple[str, ...], sections: tuple[Section, ...]) -> None:
        """Take the names of all ``actions`` by number, and the ``sections`` of an observation in order."""
        self.seats = seats
        self.actions = actions
        self.sections = sections

    def __reduce__(self) -> tuple[Any, ...]:
        """Support ``copy`` and ``pickle``: create a new encoding for the same number of seats."""
        return type(self), (self.seats,)

    @abstractmethod
    def options(self, decision: Document, chosen: Chosen) -> list[int]:
        """Return the actions that can follow ``chosen``, ascending. Each of them leads to at least one legal move.

        Empty if and only if ``chosen`` is a complete move. Does not check ``chosen`` itself.
        """

    @abstractmethod
    def compose(self, decision: Document, actions: Chosen) -> Move:
        """Return the move of a complete sequence of ``actions``, in its canonical form. Does not check the actions."""

    @abstractmethod
    def sequence(self, decision: Document, move: Move) -> Chosen:
        """Return the sequence of actions that composes ``move``, which must be legal. It is unique."""

    def score(self, score: Mapping[str, Any]) -> float:
        """Return the first criterion of the ranking from a seat's score object. Higher is better."""
        return float(score["points"])

    def mask(self, decision: Document, chosen: Chosen) -> list[int]:
        """Return 1 for every action that can follow ``chosen``, 0 for all others."""
        mask = [0] * len(self.actions)
        for action in self.options(decision, chosen):
            mask[action] = 1
        return mask

    def move(self, decision: Document, actions: Chosen) -> Move:
        """Return the move that ``actions`` compose. Raises ``ValueError`` unless they are a complete legal move."""
        for length, action in enumerate(actions):
            options = self.options(decision, actions[:length])
            if action not in options:
                raise ValueError(f"action {action} cannot follow {list(actions[:length])}; possible actions: {options}")
        if options := self.options(decision, actions):
            raise ValueError(f"{list(actions)} is not a complete move; possible next actions: {options}")
        return self.compose(decision, actions)

    def allows(self, decision: Document, move: Any) -> bool:
        """Return whether ``move``, any JSON value, is legal. It need not be in its canonical form."""
        try:
            actions = self.sequence(decision, move)
            composed = self.move(decision, tuple(map(index, actions)))  # raises TypeError for a float
        except (AttributeError, LookupError, TypeError, ValueError):  # it is not a move
            return False
        return same(_in_any_order(composed), _in_any_order(move))

    @property
    def size(self) -> int:
        """The number of values in an observation."""
        return sum(section.size for section in self.sections)

    @property
    def highs(self) -> list[float]:
        """The maximum at each index of an observation. The minimum is always 0."""
        return [section.high for section in self.sections for _ in range(section.size)]

    def observation(self, view: Document, decision: Document | None, chosen: Chosen = ()) -> list[float]:
        """Return what the seat of ``view`` sees and has chosen of its current move, as a list of ``size`` numbers.

        ``decision`` is ``None`` if the seat owes no decision. Raises ``ValueError`` for the view of a spectator.
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
    """The encoding of a game without its own: action ``n`` is the ``n``-th legal move that the decision lists.

    Actions exist only for decisions that list their moves. The observation contains only which moves are listed,
    nothing of the view. This is enough for random play and tests, but not for learning.
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
        return (next(place for place, legal_move in enumerate(decision["legal"]) if same(legal_move, move)),)

    def allows(self, decision: Document, move: Any) -> bool:
        """Return whether ``move`` is listed, or true if the decision lists no moves."""
        return decision["legal"] is None or any(same(legal_move, move) for legal_move in decision["legal"])


def _listed(seen: Seen) -> list[float]:
    legal = seen.decision["legal"] if seen.decision and not seen.chosen else []
    return [float(place < len(legal)) for place in range(LISTED_MOVES)]


def _in_any_order(value: Any) -> Any:
    """Sort the lists of strings in ``value``, because the order of several cards or colors does not matter."""
    if type(value) is dict:
        return {key: _in_any_order(part) for key, part in value.items()}
    if type(value) is list and all(type(word) is str for word in value):
        return sorted(value)
    return value


def one_hot(index: int | None, size: int) -> list[float]:
    """Return ``size`` numbers with 1 at ``index`` and 0 elsewhere. ``None`` gives only zeros."""
    numbers = [0.0] * size
    if index is not None:
        numbers[index] = 1.0
    return numbers


def scaled(numbers: Iterable[float], unit: float) -> list[float]:
    """Return every number divided by ``unit``."""
    return [number / unit for number in numbers]


class Shares:
    """Converts a multiset to the share of each item's copies that it contains, from 0 to 1, in fixed order."""

    def __init__(self, copies: Mapping[str, int]) -> None:
        self.places = {item: (place, 1 / count) for place, (item, count) in enumerate(copies.items())}

    def __len__(self) -> int:
        return len(self.places)

    def of(self, items: Iterable[str]) -> list[float]:
        """Return the shares of ``items``, a multiset."""
        numbers = [0.0] * len(self.places)
        for item in items:
            place, share = self.places[item]
            numbers[place] += share
        return numbers
