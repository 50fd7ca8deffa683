"""The specification of a match: one game, its seats and their programs, as frozen data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from bots.languages import LANGUAGES, language_of
from bots.protocol import Limits
from games.rules import Document

MAX_REPLAYS: Final = 2
"""Maximum number of re-runs of a match because of server lag. The result of the last one is final."""

CLOSING_MS: Final = 30_000
"""Time of a match in addition to the time of its seats, for starts, the engine and the end of processes."""

WAITING_MS: Final = 300_000
"""Maximum total time that a match waits for processor cores that other games use."""


@dataclass(frozen=True)
class HouseProgram:
    """A house bot by its name in ``bots.house.catalogue``. Its code is in the installed package.

    ``digest`` is the required hash of the code, or empty for any code.
    """

    name: str
    digest: str = ""


@dataclass(frozen=True)
class StoredProgram:
    """An uploaded archive, unpacked at ``folder``. ``digest`` is the SHA-256 of its bytes. It runs only in the sandbox.

    ``entry`` is a file in the folder, whose name determines its language (``bots.languages``).
    """

    digest: str
    folder: Path
    entry: str = "bot.py"
    args: tuple[str, ...] = ()


@dataclass(frozen=True)
class LocalProgram:
    """A bot in a folder on your own machine."""

    folder: Path
    args: tuple[str, ...] = ()
    entry: str = "bot.py"


@dataclass(frozen=True)
class FakeProgram:
    """A bot as a function in this process, for tests. It receives each message and returns its answer.

    ``run_delay_ns`` simulates server lag, ``host_stall_ns`` a busy host, ``computes`` a bot that sleeps, and
    ``runner_delay_ns`` a runner that reads answers late.
    """

    play: Callable[[Document], Any]
    run_delay_ns: Callable[[], int] = field(default=lambda: 0)
    computes: Callable[[], bool] = field(default=lambda: True)
    host_stall_ns: Callable[[], int] = field(default=lambda: 0)
    runner_delay_ns: Callable[[], int] = field(default=lambda: 0)


Program = HouseProgram | StoredProgram | LocalProgram
"""The programs that can run as a real process."""

P_co = TypeVar("P_co", covariant=True)
"""The kinds of programs in a specification. A type checker rejects a launcher that does not accept all of them."""


@dataclass(frozen=True)
class SeatSpec(Generic[P_co]):
    """One seat: its label in messages, and its program."""

    label: str
    program: P_co


def limits_of(program: object, limits: Limits) -> Limits:
    """Return the limits of ``program`` in a match with ``limits``, which depend on its language."""
    return limits_of_file(program.entry, limits) if isinstance(program, StoredProgram | LocalProgram) else limits


def limits_of_file(entry: str, limits: Limits) -> Limits:
    """Return the limits of a program that starts with the file ``entry``."""
    return replace(limits, startup_ms=limits.startup_ms * language_of(entry).start_factor)


@dataclass(frozen=True)
class MatchSpec(Generic[P_co]):
    """One game to play.

    ``seed`` has 32 bytes. ``bot_seeds`` are those of ``bots.protocol.bot_seeds``, which a server computes from a secret
    key. Without them, the seeds of the bots follow from ``match``, an id. ``played_before`` is the number of earlier
    runs that server lag spoiled.

    A ``trial`` tests its bots: it ends at the first strike, forfeit or answer that server lag delayed, and server lag
    is measured as in ``bots.runner.trial``.
    """

    game: str
    seats: tuple[SeatSpec[P_co], ...]
    seed: bytes
    limits: Limits = field(default_factory=Limits)
    match: str = ""
    bot_seeds: tuple[str, ...] = ()
    played_before: int = 0
    trial: bool = False

    @property
    def budget_ms(self) -> int:
        """Upper bound of the duration of the match: twice the sum of the limits of its seats, and overhead."""
        return budget_ms(len(self.seats), self.limits)


def budget_ms(seats: int, limits: Limits) -> int:
    """Return an upper bound of the duration of a match with ``seats`` seats, in whichever languages."""
    return 2 * seats * (longest_start_ms(limits) + limits.game_ms) + CLOSING_MS + WAITING_MS


def longest_start_ms(limits: Limits) -> int:
    """Return the longest time that a bot has for its start, in whichever language."""
    return limits.startup_ms * max(language.start_factor for language in LANGUAGES.values())
