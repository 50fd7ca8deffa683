"""What a runner is told: one game, its seats and their programs, as plain frozen data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from bots.protocol import Limits
from games.rules import Document

MAX_REPLAYS: Final = 2
"""How often a game may be played again because the machine was late; the third time its result stands."""

CLOSING_MS: Final = 30_000
"""What a match may take besides the seats' own time: starting processes, the engine, saying good-bye."""

WAITING_MS: Final = 300_000
"""How long a match may wait in total for cores on which the bots of other games think."""


@dataclass(frozen=True)
class HouseProgram:
    """A bot of the house, named as in ``bots.house.catalogue``; its code comes from the installed package.

    ``digest`` is the hash the code must have, empty where any state of it will do.
    """

    name: str
    digest: str = ""


@dataclass(frozen=True)
class StoredProgram:
    """An uploaded archive, unpacked at ``folder`` and known by the SHA-256 of its bytes. Only ever sandboxed.

    ``entry`` is a file in the folder: a ``.py`` is given to the bots' interpreter, anything else is executed.
    """

    digest: str
    folder: Path
    entry: str = "bot.py"
    args: tuple[str, ...] = ()


@dataclass(frozen=True)
class LocalProgram:
    """A folder on one's own machine, for play at home."""

    folder: Path
    args: tuple[str, ...] = ()
    entry: str = "bot.py"


@dataclass(frozen=True)
class FakeProgram:
    """A bot that is a function of this process, for tests: it gets each message and returns what it answers.

    ``run_delay_ns`` stands in for the time the machine kept the bot waiting for a processor.
    """

    play: Callable[[Document], Any]
    run_delay_ns: Callable[[], int] = field(default=lambda: 0)


Program = HouseProgram | StoredProgram | LocalProgram
"""What a real process can be started from."""

P_co = TypeVar("P_co", covariant=True)
"""The programs of a specification; a launcher that does not take all of them does not fit, and mypy says so."""


@dataclass(frozen=True)
class SeatSpec(Generic[P_co]):
    """One seat: the name that messages to people use, and its program."""

    label: str
    program: P_co


@dataclass(frozen=True)
class MatchSpec(Generic[P_co]):
    """One game to play.

    ``seed`` has 32 bytes. ``key`` is the server's secret and ``match`` the identity for the bots' own seeds.
    ``played_before`` counts the times the game was played in vain because the machine was late.
    """

    game: str
    seats: tuple[SeatSpec[P_co], ...]
    seed: bytes
    limits: Limits = field(default_factory=Limits)
    key: bytes = b""
    match: str = ""
    played_before: int = 0

    @property
    def budget_ms(self) -> int:
        """More than the whole match can take: the sum of the seats' budgets, doubled for a late machine."""
        return budget_ms(len(self.seats), self.limits)


def budget_ms(seats: int, limits: Limits) -> int:
    """More than a match of so many seats can take."""
    return 2 * seats * (limits.startup_ms + limits.game_ms) + CLOSING_MS + WAITING_MS
