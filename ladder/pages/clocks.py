"""The time that a seat has, as pages say it."""

from __future__ import annotations

from dataclasses import dataclass

from bots.protocol import Limits
from ladder.models import Ladder
from ladder.pages.words import time_taken


@dataclass(frozen=True)
class Clock:
    """What a decision has, what a seat has beside that in one game, and what it has for all of its decisions."""

    limits: Limits

    @classmethod
    def of(cls, ladder: Ladder) -> Clock:
        """The clock of the games of ``ladder``."""
        return cls(Limits(**ladder.limits))

    @property
    def move(self) -> str:
        return time_taken(self.limits.move_ms / 1000)

    @property
    def bank(self) -> str:
        return time_taken(self.limits.bank_ms / 1000)

    @property
    def game(self) -> str:
        return time_taken(self.limits.game_ms / 1000)
