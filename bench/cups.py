"""Measure the forecasts of cups: stated chances against simulated cups, and what common deals save.

**Stated chances.** Each field of 8 to 16 entrants gets true skills and estimates with an error of known size. Its
forecast is stated from the estimates alone. Then the cup is played many times with the real pairings, each time with
true skills that are possible given the estimates, and with deals whose luck the seatings of a block share
(``bench.simulation.Luck``), which the forecast does not know. Small fields keep the run short.

**Common deals.** House bots play blocks of one deal, and as many games with separate deals.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from random import Random
from time import perf_counter

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
django.setup()

from bench.simulation import Luck  # noqa: E402
from bots.house.catalogue import HOUSE  # noqa: E402
from bots.house.inside import load, play_inside  # noqa: E402
from ladder.cups.forecast import POINTS, Skill, forecast  # noqa: E402
from ladder.cups.formats import Plan  # noqa: E402
from ladder.models import Cup  # noqa: E402
from ladder.pairings.elimination import eliminated, is_decided  # noqa: E402
from ladder.pairings.rounds import Entrants, PlayedRound, Points, Table  # noqa: E402
from ladder.pairings.seatings import seatings  # noqa: E402
from ladder.statistics.block_savings import variance_saved  # noqa: E402
from ladder.statistics.blocks import PlayedBlock, PlayedGame, half_points  # noqa: E402

FIELDS, CUPS = 500, 40
"""Fields with a forecast each, and cups that are played of each."""

LEAST = 500
"""The least number of cups in a bin."""

GOAL = 0.05
SPREADS = (20.0, 60.0, 150.0, 300.0)
ERRORS = (15.0, 40.0, 80.0)
FORMATS = tuple(Cup.Format)


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
    stated = forecast(plan, [Skill(float(kept * one), deviation) for one in estimates], blocks, seed=number)
    if stated is None:
        raise ValueError("these cups are small enough for a forecast")
    luck, won = Luck(seats, numbers), 0
    for cup in range(CUPS):
        skills = numbers.normal(kept * estimates, deviation)
        again = Plan(format_, seats, plan.entrants, key, str(cup), rounds)
        won += winner(again, skills / POINTS, blocks, luck) == int(skills.argmax())
    return stated.best, won


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


# --- Common deals ----------------------------------------------------------------------------------------------------

GAMES = (("edel-stein-reich-duel", 2), ("edel-stein-reich", 3), ("edel-stein-reich", 4), ("die-weinhaendler", 4))
SLOW = ("kontor", "sommelier", "dreamer")


def blocks_of(game: str, seats: int, number: int) -> list[PlayedBlock]:
    """``number`` blocks of the same four tables of house bots, all seatings of a block with one deal."""
    names = [name for name, bot in HOUSE.items() if bot.plays(game, seats) and name not in SLOW]
    makers = {name: load(HOUSE[name]) for name in names}
    tables = Random(1).sample(list(combinations(range(len(names)), seats)), 4)
    found = []
    for block in range(number):
        table, games = tables[block % len(tables)], []
        seed = Random(block).randbytes(32)
        for order in seatings(seats):
            players = tuple(table[place] for place in order)
            seated = [(HOUSE[names[one]], makers[names[one]]) for one in players]
            games.append(PlayedGame(players, tuple(play_inside(game, seated, seed)["ranks"])))
        found.append(PlayedBlock(games))
    return found


def show_savings(number: int) -> None:
    """Print for each format how many games with separate deals one game of a block is worth."""
    print(f"Common deals, {number} blocks of house bots per format: separate games worth one game of a block")
    for game, seats in GAMES:
        saved = variance_saved(blocks_of(game, seats, number))
        if saved is None:
            print(f"  {game}, {seats} seats: no result differs", flush=True)
        else:
            print(f"  {game}, {seats} seats: {saved.ratio:.2f} ({saved.low:.2f} to {saved.high:.2f})", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fields", type=int, default=FIELDS)
    parser.add_argument("--blocks", type=int, default=200, help="blocks of house bots per format (default: 200)")
    arguments = parser.parse_args()
    began = perf_counter()
    with ProcessPoolExecutor() as pool:
        bins = binned(list(pool.map(field, range(arguments.fields), chunksize=5)))
    print(
        f"{arguments.fields * CUPS} cups of 8 to 16 entrants in {perf_counter() - began:.0f} s: the best entrant wins"
    )
    print("  stated  observed   cups")
    for one in bins:
        print(f"  {one.stated:6.1%}    {one.observed:6.1%}  {one.cups:5}{'  missed' if one.missed else ''}")
    show_savings(arguments.blocks)
    return int(any(one.missed for one in bins))


if __name__ == "__main__":
    raise SystemExit(main())
