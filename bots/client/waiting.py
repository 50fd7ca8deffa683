"""How long to wait before a call is tried again. Nothing here sleeps."""

from __future__ import annotations

from random import Random
from typing import Final

FIRST_S: Final = 0.25
LONGEST_S: Final = 15.0


class Backoff:
    """Pauses that double from a quarter of a second to fifteen, each drawn from its upper half.

    Thousands of bots lose their connection in the same moment when a site restarts: the draw keeps them from coming
    back in one. ``reset`` begins anew once something has worked.
    """

    def __init__(self, random: Random | None = None) -> None:
        self._random = random or Random()
        self._tries = 0

    def next_s(self, retry_after_s: float | None = None) -> float:
        """Seconds until the next try; never before ``retry_after_s``, which the site has asked for."""
        longest = min(LONGEST_S, FIRST_S * 2**self._tries)
        self._tries = min(self._tries + 1, 16)
        pause = self._random.uniform(longest / 2, longest)
        return pause if retry_after_s is None else retry_after_s + pause / 4

    def reset(self) -> None:
        """The last try has worked."""
        self._tries = 0
