"""Real results of house bots for ``bench.cups``: forecasts of cups that are resampled from them.

Skills are estimated, as on a site, from a few blocks that are drawn from all results. Cups are then resampled from all
results: every table draws its own deals. The best of some bots is the one with the most points in all results.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from random import Random

import django
import numpy as np

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "esr_platform.settings")
django.setup()

from bots.house.catalogue import HOUSE  # noqa: E402
from bots.house.inside import load, play_inside  # noqa: E402
from ladder.cups.forecast import Skill, forecast  # noqa: E402
from ladder.cups.formats import Plan  # noqa: E402
from ladder.models import Cup  # noqa: E402
from ladder.pairings.elimination import eliminated, is_decided  # noqa: E402
from ladder.pairings.rounds import Entrants, PlayedRound, Points, Table  # noqa: E402
from ladder.pairings.seatings import seatings  # noqa: E402
from ladder.ratings.bootstrap import estimate  # noqa: E402
from ladder.ratings.plackett_luce import GameResults  # noqa: E402
from ladder.statistics.block_savings import variance_saved  # noqa: E402
from ladder.statistics.blocks import PlayedBlock, PlayedGame, half_points  # noqa: E402

FORMATS = (
    ("edel-stein-reich-duel", 2, 600),
    ("edel-stein-reich", 3, 160),
    ("edel-stein-reich", 4, 160),
    ("die-weinhaendler", 4, 120),
)
"""Games, with the seats of a table and the number of deals."""

SLOW = ("kontor", "sommelier", "dreamer")
"""Bots that think, each game for as long as the others play fifty."""

KNOWN = (10, 30, 100)
"""Numbers of blocks from which skills are estimated."""

Ranks = tuple[tuple[int, ...], ...]
"""By seating, the ranks by seat."""


@dataclass(frozen=True)
class Results:
    """The ranks of every table of house bots at every deal. Bots are numbers from 0."""

    game: str
    seats: int
    ranks: dict[Table, list[Ranks]]

    @property
    def deals(self) -> int:
        return len(next(iter(self.ranks.values())))

    @property
    def bots(self) -> int:
        return 1 + max(map(max, self.ranks))

    @cached_property
    def points(self) -> dict[Table, list[Points]]:
        """The points of the blocks, by place in the table and by deal."""
        return {table: [block_points(one, self.seats) for one in ranks] for table, ranks in self.ranks.items()}

    def blocks(self, deals: range) -> list[PlayedBlock]:
        return [block_of(table, ranks[deal]) for table, ranks in self.ranks.items() for deal in deals]

    @cached_property
    def worth(self) -> float:
        """What a game of a block is worth, as in ``ladder.cups.forecast.worth_on``."""
        saved = variance_saved(self.blocks(range(self.deals)))
        return saved.ratio if saved else 1.0

    @cached_property
    def strengths(self) -> list[float]:
        """The points of each bot over all tables and deals."""
        totals = [0.0] * self.bots
        for table, points in self.points.items():
            for block in points:
                for bot, own in zip(table, block, strict=True):
                    totals[bot] += own
        return totals


def block_points(ranks: Ranks, seats: int) -> Points:
    points = [0] * seats
    for order, row in zip(seatings(seats), ranks, strict=True):
        for place, won in zip(order, half_points(row), strict=True):
            points[place] += won
    return tuple(points)


def block_of(table: Table, ranks: Ranks) -> PlayedBlock:
    orders = seatings(len(table))
    return PlayedBlock(
        [PlayedGame(tuple(table[place] for place in order), row) for order, row in zip(orders, ranks, strict=True)]
    )


# --- Playing ---------------------------------------------------------------------------------------------------------


def played_deal(game: str, seats: int, deal: int) -> dict[Table, Ranks]:
    """Play one deal at all tables, in all seatings."""
    names = [name for name, bot in HOUSE.items() if bot.plays(game, seats) and name not in SLOW]
    makers = [(HOUSE[name], load(HOUSE[name])) for name in names]
    seed = sha256(f"cups/{deal}".encode()).digest()
    return {
        table: tuple(
            tuple(play_inside(game, [makers[table[place]] for place in order], seed)["ranks"])
            for order in seatings(seats)
        )
        for table in combinations(range(len(names)), seats)
    }


def results(pool: ProcessPoolExecutor, game: str, seats: int, deals: int) -> Results:
    found = list(pool.map(played_deal, [game] * deals, [seats] * deals, range(deals)))
    return Results(game, seats, {table: [one[table] for one in found] for table in found[0]})


# --- Forecasts -------------------------------------------------------------------------------------------------------


def real_forecasts(found: Results, known: int, fields: range, cups: int) -> list[tuple[float, int]]:
    """For each of the numbered ``fields`` of bots: the stated chance that the best wins, and how many cups it won.

    Skills are estimated from ``known`` blocks. Each field plays ``cups`` resampled cups.
    """
    return [
        stated_and_won(found, known, Random(f"{found.game} {found.seats} {known} {field}"), cups) for field in fields
    ]


def stated_and_won(found: Results, known: int, random: Random, cups: int) -> tuple[float, int]:
    """The same for one field, which ``random`` draws."""
    size = random.randint(max(4, found.seats), found.bots)
    field = sorted(random.sample(range(found.bots), size))
    skills = skills_of(found, known, random)
    field.sort(key=lambda bot: -skills[bot].points)
    format_, blocks = random.choice(tuple(Cup.Format)), random.choice((1, 1, 2))
    rounds = random.randint(2, 4) if format_ == Cup.Format.SWISS else None
    plan = Plan(format_, found.seats, Entrants(tuple(range(size))), random.randbytes(32), "", rounds)
    chances = forecast(plan, [skills[bot] for bot in field], blocks, random.randrange(2**31), worth=found.worth)
    if chances is None:
        raise ValueError("these cups are small enough for a forecast")
    best = max(range(size), key=lambda place: found.strengths[field[place]])
    won = 0
    for cup in range(cups):
        again = Plan(format_, found.seats, plan.entrants, plan.key, str(cup), rounds)
        won += winner(again, found, field, blocks, random) == best
    return chances.best, won


def skills_of(found: Results, blocks: int, random: Random) -> list[Skill]:
    """Skills estimated from some blocks. Every bot has played."""
    tables = list(found.ranks)
    while True:
        drawn = [(random.choice(tables), random.randrange(found.deals)) for _ in range(blocks)]
        if len({bot for table, _ in drawn for bot in table}) == found.bots:
            break
    games = [game for table, deal in drawn for game in block_of(table, found.ranks[table][deal]).games]
    numbers = [number for number in range(blocks) for _ in seatings(found.seats)]
    flat = GameResults.flat(
        found.seats, [one for game in games for one in game.players], [rank for game in games for rank in game.ranks],
        numbers,
    )  # fmt: skip
    estimates = estimate(flat[0], random.randrange(2**31))
    deviations = np.asarray(estimates.draws.std(axis=1, ddof=1)).tolist()
    return [Skill(points, spread) for points, spread in zip(estimates.points.tolist(), deviations, strict=True)]


def winner(plan: Plan, found: Results, field: Sequence[int], blocks: int, random: Random) -> int:
    """Resample a cup; the number of the entrant who wins it."""
    played = list[PlayedRound]()
    while (following := plan.next_round(played)) is not None:
        knockout = plan.format == Cup.Format.KNOCKOUT
        leaving = eliminated(following, plan.seats) if knockout else [0] * len(following.tables)
        points = [
            table_points(table, out, found, field, blocks, random.sample(range(found.deals), blocks + 2))
            for table, out in zip(following, leaving, strict=True)
        ]
        played.append(PlayedRound(following, tuple(points)))
    return plan.standings(played)[0].entrant


def table_points(
    table: Table, leaving: int, found: Results, field: Sequence[int], blocks: int, deals: Sequence[int]
) -> Points:
    bots = [field[one] for one in table]
    stored = tuple(sorted(bots))
    places = [stored.index(bot) for bot in bots]
    points, most = [0] * len(table), 2 * (len(table) - 1) * len(seatings(len(table)))
    for done, deal in enumerate(deals):
        if done >= blocks and not (leaving and not is_decided(points, leaving, done, blocks, most)):
            break
        block = found.points[stored][deal]
        points = [own + block[place] for own, place in zip(points, places, strict=True)]
    return tuple(points)
