"""Does a bot play every table that it claims? Start, handshake, and one whole game with itself for each. Pure.

``esr check`` runs it with plain processes; who takes bots from strangers runs the same function with a sandbox, after
its own rules for archives.
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
from bots.series import TRIES, Played, Series, play_game
from games.rules import Document

P = TypeVar("P")
SEED: Final = "check"
"""``esr play GAME BOT BOT … --seed check`` plays the very game of a check again."""


@dataclass(frozen=True)
class Problem:
    """One strike or forfeit: where, the reason as a word of the protocol, and a sentence.

    ``question`` is the ``decide`` that was on the table, ``answer`` the escaped start of what came instead of a legal
    move. ``decision`` and ``ply`` are ``None`` where a seat never said ``ready``; then ``question`` is its ``hello``.
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
    """One game of the bot with itself, with what went wrong in it."""

    game: str
    seats: int
    problems: tuple[Problem, ...]
    played: Played

    @property
    def ok(self) -> bool:
        """Whether the game went without a strike and a forfeit."""
        return not self.problems

    @property
    def started(self) -> bool:
        """Whether any seat said ``ready``."""
        return any(seat.ready_us is not None for seat in self.played.report.seats)

    @property
    def ready_us(self) -> int | None:
        """The longest start that succeeded."""
        return max((seat.ready_us for seat in self.played.report.seats if seat.ready_us is not None), default=None)

    @property
    def decisions_us(self) -> list[int]:
        """The wall time of every decision of every seat."""
        return [thought.wall_us for seat in self.played.report.seats for thought in seat.decisions]

    def document(self) -> dict[str, Any]:
        """The check as JSON values."""
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
    """What came out. A bot that does not start is tried at one table only; the rest is ``untried``."""

    name: str
    tables: tuple[TableCheck, ...]
    untried: tuple[tuple[str, int], ...]

    @property
    def ok(self) -> bool:
        """Whether the bot plays everything that it claims."""
        return not self.untried and all(table.ok for table in self.tables)

    def document(self) -> dict[str, Any]:
        """The report as JSON values."""
        return {
            "ok": self.ok,
            "bot": self.name,
            "tables": [table.document() for table in self.tables],
            "untried": [{"game": game, "seats": seats} for game, seats in self.untried],
        }


@dataclass(frozen=True)
class Check(Generic[P]):
    """The bot of ``manifest``, started as ``program`` by ``launcher``, on trial; ``core`` is as in ``play_match``."""

    manifest: Manifest
    program: P
    launcher: Launcher[P]
    limits: Limits = field(default_factory=Limits)
    core: Core | None = None

    def tables(self) -> Iterator[TableCheck]:
        """Check one table after another, and stop after one where nobody starts. Raises ``PlatformFailure``."""
        for game, seats in self.manifest.tables:
            table = self.table(game, seats)
            yield table
            if not table.started:
                return

    def table(self, game: str, seats: int, tries: Iterable[int] = TRIES) -> TableCheck:
        """Play one game of the bot with itself; ``tries`` is as in ``play_game``. Raises ``PlatformFailure``."""
        bots = tuple(SeatSpec(self.manifest.name, self.program) for _ in range(seats))
        played = play_game(Series(game, bots, SEED, 1, self.limits), 0, self.launcher, True, self.core, tries)
        return TableCheck(game, seats, tuple(_problems(played)), played)

    def report(self, tables: Iterator[TableCheck] | None = None) -> CheckReport:
        """The whole check; ``tables`` are those of :meth:`tables` where somebody has watched them pass."""
        done = tuple(self.tables() if tables is None else tables)
        return CheckReport(self.manifest.name, done, self.manifest.tables[len(done) :])


def check(manifest: Manifest, program: P, launcher: Launcher[P], limits: Limits | None = None) -> CheckReport:
    """Let ``program`` play every table that ``manifest`` claims. Raises ``PlatformFailure`` when this machine fails."""
    return Check(manifest, program, launcher, limits or Limits()).report()


def _problems(played: Played) -> Iterator[Problem]:
    """Strikes and forfeits by seat; the forfeit that the third strike is stands for itself."""
    report = played.report
    for seat, its in enumerate(report.seats):
        for strike in its.strikes:
            yield _problem(played, seat, strike.reason, strike.detail, strike.id, strike.answer)
    for forfeit in report.forfeits:
        answer = _last_answer(report, forfeit.seat) if forfeit.reason == "strikes" else ""
        yield _problem(played, forfeit.seat, forfeit.reason, forfeit.evidence, forfeit.decision, answer)


def _last_answer(report: MatchReport, seat: int) -> str:
    return report.seats[seat].strikes[-1].answer


def _problem(played: Played, seat: int, reason: str, detail: str, decision: int | None, answer: str) -> Problem:
    assert played.transcript is not None
    said = played.transcript.seats[seat]
    question = said.hellos[0] if decision is None else said.exchanges[decision - 1].question
    ply = None if decision is None else decided_plies(played.report.record, seat)[decision - 1]
    stderr = played.report.seats[seat].stderr_tail
    return Problem(seat, reason, detail, decision, ply, orjson.loads(question), answer, stderr)
