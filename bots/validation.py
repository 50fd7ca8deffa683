"""Validate a bot: start, handshake and one self-play game per supported format.

``esr check`` uses plain processes. The site uses the same function with a sandbox, after it has checked the archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Generic, TypeVar

import orjson

from bots.manifest import Manifest
from bots.runner import Launcher, Limits, MatchReport, SeatSpec
from bots.runner.bot_log import decided_plies
from bots.runner.questions import Core
from bots.series import TRIES, Series, SeriesGame, play_game
from games.rules import Document

P = TypeVar("P")
SEED: Final = "check"
"""``esr play GAME BOT BOT … --seed check`` repeats the game of a validation."""


@dataclass(frozen=True)
class ValidationProblem:
    """A strike or forfeit: the place, the reason (a word of the protocol) and a detail sentence.

    ``question`` is the ``decide`` message, ``answer`` the escaped start of the invalid answer. If a seat never sent
    ``ready``, ``decision`` and ``ply`` are ``None`` and ``question`` is its ``hello``.
    """

    seat: int
    reason: str
    detail: str
    decision: int | None
    ply: int | None
    question: Document
    answer: str
    stderr_tail: str


@dataclass(frozen=True)
class TableCheck:
    """A self-play game with its problems."""

    game: str
    seats: int
    problems: tuple[ValidationProblem, ...]
    played: SeriesGame

    @property
    def ok(self) -> bool:
        """Whether the game had no strike and no forfeit."""
        return not self.problems

    @property
    def started(self) -> bool:
        """Whether any seat sent ``ready``."""
        return any(seat.ready_us is not None for seat in self.played.report.seats)

    @property
    def ready_us(self) -> int | None:
        """The longest successful startup time."""
        return max((seat.ready_us for seat in self.played.report.seats if seat.ready_us is not None), default=None)

    @property
    def decisions_us(self) -> list[int]:
        """The wall times of all decisions of all seats."""
        return [thought.wall_us for seat in self.played.report.seats for thought in seat.decisions]

    def document(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "game": self.game,
            "seats": self.seats,
            "ok": self.ok,
            "ready_us": self.ready_us,
            "decisions": len(self.decisions_us),
            "slowest_us": max(self.decisions_us, default=None),
            "problems": [asdict(problem) for problem in self.problems],
        }


@dataclass(frozen=True)
class CheckReport:
    """The result of a validation. If a bot does not start, the remaining formats are ``untried``."""

    name: str
    tables: tuple[TableCheck, ...]
    untried: tuple[tuple[str, int], ...]

    @property
    def ok(self) -> bool:
        """Whether the bot passed in all supported formats."""
        return not self.untried and all(table.ok for table in self.tables)

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "ok": self.ok,
            "bot": self.name,
            "tables": [table.document() for table in self.tables],
            "untried": [{"game": game, "seats": seats} for game, seats in self.untried],
        }


@dataclass(frozen=True)
class Check(Generic[P]):
    """The validation of a bot, started as ``program`` by ``launcher``; ``core`` is as in ``play_match``."""

    manifest: Manifest
    program: P
    launcher: Launcher[P]
    limits: Limits = field(default_factory=Limits)
    core: Core | None = None

    def tables(self) -> Iterator[TableCheck]:
        """Validate one format after another; stop if the bot does not start. Raises ``PlatformFailure``."""
        for game, seats in self.manifest.tables:
            table = self.table(game, seats)
            yield table
            if not table.started:
                return

    def table(self, game: str, seats: int, tries: Iterable[int] = TRIES) -> TableCheck:
        """Play one self-play game; ``tries`` is as in ``play_game``. Raises ``PlatformFailure``."""
        bots = tuple(SeatSpec(self.manifest.name, self.program) for _ in range(seats))
        played = play_game(Series(game, bots, SEED, 1, self.limits), 0, self.launcher, True, self.core, tries)
        return TableCheck(game, seats, tuple(_problems(played)), played)

    def report(self, tables: Iterator[TableCheck] | None = None) -> CheckReport:
        """Return the report; pass ``tables`` if the results of :meth:`tables` were already consumed."""
        done = tuple(self.tables() if tables is None else tables)
        return CheckReport(self.manifest.name, done, self.manifest.tables[len(done) :])


def check(manifest: Manifest, program: P, launcher: Launcher[P], limits: Limits | None = None) -> CheckReport:
    """Validate ``program`` in all formats of ``manifest``. Raises ``PlatformFailure`` if this machine fails."""
    return Check(manifest, program, launcher, limits or Limits()).report()


def _problems(played: SeriesGame) -> Iterator[ValidationProblem]:
    """Yield strikes and forfeits by seat."""
    report = played.report
    for seat, its in enumerate(report.seats):
        for strike in its.strikes:
            yield _problem(played, seat, strike.reason, strike.detail, strike.id, strike.answer)
    for forfeit in report.forfeits:
        answer = _last_answer(report, forfeit.seat) if forfeit.reason == "strikes" else ""
        yield _problem(played, forfeit.seat, forfeit.reason, forfeit.evidence, forfeit.decision, answer)


def _last_answer(report: MatchReport, seat: int) -> str:
    return report.seats[seat].strikes[-1].answer


def _problem(
    played: SeriesGame, seat: int, reason: str, detail: str, decision: int | None, answer: str
) -> ValidationProblem:
    assert played.transcript is not None
    said = played.transcript.seats[seat]
    question = said.hellos[0] if decision is None else said.exchanges[decision - 1].question
    ply = None if decision is None else decided_plies(played.report.record, seat)[decision - 1]
    stderr = played.report.seats[seat].stderr_tail
    return ValidationProblem(seat, reason, detail, decision, ply, orjson.loads(question), answer, stderr)
