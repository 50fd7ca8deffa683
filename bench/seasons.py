"""Simulate seasons with bots of known strength, and compare Elo and estimates with the truth.

``python -m bench.seasons [--seasons 52] [--bots 20] [--matches 2000] [--real]``. Results come from a model with deals
and seats (``bench/simulation.py``). Pairing, Elo and estimates are those of the ladder. With ``--real``, the bench
plays blocks of house bots in this process and prints the value of a block.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from scipy.stats import spearmanr

from bench.house_blocks import show_real
from bench.simulation import Simulated, simulated
from bots.tournaments.seatings import seatings
from ladder.ratings.draws import SURE, rank_intervals

SEATS = (2, 3, 4, 5)
COVERED = (0.93, 0.97)
ORDERED = 0.95
"""The least mean rank correlation of a season's Elo with the truth."""

MOST_TURNS = 4
"""Nobody waits longer than this many blocks for each bot on the ladder (``ladder/pairings/turns.py``)."""


@dataclass(frozen=True)
class Measured:
    """What is said of some seasons."""

    bots: int
    covered: float
    ranks_covered: float
    elo_order: float
    worst_elo_order: float
    estimate_order: float
    margin: float
    error: float
    told_apart: float
    wrong: float
    longest_wait: float
    fewest_games: int


def measured(seasons: Sequence[Simulated]) -> Measured:
    """What the estimates and Elo made of ``seasons``."""
    elo = [_correlation(season.ratings, season.strengths) for season in seasons]
    pairs = [_pairs(season) for season in seasons]
    return Measured(
        bots=sum(len(season.strengths) for season in seasons),
        covered=_mean(
            seasons, lambda season: np.abs(season.estimates.points - season.truth) <= season.estimates.margins
        ),
        ranks_covered=_mean(seasons, _ranks_covered),
        elo_order=fmean(elo),
        worst_elo_order=min(elo),
        estimate_order=fmean(_correlation(season.estimates.points, season.strengths) for season in seasons),
        margin=_mean(seasons, lambda season: season.estimates.margins**2) ** 0.5,
        error=_mean(seasons, lambda season: (season.estimates.points - season.truth) ** 2) ** 0.5,
        told_apart=fmean(share for share, _ in pairs),
        wrong=fmean(wrong for _, wrong in pairs),
        longest_wait=max(season.longest_wait / len(season.strengths) for season in seasons),
        fewest_games=min(min(season.games[bot] for bot in range(len(season.strengths))) for season in seasons),
    )


def _mean(seasons: Iterable[Simulated], of: Callable[[Simulated], np.ndarray]) -> float:
    return float(np.concatenate([of(season) for season in seasons]).mean())


def _correlation(values: Sequence[float] | np.ndarray, other: np.ndarray) -> float:
    return float(spearmanr(values, other).statistic)


def _ranks_covered(season: Simulated) -> np.ndarray:
    rows = list(season.estimates.rows())
    intervals = rank_intervals([(row.rating - row.margin, row.rating + row.margin) for row in rows])
    true = np.argsort(np.argsort(-season.strengths)) + 1
    return np.array([best <= rank <= worst for rank, (best, worst) in zip(true, intervals, strict=True)])


def _pairs(season: Simulated) -> tuple[float, float]:
    """The share of all pairs that are told apart, and of these the share whose order is wrong."""
    draws, points = season.estimates.draws, season.estimates.points
    first, other = np.triu_indices(len(points), 1)
    differences = points[first] - points[other]
    sure = np.abs(differences) > SURE * (draws[first] - draws[other]).std(axis=1, ddof=1)
    wrong = sure & (np.sign(differences) != np.sign(season.strengths[first] - season.strengths[other]))
    return float(sure.mean()), float(wrong.sum() / max(1, sure.sum()))


def played(options: argparse.Namespace, *, independent: bool) -> dict[int, list[Simulated]]:
    """By number of seats, the seasons; the same seeds whatever the deals."""
    seasons: dict[int, list[Simulated]] = {seats: [] for seats in SEATS}
    for number in range(options.seasons):
        seats = SEATS[number % len(SEATS)]
        seasons[seats].append(simulated(seats, options.bots, options.matches, 1000 + number, independent=independent))
    return {seats: group for seats, group in seasons.items() if group}


