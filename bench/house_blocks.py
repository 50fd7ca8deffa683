"""What a block is worth with house bots: real games, played in this process, no results drawn from a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from time import perf_counter

import numpy as np

from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from games.registry import GAMES
from ladder.pairings.seatings import seatings
from ladder.ratings.bootstrap import Estimates, estimate
from ladder.ratings.plackett_luce import Games

TABLES: Sequence[tuple[str, tuple[str, ...]]] = (
    ("edel-stein-reich-duel", ("kontor", "greedy")),
    ("edel-stein-reich", ("kontor", "greedy", "haggler")),
    ("edel-stein-reich", ("kontor", "greedy", "haggler", "random")),
    ("die-weinhaendler", ("sommelier", "vintner", "gleaner")),
    ("die-weinhaendler", ("sommelier", "vintner", "gleaner", "cellarman")),
    ("die-weinhaendler", ("sommelier", "vintner", "gleaner", "cellarman", "random")),
)
"""By game, who sits at the table."""


def played(game: str, table: Sequence[str], count: int) -> Games:
    """``count`` games of ``table``, in whole blocks."""
    makers = {name: load(HOUSE[name]) for name in table}
    orders = seatings(len(table))
    sitting, ranks, blocks = [], [], []
    for block in range(count // len(orders)):
        seed = sha256(f"block/{block}".encode()).digest()
        for order in orders:
            names = [table[player] for player in order]
            outcome = play_inside(game, [(HOUSE[name], makers[name]) for name in names], seed)
            sitting.append(order)
            ranks.append(outcome["ranks"])
            blocks.append(block)
    return Games(len(table), np.array(sitting), np.array(ranks), np.array(blocks))


def show_real(count: int) -> None:
    """Print for each table the widths with blocks, and with the same games as if each had its own deal."""
    for game, table in TABLES:
        began = perf_counter()
        games = played(game, table, count)
        found = estimate(games, 1, replicates=2000)
        apart = estimate(replace(games, blocks=np.arange(len(games.seats))), 1, replicates=2000)
        ratios = (apart.margins / found.margins) ** 2
        print(
            f"{GAMES[game].name}, {len(games.seats)} games of {len(seatings(len(table)))} a block"
            f" ({perf_counter() - began:.0f} s): a game of a block is worth {_mean_ratio(found, apart):.2f}",
            flush=True,
        )
        for name, points, margin, ratio in zip(table, found.points, found.margins, ratios, strict=True):
            print(f"  {name:10} {points:6.0f} ± {margin:3.0f}   {ratio:.2f}", flush=True)


def _mean_ratio(found: Estimates, apart: Estimates) -> float:
    return float((apart.margins**2).mean() / (found.margins**2).mean())
