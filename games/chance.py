"""Chance outcomes from a 256-bit seed, by a construction that is easy to reimplement (``docs/reference/record.md``).

The k-th chance step of a name reads the words of SHA-256(seed ‖ "name/k/block"). So the deal of a seed does not depend
on the moves of the players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from struct import unpack
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
SEED_BYTES = 32
_WORDS = 1 << 64
_SEVEN_ONES = b"\xff" * 7


class Chance(Protocol):
    """A source of chance outcomes: a seed, or a record that contains them."""

    @property
    def seed(self) -> bytes:
        """The 32-byte seed that the record of the game contains."""
        ...

    def shuffle(self, name: str, items: list[T]) -> list[T]:
        """Return ``items`` as a new list in the order of the next chance step ``name``."""
        ...

    def below(self, name: str, n: int) -> int:
        """Return an integer from 0 to ``n`` − 1 from the next chance step ``name``."""
        ...

    def copy(self) -> Chance:
        """Return an independent source that continues from the same position."""
        ...


def commitment(seed: bytes) -> str:
    """Return the SHA-256 of the seed as 64 hex digits. It is published before the first move."""
    return sha256(seed).hexdigest()


def _words(prefix: bytes) -> Iterator[int]:
    """Yield the 8-byte big-endian words of one chance step, without end."""
    for block in count():
        yield from unpack(">4Q", sha256(prefix + b"%d" % block).digest())


def _fair(n: int, words: Iterator[int]) -> int:
    """Return the next word that gives each integer below ``n`` the same probability. Biased words are skipped."""
    limit = _WORDS // n * n
    while True:
        word = next(words)
        if word < limit:
            return word


def _fair_words(prefix: bytes, bounds: range) -> Sequence[int]:
    """Return a fair word for each of ``bounds``, which descend, from the words of one chance step.

    For a bound of up to 256, only a word that begins with seven bytes of ones can be biased. This is so rare that the
    words are examined one by one only if seven such bytes occur in a row.
    """
    needed = len(bounds)
    blocks = b"".join([sha256(prefix + b"%d" % block).digest() for block in range((needed + 3) // 4)])
    if needed and bounds[0] <= 256 and _SEVEN_ONES not in blocks:
        words: tuple[int, ...] = unpack(f">{needed}Q", blocks[: 8 * needed])
        return words
    reader = _words(prefix)
    return [_fair(n, reader) for n in bounds]


class SeededChance:
    """Chance outcomes computed from a 32-byte seed. Raises ``ValueError`` for any other length.

    The dictionary of counts is replaced, never changed, so that copies can share it.
    """

    __slots__ = ("_counts", "_seed")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed must have {SEED_BYTES} bytes, not {len(seed)}")
        self._seed = seed
        self._counts: dict[str, int] = {}

    @property
    def seed(self) -> bytes:
        return self._seed

    def _next(self, name: str) -> bytes:
        """Return the bytes that are hashed with each block number for the next chance step ``name``."""
        occurrence = self._counts.get(name, 0)
        self._counts = {**self._counts, name: occurrence + 1}
        return self._seed + f"{name}/{occurrence}/".encode("ascii")

    def shuffle(self, name: str, items: list[T]) -> list[T]:
        shuffled = list(items)
        i = len(shuffled) - 1
        for word in _fair_words(self._next(name), range(i + 1, 1, -1)):
            j = word % (i + 1)
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
            i -= 1
        return shuffled

    def below(self, name: str, n: int) -> int:
        return _fair_words(self._next(name), range(n, n - 1, -1))[0] % n

    def copy(self) -> SeededChance:
        twin = SeededChance(self._seed)
        twin._counts = self._counts
        return twin


class ChanceError(ValueError):
    """A recorded chance outcome is not possible under the rules."""


class ScriptedChance:
    """Chance outcomes read from a record: (name, value) pairs in order.

    No random generator is used. Raises ``ChanceError`` if the next pair is missing, has another name, or its value is
    not possible: not a permutation of the items to shuffle, or not an integer in the range.
    """

    __slots__ = ("_next", "_script", "_seed")

    def __init__(self, seed: bytes, script: Sequence[tuple[str, Any]]) -> None:
        self._seed = seed
        self._script = script
        self._next = 0

    @property
    def seed(self) -> bytes:
        return self._seed

    def _read(self, name: str) -> Any:
        if self._next == len(self._script):
            raise ChanceError(f"the record ends before the chance step {name!r}")
        recorded, value = self._script[self._next]
        if recorded != name:
            raise ChanceError(f"expected the chance step {name!r}, but the record has {recorded!r}")
        self._next += 1
        return value

    def shuffle(self, name: str, items: list[T]) -> list[T]:
        value = self._read(name)
        if len(value) != len(items) or dict(Counter(value)) != dict(Counter(items)):
            raise ChanceError(f"{name!r} must contain exactly these items: {items}")
        return list(value)

    def below(self, name: str, n: int) -> int:
        value = self._read(name)
        if not (type(value) is int and 0 <= value < n):
            raise ChanceError(f"{name!r} must be an integer from 0 to {n - 1}")
        return value

    def copy(self) -> ScriptedChance:
        twin = ScriptedChance(self._seed, self._script)
        twin._next = self._next
        return twin
