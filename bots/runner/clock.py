"""Processor cores of this machine, and clocks of seats."""

from __future__ import annotations

import os
from typing import Final

from bots.protocol import ClockLeft, Limits

# --- The machine -----------------------------------------------------------------------------------------------------


def cores() -> int:
    """Return the number of processor cores that this process can use, or of all cores if that is unknown."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# --- Clocks ----------------------------------------------------------------------------------------------------------

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""


class Clock:
    """The remaining time of one seat in nanoseconds. It does not measure: callers report how long a decision took.

    It begins with the full limits, or with the remaining time ``left`` of a running game.
    """

    __slots__ = ("_bank_ns", "_game_ns", "_move_ms", "_move_ns")

    def __init__(self, limits: Limits, left: ClockLeft | None = None) -> None:
        self._move_ms = limits.move_ms
        self._move_ns = limits.move_ms * MS
        self._bank_ns = (limits.bank_ms if left is None else left["bank_ms"]) * MS
        self._game_ns = (limits.game_ms if left is None else left["game_ms"]) * MS

    @property
    def allowed_ns(self) -> int:
        """Nanoseconds that the next decision can take."""
        move_ns, game_ns = self._move_ns + self._bank_ns, self._game_ns
        return move_ns if move_ns < game_ns else game_ns

    @property
    def game_is_next(self) -> bool:
        """Whether the time for the whole game ends before the time for the next decision."""
        return self._game_ns <= self._move_ns + self._bank_ns

    def spend(self, wall_ns: int) -> None:
        """Subtract the time of one decision.

        It is taken from the move time first, then from the time bank. All of it is also taken from the game time.
        """
        if wall_ns > self._move_ns:
            self._bank_ns = max(0, self._bank_ns + self._move_ns - wall_ns)
        self._game_ns -= wall_ns if wall_ns < self._game_ns else self._game_ns

    def copy(self) -> Clock:
        """Return an independent clock with the same remaining time."""
        twin = Clock.__new__(Clock)
        twin._move_ms, twin._move_ns, twin._bank_ns, twin._game_ns = (
            self._move_ms, self._move_ns, self._bank_ns, self._game_ns,
        )  # fmt: skip
        return twin

    def left(self) -> ClockLeft:
        """Return the remaining time as in a ``decide`` message, in whole milliseconds."""
        return {"move_ms": self._move_ms, "bank_ms": self._bank_ns // MS, "game_ms": self._game_ns // MS}
