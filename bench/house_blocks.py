"""Measure the value of a block with house bots: seasons of real games, played in this process."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from time import perf_counter

from numpy import exp, log

from bench.season import Results, Season
from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from bots.tournaments.seatings import seatings
from games.registry import GAMES
from ladder.ratings.bootstrap import Estimates

LADDERS = (
    ("edel-stein-reich-duel", 2),
    ("edel-stein-reich", 3),
    ("edel-stein-reich", 4),
    ("edel-stein-reich", 5),
    ("die-weinhaendler", 4),
)
"""Games, with the seats of a table."""

SLOW = ("kontor", "sommelier", "dreamer")
"""Bots that think, each game for as long as the others play fifty."""


def results_of(game: str, seats: int, names: Sequence[str], *, apart: bool) -> Results:
    """Plays tables of house bots in all seatings: each with one deal, or ``apart``, with a deal for every game."""
    makers = {name: load(HOUSE[name]) for name in names}
    deals = count()

    def play(memberships: Sequence[int]) -> list[list[int]]:
        ranks, seed = [], b""
        for order in seatings(seats):
            if apart or not seed:
                seed = sha256(f"deal/{next(deals)}".encode()).digest()
            table = [names[memberships[player]] for player in order]
            ranks.append(play_inside(game, [(HOUSE[name], makers[name]) for name in table], seed)["ranks"])
        return ranks

    return play


def played(game: str, seats: int, names: Sequence[str], matches: int, *, apart: bool) -> Estimates:
    """The estimates of a season, bootstrapped over its tables either way: only the deals differ."""
    season = Season(seats, 1, results_of(game, seats, names, apart=apart))
    season.come((bot, None) for bot in range(len(names)))
    season.play(range(1, 1 + -(-matches // len(seatings(seats)))))
    return season.estimates()


def show_real(matches: int) -> None:
    """Print for each ladder the widths with blocks, and those of a season in which every game has its own deal."""
    for game, seats in LADDERS:
        began = perf_counter()
        names = [name for name, bot in HOUSE.items() if bot.plays(game, seats) and name not in SLOW]
        together, apart = (played(game, seats, names, matches, apart=apart) for apart in (False, True))
        ratios = (apart.margins / together.margins) ** 2
        print(f"{GAMES[game].name}, {seats} seats, 2 x {together.games.sum() // seats} games, ", end="")
        print(
            f"{perf_counter() - began:.0f} s: value of a game in a block {exp(log(ratios).mean()):.2f} (geometric mean)"
        )
        rows = zip(names, together.points, together.margins, ratios, strict=True)
        print(
            "  "
            + ", ".join(f"{name} {points:.0f} ± {margin:.0f} ({ratio:.2f})" for name, points, margin, ratio in rows),
            flush=True,
        )
