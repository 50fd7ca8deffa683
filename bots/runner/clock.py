"""What the runner wants to know of the machine it runs on."""

from __future__ import annotations

import os
from typing import Final

from bots.protocol import ClockLeft, Limits

# --- The machine -----------------------------------------------------------------------------------------------------


def cores() -> int:
    """How many processor cores this process may use; where the system does not say, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- Clocks ----------------------------------------------------------------------------------------------------------

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""


class Clock:
    """What is left of one seat's time, in nanoseconds. Whoever measures says how long a decision took.

    It begins with all that the limits give, or with what is ``left`` of a game that has gone on for a while.
    """

    __slots__ = ("_bank_ns", "_game_ns", "_move_ms", "_move_ns")

    def __init__(self, limits: Limits, left: ClockLeft | None = None) -> None:
        self._move_ms = limits.move_ms
        self._move_ns = limits.move_ms * MS
        self._bank_ns = (limits.bank_ms if left is None else left["bank_ms"]) * MS
        self._game_ns = (limits.game_ms if left is None else left["game_ms"]) * MS

    @property
    def allowed_ns(self) -> int:
        """How long the next decision may take."""
        move_ns, game_ns = self._move_ns + self._bank_ns, self._game_ns
        return move_ns if move_ns < game_ns else game_ns

    @property
    def game_is_next(self) -> bool:
        """Whether the budget of the whole game runs out before the time for the next decision does."""
        return self._game_ns <= self._move_ns + self._bank_ns

    def spend(self, wall_ns: int) -> None:
        """Take one decision's time away: first from the move, then from the bank, and all of it from the game."""
        if wall_ns > self._move_ns:
            self._bank_ns = max(0, self._bank_ns + self._move_ns - wall_ns)
        self._game_ns -= wall_ns if wall_ns < self._game_ns else self._game_ns

    def copy(self) -> Clock:
        """A clock that shows the same and runs by itself from now on."""
        twin = Clock.__new__(Clock)
        twin._move_ms, twin._move_ns, twin._bank_ns, twin._game_ns = (
            self._move_ms, self._move_ns, self._bank_ns, self._game_ns,
        )  # fmt: skip
        return twin

    def left(self) -> ClockLeft:
        """What a ``decide`` says about the clock, whole milliseconds."""
        return {"move_ms": self._move_ms, "bank_ms": self._bank_ns // MS, "game_ms": self._game_ns // MS}
