"""What this process has read before of running games, as far as it never changes.

A game is known by the lease of its match, which no other has: a match that has ended has none, and is read anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Final, Generic, TypeVar
from uuid import UUID

from django.db import connection

MOST: Final = 256
"""So many games are kept, those that were read last; one has some hundred moves, less than 100 KB."""

IDLE_S: Final = 60.0
"""So long a game is kept of which nothing new is read: most are over then, and the others are read again."""

Value = TypeVar("Value")
Row = TypeVar("Row")


class Kept(Generic[Value]):
    """A value for each of the games that were read last; whoever takes it does not change it."""

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._games: OrderedDict[UUID, tuple[float, Value]] = OrderedDict()
        self._lock = Lock()

    def of(self, lease: UUID | None) -> Value | None:
        """What is kept of the game with this lease."""
        if lease is None:
            return None
        with self._lock:
            found = self._games.get(lease)
        return None if found is None else found[1]

    def keep(self, lease: UUID | None, value: Value) -> None:
        """Keep ``value``, unless a transaction has read it: what it has read may never have happened."""
        if lease is None or connection.in_atomic_block:
            return
        now = monotonic()
        with self._lock:
            self._games[lease] = (now, value)
            self._games.move_to_end(lease)
            while len(self._games) > MOST or next(iter(self._games.values()))[0] < now - self._idle_s:
                self._games.popitem(last=False)


class KeptMoves(Generic[Row]):
    """The moves of running games, in order, as far as they have been read. Each is read once."""

    def __init__(self) -> None:
        self._moves = Kept[tuple[Row, ...]]()

    def upto(self, lease: UUID | None, count: int, read: Callable[[int], Sequence[Row]]) -> tuple[Row, ...]:
        """The first ``count`` moves; ``read`` reads those from a number on, up to there."""
        known = self._moves.of(lease) or ()
        if len(known) >= count:
            return known[:count]
        moves = (*known, *read(len(known)))
        self._moves.keep(lease, moves)
        return moves

    def add(self, lease: UUID | None, start: int, moves: Sequence[Row]) -> None:
        """Moves from number ``start`` on that were written just now, where all before them are known."""
        known = self._moves.of(lease) or ()
        if len(known) == start:
            self._moves.keep(lease, (*known, *moves))

    def forget(self) -> None:
        """Read all games again, because rows were changed that never change on a running site."""
        self._moves = Kept()
