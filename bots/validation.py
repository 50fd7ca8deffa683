"""Validate a bot: start, handshake and one self-play game per supported format.

``esr check`` uses plain processes. The site uses the same function with a sandbox, after it has checked the archive.

A validation is a verdict about the bot, not about the host. Its games are trials (``bots.runner.trial``): the first
fault of the bot ends the validation, and a game that server lag has spoiled decides nothing and is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

import orjson

from bots.manifest import Manifest
from bots.runner import (
    Launcher,
    Limits,
    MachineDelay,
    MatchReport,
    MatchSpec,
    SeatReport,
    SeatSpec,
    Thought,
    Transcript,
    play_match,
)
from bots.runner.bot_log import decided_plies
from bots.runner.clock import Clock
from bots.runner.questions import Core
from bots.runner.spec import limits_of
from bots.series import Series, SeriesGame
from games.rules import Document

P = TypeVar("P")
SEED: Final = "check"
"""``esr play GAME BOT BOT … --seed check`` repeats the game of a validation."""

MOST_TRIES: Final = 3
"""Number of attempts at a format that a host spoils before it remains undecided for now."""

WARNING_SHARE: Final = 0.7
"""The author gets a warning if a bot needs more than this share of a limit, because a slower host could be too slow."""


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
class FormatCheck:
    """A self-play game with its problems.

    ``tries`` is the number of attempts, including this one.
    """

    game: str
    seats: int
    problems: tuple[ValidationProblem, ...]
    played: SeriesGame
    limits: Limits
    tries: int = 1

    @property
    def ok(self) -> bool | None:
        """Whether the game had no strike and no forfeit; ``None`` if server lag has spoiled it."""
        return None if self.delays else not self.problems

    @property
    def delays(self) -> tuple[MachineDelay, ...]:
        """The answer that was late because of the host, if there was one."""
        return self.played.report.machine_delays

    @property
    def started(self) -> bool:
        """Whether any seat sent ``ready``."""
        return self.ready_us is not None

    @property
    def ready_us(self) -> int | None:
        """The longest successful startup time."""
        return max((seat.ready_us for seat in self.played.report.seats if seat.ready_us is not None), default=None)

    @property
    def decisions_us(self) -> list[int]:
        """The wall times of all decisions of all seats."""
        return [thought.wall_us for seat in self.played.report.seats for thought in seat.decisions]

    @property
    def lag_us(self) -> int:
        """The server lag of all starts and decisions."""
        return sum(thought.machine_delay_us for seat in self.played.report.seats for thought in _thoughts(seat))

    @property
    def own_us(self) -> int:
        """The time of all starts and decisions without server lag."""
        return sum(_own_us(thought) for seat in self.played.report.seats for thought in _thoughts(seat))

    @cached_property
    def shares(self) -> dict[str, float]:
        """The largest share of each limit that a seat needed, without server lag, by the limit's name."""
        shares = [_shares(seat, self.limits) for seat in self.played.report.seats]
        return {limit: max(share[limit] for share in shares) for limit in LIMITS}

    @property
    def near(self) -> list[str]:
        """The limits of which the bot needed more than ``WARNING_SHARE``, but not all of it."""
        return [limit for limit, share in self.shares.items() if WARNING_SHARE < share < 1]

    def document(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {
            "game": self.game,
            "seats": self.seats,
            "ok": self.ok,
            "tries": self.tries,
            "ready_us": self.ready_us,
            "decisions": len(self.decisions_us),
            "slowest_us": max(self.decisions_us, default=None),
            "lag_us": self.lag_us,
            "shares": {limit: round(share, 3) for limit, share in self.shares.items()},
            "warnings": self.near,
            "problems": [asdict(problem) for problem in self.problems],
            "delays": [asdict(delay) for delay in self.delays],
        }


LIMITS: Final = ("startup_ms", "move_ms", "bank_ms", "game_ms")
"""The limits of time that a validation watches. ``move_ms`` is the time of one decision, with the time bank."""


def _shares(seat: SeatReport, limits: Limits) -> dict[str, float]:
    clock, move = Clock(limits), 0.0
    for thought in seat.decisions:
        own_ns = 1000 * _own_us(thought)
        move = max(move, own_ns / max(1, clock.allowed_ns))
        clock.spend(own_ns)
    left = clock.left()
    start_us = 0 if seat.start is None else _own_us(seat.start)
    return {
        "startup_ms": start_us / (1000 * limits.startup_ms),
        "move_ms": move,
        "bank_ms": 1 - left["bank_ms"] / limits.bank_ms if limits.bank_ms else 0.0,
        "game_ms": 1 - left["game_ms"] / limits.game_ms,
    }


def _thoughts(seat: SeatReport) -> tuple[Thought, ...]:
    """Return the start and all decisions."""
    return seat.decisions if seat.start is None else (seat.start, *seat.decisions)


def _own_us(thought: Thought) -> int:
    return max(0, thought.wall_us - thought.machine_delay_us)


@dataclass(frozen=True)
class CheckReport:
    """The result of a validation. It ends at the first format that the bot does not pass; the rest is ``untried``."""

    name: str
    formats: tuple[FormatCheck, ...]
    untried: tuple[tuple[str, int], ...]

    @property
    def ok(self) -> bool | None:
        """Whether the bot passed in all supported formats; ``None`` if server lag made a verdict impossible."""
        if any(result.ok is None for result in self.formats):
            return None
        return not self.untried and all(result.ok for result in self.formats)

    def document(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "ok": self.ok,
            "bot": self.name,
            "formats": [result.document() for result in self.formats],
            "untried": [{"game": game, "seats": seats} for game, seats in self.untried],
        }


@dataclass(frozen=True)
class Check(Generic[P]):
    """The validation of a bot, started as ``program`` by ``launcher``. Bots hold ``core`` while they think."""

    manifest: Manifest
    program: P
    launcher: Launcher[P]
    limits: Limits = field(default_factory=Limits)
    core: Core | None = None

    def formats(self) -> Iterator[FormatCheck]:
        """Validate one format after another, until one is not passed. Raises ``PlatformFailure``."""
        for game, seats in self.manifest.formats:
            for tries in range(1, MOST_TRIES + 1):
                result = self.attempt(game, seats, tries)
                if result.ok is not None:
                    break
            yield result
            if not result.ok:
                return

    def attempt(self, game: str, seats: int, tries: int = 1, transcript: Transcript | None = None) -> FormatCheck:
        """Make attempt number ``tries`` at a format; ``transcript`` stores its lines. Raises ``PlatformFailure``."""
        transcript = transcript or Transcript(seats)
        spec = trial_of(self.manifest.name, self.program, game, seats, tries, self.limits)
        return result_of(spec, play_match(spec, self.launcher, transcript, core=self.core), transcript)

    def report(self, formats: Iterator[FormatCheck] | None = None) -> CheckReport:
        """Return the report; pass ``formats`` if the results of :meth:`formats` were already consumed."""
        done = tuple(self.formats() if formats is None else formats)
        return CheckReport(self.manifest.name, done, self.manifest.formats[len(done) :])


def trial_of(
    name: str, program: P, game: str, seats: int, tries: int = 1, limits: Limits | None = None
) -> MatchSpec[P]:
    """Return the game that validates ``program`` in a format, for attempt number ``tries``."""
    series = Series(game, tuple(SeatSpec(name, program) for _ in range(seats)), SEED, 1, limits or Limits())
    return replace(series.spec(0), trial=True, played_before=tries - 1)


def result_of(spec: MatchSpec[Any], report: MatchReport, transcript: Transcript) -> FormatCheck:
    """Return the result of the game of :func:`trial_of`, with all its lines.

    Raises ``LookupError`` if report and transcript do not fit to each other.
    """
    seats = len(spec.seats)
    played = SeriesGame(0, tuple(range(seats)), report, transcript)
    problems = () if report.machine_delays else tuple(_problems(played))
    limits = limits_of(spec.seats[0].program, spec.limits)
    return FormatCheck(spec.game, seats, problems, played, limits, spec.played_before + 1)


def check(manifest: Manifest, program: P, launcher: Launcher[P], limits: Limits | None = None) -> CheckReport:
    """Validate ``program`` in all formats of ``manifest``. Raises ``PlatformFailure`` if this machine fails."""
    return Check(manifest, program, launcher, limits or Limits()).report()


def _problems(played: SeriesGame) -> Iterator[ValidationProblem]:
    """Yield the strike or the forfeit that ended the game."""
    report = played.report
    for seat, seat_report in enumerate(report.seats):
        for strike in seat_report.strikes:
            yield _problem(played, seat, strike.reason, strike.detail, strike.id, strike.answer)
    for forfeit in report.forfeits:
        yield _problem(played, forfeit.seat, forfeit.reason, forfeit.evidence, forfeit.decision, "")


def _problem(
    played: SeriesGame, seat: int, reason: str, detail: str, decision: int | None, answer: str
) -> ValidationProblem:
    assert played.transcript is not None
    transcript = played.transcript.seats[seat]
    question = transcript.hellos[0] if decision is None else transcript.exchanges[decision - 1].question
    ply = None if decision is None else decided_plies(played.report.record, seat)[decision - 1]
    stderr = played.report.seats[seat].stderr_tail
    return ValidationProblem(seat, reason, detail, decision, ply, orjson.loads(question), answer, stderr)
