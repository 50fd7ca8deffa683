"""A series of games: the same bots at one table, and what their results add up to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from statistics import fmean
from typing import Any, Generic, TypeVar

from bots.intervals import Mean, bounded, unbounded, wilson
from bots.protocol import bot_seeds
from bots.runner import Launcher, Limits, MatchReport, MatchSpec, SeatSpec, Transcript, play_match
from bots.runner.spec import MAX_REPLAYS
from games.rules import FORFEIT_KEYS

# --- Games -----------------------------------------------------------------------------------------------------------

P = TypeVar("P")


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
        match = f"{self.seed}/{number}"
        return MatchSpec(
            game=self.game,
            seats=tuple(self.bots[bot] for bot in self.order(number)),
            seed=game_seed(self.seed, number),
            limits=self.limits,
            match=match,
            bot_seeds=bot_seeds(b"play", match, len(self.bots)),
        )


@dataclass(frozen=True)
class SeriesGame:
    """One finished game of a series: its number from 0, the bot in each seat, and its report.

    ``transcript`` contains all messages, if they were stored.
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


def play_series(series: Series[P], launcher: Launcher[P], keep: bool = False) -> Iterator[SeriesGame]:
    """Play the games one after another; ``keep`` what is said. Raises ``PlatformFailure`` when this machine fails."""
    for number in range(series.games):
        yield play_game(series, number, launcher, keep)


def play_game(series: Series[P], number: int, launcher: Launcher[P], keep: bool = False) -> SeriesGame:
    """Play game ``number`` of a series. If the machine was late, repeat it up to ``MAX_REPLAYS`` times.

    Raises ``PlatformFailure``.
    """
    spec = series.spec(number)
    for played_before in range(MAX_REPLAYS + 1):
        transcript = Transcript(len(spec.seats)) if keep else None
        report = play_match(replace(spec, played_before=played_before), launcher, transcript)
        if not report.play_again:
            break
    return SeriesGame(number, series.order(number), report, transcript)


# --- Results ---------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """One bot's games so far, at a table of ``seats``. ``wins`` has 1 for a win and 1/k for a win shared by k seats."""

    label: str
    seats: int
    ranks: list[float] = field(default_factory=list)
    wins: list[float] = field(default_factory=list)
    scores: dict[str, list[float]] = field(default_factory=dict)
    strikes: int = 0
    forfeits: int = 0
    decisions: int = 0
    wall_us: int = 0

    @property
    def games(self) -> int:
        """How many games it has played."""
        return len(self.ranks)

    @property
    def mean_rank(self) -> Mean:
        """From 1, the best, to the number of seats."""
        return bounded(self.ranks, 1, self.seats)

    @property
    def mean_scores(self) -> dict[str, Mean]:
        """By name, the means of the scores that are numbers."""
        return {name: unbounded(values) for name, values in self.scores.items()}

    @property
    def win_share(self) -> tuple[float, float, float]:
        """The share of wins, and its interval."""
        share = fmean(self.wins)
        return share, *wilson(share, self.games)

    @property
    def decision_ms(self) -> float | None:
        """The mean time of a decision; ``None`` where there was none."""
        return self.wall_us / self.decisions / 1000 if self.decisions else None

    def document(self) -> dict[str, Any]:
        """The row of the table as JSON values."""
        share, low, high = self.win_share
        return {
            "bot": self.label,
            "games": self.games,
            "mean_rank": self.mean_rank.document(),
            "win_share": {"mean": share, "low": low, "high": high},
            "scores": {name: mean.document() for name, mean in self.mean_scores.items()},
            "strikes": self.strikes,
            "forfeits": self.forfeits,
            "decision_ms": self.decision_ms,
        }


@dataclass
class Tallies:
    """All bots of a series, in the order of the command line."""

    bots: list[Tally]

    @classmethod
    def between(cls, labels: Sequence[str]) -> Tallies:
        """An empty table for the bots called ``labels``."""
        return cls([Tally(label, len(labels)) for label in labels])

    def add(self, played: SeriesGame) -> None:
        """Count one game."""
        outcome = played.report.record["outcome"]
        winners = outcome["ranks"].count(1)
        gone = {forfeit.seat for forfeit in played.report.forfeits}
        for seat, bot in enumerate(played.order):
            tally, rank = self.bots[bot], outcome["ranks"][seat]
            tally.ranks.append(rank)
            tally.wins.append(1 / winners if rank == 1 else 0.0)
            for name, value in outcome["scores"][seat].items():
                if type(value) is int and name not in FORFEIT_KEYS:
                    tally.scores.setdefault(name, []).append(value)
            report = played.report.seats[seat]
            tally.strikes += len(report.strikes)
            tally.forfeits += seat in gone
            tally.decisions += len(report.decisions)
            tally.wall_us += report.wall_us

    def ranked(self) -> list[Tally]:
        """The bots with a game, best mean rank first."""
        return sorted((tally for tally in self.bots if tally.games), key=lambda tally: tally.mean_rank.value)
