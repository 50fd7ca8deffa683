"""What a block is worth with house bots: seasons of real games, played in this process."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from time import perf_counter

from bench.season import Results, Season
from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from games.registry import GAMES
from ladder.pairings.seatings import seatings

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


def blocks_of(game: str, seats: int, names: Sequence[str]) -> Results:
    """Plays blocks of house bots, each with the next deal."""
    makers = {name: load(HOUSE[name]) for name in names}
    deals = count()

    def play(entries: Sequence[int]) -> list[list[int]]:
        seed = sha256(f"block/{next(deals)}".encode()).digest()
        tables = [[names[entries[player]] for player in order] for order in seatings(seats)]
        return [play_inside(game, [(HOUSE[name], makers[name]) for name in table], seed)["ranks"] for table in tables]

    return play


def show_real(matches: int) -> None:
    """Print for each ladder the widths with blocks, and with the same games as if each had its own deal."""
    for game, seats in LADDERS:
        began = perf_counter()
        names = [name for name, bot in HOUSE.items() if bot.plays(game, seats) and name not in SLOW]
        season = Season(seats, 1, blocks_of(game, seats, names))
        season.come((bot, None) for bot in range(len(names)))
        season.play(range(1, 1 + -(-matches // len(seatings(seats)))))
        found, apart = season.estimates(), season.estimates(apart=True)
        ratio = (apart.margins**2).mean() / (found.margins**2).mean()
        print(
            f"{GAMES[game].name}, {seats} seats, {found.games.sum() // seats} games, {perf_counter() - began:.0f} s:"
            f" a game of a block is worth {ratio:.2f}"
        )
        rows = zip(names, found.points, found.margins, (apart.margins / found.margins) ** 2, strict=True)
        print(
            "  " + ", ".join(f"{name} {points:.0f} ± {margin:.0f} ({one:.2f})" for name, points, margin, one in rows),
            flush=True,
        )
