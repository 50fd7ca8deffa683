"""A series of games between the same bots, each with a seed that anybody can compute."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar

from bots.runner import Launcher, Limits, MatchReport, MatchSpec, SeatSpec, Transcript, play_match
from bots.runner.asking import Core
from bots.runner.spec import MAX_REPLAYS

P = TypeVar("P")
TRIES: Final = range(MAX_REPLAYS + 1)
"""A game is played once, and again at most ``MAX_REPLAYS`` times because the machine was late."""


@dataclass(frozen=True)
class Series(Generic[P]):
    """``games`` games of ``game`` (a slug). Bot k sits at seat k, with ``rotate`` at seat k + i in game i."""

    game: str
    bots: tuple[SeatSpec[P], ...]
    seed: str
    games: int
    limits: Limits = field(default_factory=Limits)
    rotate: bool = False

    def order(self, number: int) -> tuple[int, ...]:
        """Which bot sits at each seat in game ``number``, from 0."""
        shift = number if self.rotate else 0
        return tuple((seat - shift) % len(self.bots) for seat in range(len(self.bots)))

    def spec(self, number: int) -> MatchSpec[P]:
        """Game ``number``, from 0."""
        return MatchSpec(
            game=self.game,
            seats=tuple(self.bots[bot] for bot in self.order(number)),
            seed=game_seed(self.seed, number),
            limits=self.limits,
            key=b"play",
            match=f"{self.seed}/{number}",
        )


@dataclass(frozen=True)
class Played:
    """One finished game of a series: its number from 0, the bot at each seat, and what the runner reports.

    ``transcript`` is what was said at the table, where it was kept.
    """

    number: int
    order: tuple[int, ...]
    report: MatchReport
    transcript: Transcript | None = None

    def document(self) -> dict[str, Any]:
        """The game as JSON values: who sat where, how it ended, what went wrong."""
        report, outcome = self.report, self.report.record["outcome"]
        return {
            "number": self.number,
            "seed": report.record["seed"],
            "bots": [seat.label for seat in report.seats],
            "ranks": outcome["ranks"],
            "scores": outcome["scores"],
            "strikes": [[asdict(strike) for strike in seat.strikes] for seat in report.seats],
            "forfeits": [asdict(forfeit) for forfeit in report.forfeits],
            "wall_us": report.wall_us,
        }


def game_seed(seed: str, number: int) -> bytes:
    """The seed of game ``number``, from 0: SHA-256 of ``play/<seed>/<number>``."""
    return sha256(f"play/{seed}/{number}".encode("ascii")).digest()


def play_series(series: Series[P], launcher: Launcher[P], keep: bool = False) -> Iterator[Played]:
    """Play the games one after another; ``keep`` what is said. Raises ``PlatformFailure`` when this machine fails."""
    for number in range(series.games):
        yield play_game(series, number, launcher, keep)


def play_game(
    series: Series[P],
    number: int,
    launcher: Launcher[P],
    keep: bool = False,
    core: Core | None = None,
    tries: Iterable[int] = TRIES,
) -> Played:
    """Play game ``number`` of a series, and repeat it if the machine was late. Raises ``PlatformFailure``.

    ``core`` is as in ``play_match``. ``tries`` are numbers from 0. The result has the report of the last try, which
    also shows whether the game should be played once more.
    """
    spec = series.spec(number)
    for played_before in tries:
        transcript = Transcript(len(spec.seats)) if keep else None
        report = play_match(replace(spec, played_before=played_before), launcher, transcript, core=core)
        if not report.play_again:
            break
    return Played(number, series.order(number), report, transcript)
