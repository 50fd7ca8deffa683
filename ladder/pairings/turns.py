"""The turns of a ladder's blocks. They depend on the number of the block, and every turn has its own queue.

- Two of four turns are for bots with a *new version*, the longest waiting first, until it gets its first games.
- One turn is for the bot with the *fewest games*, then the widest interval: a game is most informative for it.
- One turn is for the bot that has *waited longest* since its last seat.

So all bots play, whatever others upload, because seated and new bots go behind all that wait. Each of the n bots of a
ladder gets a seat within 4 n blocks. A new version waits for at most the other bots with a new version, each once,
however often their owners upload.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from heapq import heapify, heappop, heappush
from itertools import count
from random import Random

from ladder.pairings.candidates import NEW_VERSION_GAMES, Candidate

Key = tuple[int, ...]


class DrawReason(Enum):
    """The reason why the first bot of a block was chosen."""

    NEW_VERSION = "new version"
    FEWEST_GAMES = "fewest games"
    LONGEST_WAIT = "longest wait"


TURNS = (DrawReason.NEW_VERSION, DrawReason.FEWEST_GAMES, DrawReason.NEW_VERSION, DrawReason.LONGEST_WAIT)
"""The turns of four consecutive blocks."""


def turn_of(number: int) -> DrawReason:
    """Return the turn of block ``number`` of a ladder."""
    return TURNS[number % len(TURNS)]


class DrawQueues:
    """The queues of all turns, updated while blocks are drawn."""

    def __init__(self, candidates: Iterable[Candidate], random: Random) -> None:
        self.standing = {
            candidate.membership: candidate
            for candidate in sorted(candidates, key=lambda candidate: candidate.membership)
        }
        self._random = random
        self._clock = count(max((candidate.since for candidate in self.standing.values()), default=0) + 1)
        self._queues = {turn: _Queue(key, self.standing, random) for turn, key in _KEYS.items()}

    def next(self, turn: DrawReason) -> tuple[Candidate, DrawReason]:
        """Return the next bot and its turn. Without new versions, their turn goes to the bot with the fewest games."""
        if turn is DrawReason.NEW_VERSION and (new := self._queues[turn].first()):
            return new, turn
        other = DrawReason.FEWEST_GAMES if turn is DrawReason.NEW_VERSION else turn
        first = self._queues[other].first()
        if first is None:
            raise ValueError("no candidates")
        return first, other

    def seated(self, table: Sequence[Candidate], games: int) -> None:
        """Count ``games`` more for all bots at ``table`` and move them to the end of every queue."""
        now = next(self._clock)
        for seated in table:
            candidate = self.standing[seated.membership]
            self.standing[candidate.membership] = replace(
                candidate, games=candidate.games + games, version_games=candidate.version_games + games, since=now
            )
            for queue in self._queues.values():
                queue.put(candidate.membership)


class _Queue:
    """A heap whose members can change after they were added. Outdated items at its top are discarded."""

    def __init__(self, key: Callable[[Candidate], Key | None], standing: dict[int, Candidate], random: Random) -> None:
        self._key, self._standing, self._random = key, standing, random
        self._heap = list(self._keyed(standing))
        heapify(self._heap)

    def put(self, membership: int) -> None:
        for item in self._keyed([membership]):
            heappush(self._heap, item)

    def first(self) -> Candidate | None:
        while self._heap:
            key, _, membership = self._heap[0]
            if key == self._key(self._standing[membership]):
                return self._standing[membership]
            heappop(self._heap)
        return None

    def _keyed(self, memberships: Iterable[int]) -> Iterator[tuple[Key, float, int]]:
        """Yield memberships that have a key in this queue, equal keys in random order."""
        for membership in memberships:
            key = self._key(self._standing[membership])
            if key is not None:
                yield key, self._random.random(), membership


def _new_version(candidate: Candidate) -> Key | None:
    return (candidate.since,) if candidate.owner is not None and candidate.version_games < NEW_VERSION_GAMES else None


def _fewest_games(candidate: Candidate) -> Key:
    return (candidate.games, 0 if candidate.width is None else 1, -(candidate.width or 0))


def _longest_wait(candidate: Candidate) -> Key:
    return (candidate.since,)


_KEYS: dict[DrawReason, Callable[[Candidate], Key | None]] = {
    DrawReason.NEW_VERSION: _new_version,
    DrawReason.FEWEST_GAMES: _fewest_games,
    DrawReason.LONGEST_WAIT: _longest_wait,
}
