"""Measure the forecasts of cups: stated chances against simulated cups and against cups of real results.

**Stated chances.** Each field of 8 to 16 entrants gets true skills and estimates with an error of known size. Its
forecast is stated from the estimates alone. Then the cup is played many times with the real pairings, each time with
true skills that are possible given the estimates, and with deals whose luck the seatings of a block share
(``bench.simulation.Luck``), which the forecast does not know. Small fields keep the run short.

**Real results.** The same with cups that are resampled from real results of house bots (``bench.real_cups``).
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
django.setup()

from bench.real_cups import FORMATS as REAL_FORMATS  # noqa: E402
from bench.real_cups import KNOWN, real_forecasts, results  # noqa: E402
from bench.simulation import Luck  # noqa: E402
from ladder.cups.forecast import POINTS, Skill, forecast  # noqa: E402
from ladder.cups.formats import Plan  # noqa: E402
from ladder.models import Cup  # noqa: E402
from ladder.pairings.elimination import eliminated, is_decided  # noqa: E402
from ladder.pairings.rounds import Entrants, PlayedRound, Points, Table  # noqa: E402
from ladder.pairings.seatings import seatings  # noqa: E402
from ladder.statistics.block_savings import variance_saved  # noqa: E402
from ladder.statistics.blocks import PlayedBlock, PlayedGame, half_points  # noqa: E402

FIELDS, REAL_FIELDS, CUPS = 500, 1200, 40
"""Fields with a forecast each, and cups that are played of each."""

LEAST = 500
"""The least number of cups in a bin."""

GOAL = 0.05
SPREADS = (20.0, 60.0, 150.0, 300.0)
ERRORS = (15.0, 40.0, 80.0)
FORMATS = tuple(Cup.Format)
MEASURED_BLOCKS, MEASURED_SPREAD = 600, 150.0
"""Blocks, and the spread of skills in points, from which the worth of a game of a block is measured."""


@dataclass(frozen=True)
class Bin:
    stated: float
    observed: float
    cups: int

    @property
    def missed(self) -> bool:
        return abs(self.stated - self.observed) > GOAL


def field(number: int) -> tuple[float, int]:
    """The stated chance that the best entrant of a field wins, and how many of ``CUPS`` cups it won."""
    random, numbers = Random(number), np.random.default_rng(number)
    seats, format_ = random.choice((2, 3, 4, 5)), random.choice(FORMATS)
    size, blocks = random.randint(8, 16), random.choice((1, 1, 2, 4))
    rounds = random.randint(3, 6) if format_ == Cup.Format.SWISS else None
    spread, error = random.choice(SPREADS), random.choice(ERRORS)
    kept = spread**2 / (spread**2 + error**2)  # of the estimate, where the spread of the skills is known
    true = numbers.normal(0, spread, size)
    estimates = true + numbers.normal(0, error, size)
    estimates = np.sort(estimates)[::-1]  # the seeding is by rating
    key = random.randbytes(32)
    plan = Plan(format_, seats, Entrants(tuple(range(size))), key, "", rounds)
    deviation = error * kept**0.5
    skills = [Skill(float(one), error) for one in estimates]
    stated = forecast(plan, skills, blocks, seed=number, worth=worth_of(seats))
    if stated is None:
        raise ValueError("these cups are small enough for a forecast")
    luck, won = Luck(seats, numbers), 0
    for cup in range(CUPS):
        drawn = numbers.normal(kept * estimates, deviation)
        again = Plan(format_, seats, plan.entrants, key, str(cup), rounds)
        won += winner(again, drawn / POINTS, blocks, luck) == int(drawn.argmax())
    return stated.best, won


@cache
def worth_of(seats: int) -> float:
    """What a game of a block is worth, as the statistics of a ladder measure it from blocks of ten tables."""
    numbers = np.random.default_rng(seats)
    luck, tables = Luck(seats, numbers), numbers.normal(0, MEASURED_SPREAD, (10, seats)) / POINTS
    blocks = []
    for number in range(MEASURED_BLOCKS):
        table = number % len(tables)
        ranks = zip(seatings(seats), luck.ranks(tables[table]), strict=True)
        blocks.append(
            PlayedBlock([PlayedGame(tuple(seats * table + one for one in order), tuple(row)) for order, row in ranks])
        )
    saved = variance_saved(blocks)
    return saved.ratio if saved else 1.0


def winner(plan: Plan, strengths: np.ndarray, blocks: int, luck: Luck) -> int:
    """Play a cup with the real pairings; who wins it."""
    played: list[PlayedRound] = []
    while (following := plan.next_round(played)) is not None:
        leaving = (
            eliminated(following, plan.seats) if plan.format == Cup.Format.KNOCKOUT else [0] * len(following.tables)
        )
        results = [
            table_points(table, out, strengths, blocks, luck) for table, out in zip(following, leaving, strict=True)
        ]
        played.append(PlayedRound(following, tuple(results)))
    return plan.standings(played)[0].entrant


def table_points(table: Table, leaving: int, strengths: np.ndarray, blocks: int, luck: Luck) -> Points:
    points, done = [0] * len(table), 0
    most = 2 * (len(table) - 1) * len(seatings(len(table)))
    while done < blocks or (leaving and not is_decided(points, leaving, done, blocks, most)):
        done += 1
        for order, ranks in zip(seatings(len(table)), luck.ranks(strengths[list(table)]), strict=True):
            for place, won in zip(order, half_points(ranks), strict=True):
                points[place] += won
    return tuple(points)


def binned(found: Sequence[tuple[float, int]]) -> list[Bin]:
    """Bins of at least ``LEAST`` cups and about a tenth of stated chance, from low to high."""
    groups: list[list[tuple[float, int]]] = []
    for one in sorted(found):
        full = bool(groups) and len(groups[-1]) * CUPS >= LEAST and int(one[0] * 10) > int(groups[-1][0][0] * 10)
        if full or not groups:
            groups.append([])
        groups[-1].append(one)
    if len(groups) > 1 and len(groups[-1]) * CUPS < LEAST:
        last = groups.pop()
        groups[-1] += last
    return [
        Bin(
            sum(stated for stated, _won in group) / len(group),
            sum(won for _stated, won in group) / len(group) / CUPS,
            len(group) * CUPS,
        )
        for group in groups
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fields", type=int, default=FIELDS)
    parser.add_argument("--real-fields", type=int, default=REAL_FIELDS)
    arguments = parser.parse_args()
    with ProcessPoolExecutor() as pool:
        missed = show("simulated cups of 8 to 16 entrants", list(pool.map(field, range(arguments.fields), chunksize=5)))
        found = [results(pool, *format_) for format_ in REAL_FORMATS]
        fields = range(max(1, arguments.real_fields // len(KNOWN) // len(found)))
        tasks = {known: [pool.submit(real_forecasts, one, known, fields, CUPS) for one in found] for known in KNOWN}
        real = {known: [pair for task in group for pair in task.result()] for known, group in tasks.items()}
    missed |= show(
        "cups resampled from real results of house bots", [pair for group in real.values() for pair in group]
    )
    print("  known blocks  stated  observed")
    for known, group in real.items():
        print(
            f"  {known:12}  {fmean(stated for stated, _ in group):6.1%}  {fmean(won for _, won in group) / CUPS:6.1%}"
        )
    return int(missed)


def show(what: str, found: Sequence[tuple[float, int]]) -> bool:
    """Print the bins of stated chances; whether one has missed the goal."""
    bins = binned(found)
    print(f"{len(found) * CUPS} {what}: the best entrant wins")
    print("  stated  observed   cups")
    for one in bins:
        print(f"  {one.stated:6.1%}    {one.observed:6.1%}  {one.cups:5}{'  missed' if one.missed else ''}", flush=True)
    return any(one.missed for one in bins)


if __name__ == "__main__":
    raise SystemExit(main())
