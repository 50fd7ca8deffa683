"""What every game's table has, and what a procedure asks of whoever drives it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from . import shuffling

LISTED = 64


@dataclass(frozen=True)
class Chance:
    """A chance step is due; `step` is the whole of it, computed from the seed."""

    step: dict[str, Any]


@dataclass(frozen=True)
class Ask:
    """A seat has to choose one of `legal`; `bounds` are the decision's own keys; `hidden` holds the step back."""

    seat: int
    kind: str
    legal: list[Any]
    bounds: dict[str, Any]
    hidden: bool = False

    @property
    def document(self) -> dict[str, Any]:
        """What the seat is asked (`views.md`); every move is listed while there are at most 64."""
        return {
            "kind": self.kind,
            "seat": self.seat,
            **self.bounds,
            "default": self.legal[0],
            "legal": self.legal if len(self.legal) <= LISTED else None,
        }


@dataclass(frozen=True)
class Event:
    """Something that followed from the rules; only `seat` is told, or everybody."""

    document: dict[str, Any]
    seat: int | None = None


@dataclass(frozen=True)
class Uncover:
    """From here on the hidden step stands in the logs."""


Request = Chance | list[Ask]
Procedure = Generator[Request, list[Any], Any]
"""Yields what has to happen next; a list of `Ask` is answered with as many moves, chosen at the same time."""


@dataclass(kw_only=True)
class Table:
    """What every game's table has: seats, the seed, and the news that nobody has noted yet."""

    seats: int
    seed: bytes
    occurrences: Counter[str] = field(default_factory=Counter)
    news: list[Event | Uncover] = field(default_factory=list)

    def tell(self, kind: str, **keys: Any) -> None:
        """Notes a public event."""
        self.news.append(Event({"type": kind, **keys}))

    def tell_alone(self, seat: int, kind: str, **keys: Any) -> None:
        """Notes an event that only `seat` is told."""
        self.news.append(Event({"type": kind, **keys}, seat))

    def shuffle(self, name: str, key: str, items: list[Any]) -> Generator[Request, list[Any], list[Any]]:
        """A chance step that shuffles `items`."""
        value = shuffling.shuffled(self._words(name), items)
        yield Chance({"chance": name, key: value})
        return value

    def draw_seat(self, name: str) -> Generator[Request, list[Any], int]:
        """A chance step that draws a seat."""
        value = shuffling.below(self._words(name), self.seats)
        yield Chance({"chance": name, "seat": value})
        return value

    def _words(self, name: str) -> Any:
        occurrence = self.occurrences[name]
        self.occurrences[name] += 1
        return shuffling.words(self.seed, name, occurrence)


@dataclass(frozen=True)
class Game:
    """A game as the judge knows it; `merit` ranks the finishers, the greater the better."""

    seats: list[int]
    lay: Callable[[int, bytes], Any]
    play: Callable[[Any], Procedure]
    view: Callable[[Any, int | None, int | None], dict[str, Any]]
    merit: Callable[[Any, int], list[int]]
    score: Callable[[Any, int], dict[str, Any]]
    rules: dict[str, str]