COLUMNS: Sequence[tuple[str, Callable[[Measured], str]]] = (
    ("bots", lambda figures: str(figures.bots)),
    ("95% CI coverage", lambda figures: f"{figures.covered:.1%}"),
    ("Rank coverage", lambda figures: f"{figures.ranks_covered:.1%}"),
    ("Elo order (worst)", lambda figures: f"{figures.elo_order:.3f} ({figures.worst_elo_order:.3f})"),
    ("Estimate order", lambda figures: f"{figures.estimate_order:.3f}"),
    ("95% CI", lambda figures: f"± {figures.margin:.0f}"),
    ("RMS error", lambda figures: f"{figures.error:.1f}"),
    ("Pairs separated", lambda figures: f"{figures.told_apart:.1%}"),
    ("Wrongly", lambda figures: f"{figures.wrong:.2%}"),
    ("Longest wait", lambda figures: f"{figures.longest_wait:.1f} n"),
    ("fewest games", lambda figures: str(figures.fewest_games)),
)
"""What the table says of seasons; n blocks are one for each bot on the ladder."""


def show(name: str, figures: Measured) -> None:
    """One line of the table."""
    cells = [f"{of(figures):>{len(heading)}}" for heading, of in COLUMNS]
    print("  ".join([f"{name:14}", *cells]), flush=True)


def show_ratio(blocks: dict[int, list[Simulated]], apart: dict[int, list[Simulated]]) -> bool:
    """Print how many games with independent deals are as good as one game of a block; whether it is more everywhere."""
    ratios = {seats: _ratio(blocks[seats], apart[seats]) for seats in blocks}
    print("\nValue of a game in a block, in games with separate deals (interval width squared):")
    for seats, ratio in ratios.items():
        print(f"  {seats} seats, {len(seatings(seats))} games per block   {ratio:.2f}")
    return all(ratio > 1 for ratio in ratios.values())


def _ratio(blocks: Sequence[Simulated], apart: Sequence[Simulated]) -> float:
    return (measured(apart).margin / measured(blocks).margin) ** 2


def failures(every: Measured, worth_more: bool) -> list[str]:
    """What does not hold, in words."""
    low, high = COVERED
    checks = {
        f"The intervals contain the true strength for {every.covered:.1%} of the bots.": low <= every.covered <= high,
        f"The rank correlation of Elo with the true strength is only {every.elo_order:.2f}.": every.elo_order
        >= ORDERED,
        "Blocks need as many games as independent deals.": worth_more,
        f"The longest wait was {every.longest_wait:.1f} blocks per bot.": every.longest_wait <= MOST_TURNS,
    }
    return [words for words, holds in checks.items() if not holds]


def show_simulated(options: argparse.Namespace) -> list[str]:
    """Play and print everything; what does not hold."""
    print(f"{options.seasons} seasons of {options.matches} matches, {options.bots} bots each; seeds from 1000")
    print("  ".join([" " * 14, *(heading for heading, _ in COLUMNS)]))
    blocks, apart = (played(options, independent=independent) for independent in (False, True))
    for seats, group in blocks.items():
        show(f"{seats} seats", measured(group))
    every = measured([season for group in blocks.values() for season in group])
    show("all, in blocks", every)
    show("all, own deals", measured([season for group in apart.values() for season in group]))
    return failures(every, show_ratio(blocks, apart))


def main() -> None:
    """Parse the command line, measure, print; exit status 1 if something does not hold."""
    parser = argparse.ArgumentParser(description="Simulate seasons with bots of known strength.")
    parser.add_argument("--seasons", type=int, default=52)
    parser.add_argument("--bots", type=int, default=20, help="number of bots per season (default: 20)")
    parser.add_argument(
        "--matches",
        type=int,
        default=2000,
        help="number of matches per season, or of games with --real (default: 2000)",
    )
    parser.add_argument("--real", action="store_true", help="play blocks of house bots instead")
    options = parser.parse_args()
    if options.real:
        show_real(options.matches)
        return
    if faults := show_simulated(options):
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
