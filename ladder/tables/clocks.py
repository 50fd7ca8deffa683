"""A seat's time at a live table, in whole milliseconds (``docs/bot-protocol.md``). Pure arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bots.protocol import ClockLeft, Limits


@dataclass(frozen=True)
class Clock:
    """What is left to a seat when it is asked: so much for the move, a bank behind it, and a budget for the game."""

    move_ms: int
    bank_ms: int
    game_ms: int

    @classmethod
    def full(cls, limits: Limits) -> Clock:
        """The clock before the first decision."""
        return cls(limits.move_ms, limits.bank_ms, limits.game_ms)

    @property
    def allowed_ms(self) -> int:
        """How long the next decision may take."""
        return min(self.move_ms + self.bank_ms, self.game_ms)

    @property
    def game_is_next(self) -> bool:
        """Whether the budget of the whole game runs out before the time for the next decision does."""
        return self.game_ms <= self.move_ms + self.bank_ms

    def spent(self, wall_ms: int) -> Clock:
        """The clock after a decision that took so long; nothing of it ever rises."""
        bank_ms = self.bank_ms - max(0, wall_ms - self.move_ms)
        return Clock(self.move_ms, max(0, bank_ms), max(0, self.game_ms - wall_ms))

    def left(self) -> ClockLeft:
        """What a ``decide`` says about it."""
        return {"move_ms": self.move_ms, "bank_ms": self.bank_ms, "game_ms": self.game_ms}


def milliseconds(start: datetime, end: datetime) -> int:
    """From ``start`` to ``end``, rounded down; 0 if ``end`` is earlier."""
    return max(0, (end - start) // timedelta(milliseconds=1))
