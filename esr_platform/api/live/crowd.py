"""How many wait, and who, without going through all of them each time that one comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from esr_platform.api.throttling import STRANGER


class Crowd:
    """Who is there how often; ``strangers`` and ``total`` are how many there are in all.

    Of one stranger at most ``most_a_stranger`` are in them, and of anybody else at most ``most_a_person``.
    """

    def __init__(self, most_a_person: float = float("inf"), most_a_stranger: float = float("inf")) -> None:
        self._most_a_person, self._most_a_stranger = most_a_person, most_a_stranger
        self._here: Counter[str] = Counter()
        self.total = 0
        self.strangers = 0

    def of(self, who: str) -> int:
        """How often ``who`` is there."""
        return self._here[who]

    @contextmanager
    def counted(self, who: str) -> Iterator[None]:
        """Count ``who`` once more."""
        is_stranger = who.startswith(STRANGER)
        most = self._most_a_stranger if is_stranger else self._most_a_person
        self._here[who] += 1
        self._add(int(self._here[who] <= most), is_stranger)
        try:
            yield
        finally:
            self._here[who] -= 1
            self._add(-int(self._here[who] < most), is_stranger)
            if not self._here[who]:
                del self._here[who]

    def _add(self, number: int, is_stranger: bool) -> None:
        self.total += number
        self.strangers += number if is_stranger else 0
