"""Time at live tables: a seat's clock, and the delays of moves that the platform plays itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf
from random import Random
from typing import Final, NamedTuple

from bots.protocol import ClockLeft, Limits
from games.presentation import Beat
from games.rules import Document

# --- Clocks ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SeatClock:
    """What is left to a seat when it is asked: so much for the move, a bank behind it, and a budget for the game."""

    move_ms: int
    bank_ms: int
    game_ms: int

    @classmethod
    def full(cls, limits: Limits) -> SeatClock:
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

    def spent(self, wall_ms: int) -> SeatClock:
        """The clock after a decision that took so long; nothing of it ever rises."""
        bank_ms = self.bank_ms - max(0, wall_ms - self.move_ms)
        return SeatClock(self.move_ms, max(0, bank_ms), max(0, self.game_ms - wall_ms))

    def left(self) -> ClockLeft:
        """What a ``decide`` says about it."""
        return {"move_ms": self.move_ms, "bank_ms": self.bank_ms, "game_ms": self.game_ms}


def milliseconds(start: datetime, end: datetime) -> int:
    """From ``start`` to ``end``, rounded down; 0 if ``end`` is earlier."""
    return max(0, (end - start) // timedelta(milliseconds=1))


class DatabaseClock:
    """Relates the time of the database to ``time.monotonic``.

    On a busy machine, the database reads its time long after it was asked. The fastest reading is therefore the most
    accurate. The clock uses the fastest one of the last ``_KEPT_S`` to twice as many seconds, and follows the time of
    the database if it was set.
    """

    def __init__(self) -> None:
        self._began_s, self._earlier_s, self._least_s = -inf, inf, inf
        """When the present period began, and the least differences of the period before and of this one."""

    def moment_of(self, now: datetime, asked_s: float) -> float:
        """Return when it was ``now`` by ``time.monotonic``. The database was asked at ``asked_s`` and answered so."""
        difference_s = now.timestamp() - asked_s
        if asked_s - self._began_s > _KEPT_S:
            self._began_s, self._earlier_s, self._least_s = asked_s, self._least_s, difference_s
        if difference_s - min(self._earlier_s, self._least_s) > _SET_S:
            self._earlier_s, self._least_s = inf, difference_s
        self._least_s = min(self._least_s, difference_s)
        return now.timestamp() - min(self._earlier_s, self._least_s)


_KEPT_S: Final = 30.0
_SET_S: Final = 1.0
"""A greater difference shows that the database's time was set, or that the machine was suspended."""

# --- Beats -----------------------------------------------------------------------------------------------------------
#
# People are shown the moves of others one after the other, and the clock of their next decision starts when they have
# been shown all of them. Clocks of bots do not wait.

BEAT_MS: Final[Mapping[Beat, int]] = {"step": 400, "barter": 700, "reveal": 900, "scoring": 3200}
"""How long a board shows a step. A scoring is paid column by column. Browsers get the same numbers."""

SHOWN_WITHIN_MS: Final = 5000
"""The clock of a person waits at most this time after the last move. Boards show repeated offers as one if needed."""


def shown_ms(entries: Iterable[Document], beats: Mapping[str, Beat]) -> int:
    """How long new log ``entries`` are shown, by the ``beats`` of their game (``games.presentation``).

    A reveal and a scoring are followed by a step that shows what comes of them.
    """
    kinds: list[Beat] = []
    for entry in entries:
        if "event" in entry:
            kind = beats.get(entry["event"]["type"])
        else:
            kind = beats.get(entry["step"].get("decision", ""), "step")
        if kind is not None and not (kind == "reveal" and kind in kinds):
            kinds.append(kind)
    kinds += ["step" for kind in kinds if kind in ("reveal", "scoring")]
    return sum(BEAT_MS[kind] for kind in kinds)


# --- Delays ----------------------------------------------------------------------------------------------------------
#
# A forced move of a veiled kind (``Rules.veiled``) and a move for a seat that has forfeited come after a delay that is
# typical of the seat. The caller provides the random generator.

ENOUGH: Final = 5
"""Number of times of a seat for a kind of decision from which its delays are drawn. Before, those of all seats are."""

PLAUSIBLE_MS: Final = (150, 250, 350, 450, 600, 800, 1100, 1500)
"""Times of programs before any program has made such a move."""

PLAUSIBLE_BY_HAND_MS: Final = (1200, 1800, 2500, 3200, 4000, 5000, 6500, 8000)
"""The same for people, who need more than a second to read, think and click."""

MOST_AMONG_PEOPLE_MS: Final = 15_000
"""Longest delay at a table with people. A longer wait shows that the seat was really asked, which is no secret."""

HURRY_MS: Final = 5000
"""Longest delay for a person who has left. All players at the table know that they left."""

_SPREAD: Final = (0.8, 1.25)
"""Factors by which a delay varies."""


class AnswerTime(NamedTuple):
    """How long a decision took from its event to the answer, and whether a person made it."""

    seat: int
    kind: str
    took_ms: int
    by_hand: bool = False


def among_people(limit_ms: int) -> int:
    """Return the longest delay at a table with people, whose clocks begin at ``limit_ms``."""
    return min(limit_ms, MOST_AMONG_PEOPLE_MS)


def hurried(paces: Sequence[AnswerTime], most_ms: int) -> list[AnswerTime]:
    """Return ``paces`` limited to ``most_ms``.

    A player who thought for a minute and then forfeited must not keep the others waiting a minute for every move.
    """
    return [pace._replace(took_ms=min(pace.took_ms, most_ms)) for pace in paces]


def delay_ms(
    paces: Sequence[AnswerTime], seat: int, kind: str, random: Random, *, by_hand: bool = False, most_ms: float = inf
) -> int:
    """Return a plausible time in milliseconds of ``seat`` for a decision of ``kind``, from the times at this table.

    The delay of a person is drawn from the times of people, that of a program from those of programs. Times beyond
    ``most_ms`` are spread below it, because equal times would show that no one was asked.
    """
    alike = [pace for pace in paces if pace.kind == kind and pace.by_hand == by_hand]
    own = [pace.took_ms for pace in alike if pace.seat == seat]
    times = own if len(own) >= ENOUGH else [pace.took_ms for pace in alike]
    took_ms = random.choice(times or (PLAUSIBLE_BY_HAND_MS if by_hand else PLAUSIBLE_MS))
    return int(min(took_ms, most_ms / _SPREAD[1]) * random.uniform(*_SPREAD))
