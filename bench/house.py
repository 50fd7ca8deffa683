"""Measure the strength and the start time of the house bots.

``python -m bench.house [--games 200] [--game SLUG]``: in every format of every game, the strongest bot plays against
the others, which take turns if there are too many or too few for the seats. The seats rotate. All games run in this
process, with the same code as in the bot processes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from time import perf_counter

from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from bots.intervals import wilson
from bots.runner import HouseProgram
from bots.sandbox.code import code_of, staged
from bots.series import Tally
from games.registry import GAMES

FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "edel-stein-reich-duel": ("kontor", ("greedy", "haggler", "random")),
    "edel-stein-reich": ("kontor", ("greedy", "haggler", "random")),
    "die-weinhaendler": ("sommelier", ("vintner", "gleaner", "cellarman", "random")),
}
"""By game, the strongest bot and those it has to beat."""
STARTS = 30


def tables(game: str, seats: int) -> Iterator[tuple[str, ...]]:
    """The tables of ``seats`` that the strongest bot has to win: every choice of opponents that differs."""
    strongest, others = FIELDS[game]
    for first in range(1 if seats - 1 == len(others) else len(others)):
        yield strongest, *islice(cycle(others), first, first + seats - 1)


def play(game: str, table: Sequence[str], games: int) -> dict[str, Tally]:
    """The games of one table; a bot that sits twice counts twice a game."""
    makers = {name: load(HOUSE[name]) for name in table}
    tallies = {name: Tally(name, len(table)) for name in table}
    for number in range(games):
        shift = number % len(table)
        order = [*table[shift:], *table[:shift]]
        seed = sha256(f"bench/{number}".encode()).digest()
        outcome = play_inside(game, [(HOUSE[name], makers[name]) for name in order], seed)
        winners = outcome["ranks"].count(1)
        for name, rank, score in zip(order, outcome["ranks"], outcome["scores"], strict=True):
            tallies[name].ranks.append(rank)
            tallies[name].wins.append((rank == 1) / winners)
            first = next(iter(score))
            tallies[name].scores.setdefault(first, []).append(score[first])
    return tallies


def show_strength(game: str, games: int) -> bool:
    """Print a line a table; whether the strongest bot was clearly above its fair share everywhere."""
    clear = True
    strongest = FIELDS[game][0]
    print(f"\n{GAMES[game].name}\n{'Seats':5}  {'Bots':48}  {strongest} wins (95% CI)  Fair  Mean rank  Mean scores")
    for seats in GAMES[game].seat_counts:
        for table in tables(game, seats):
            tallies = play(game, table, games)
            share = sum(tallies[strongest].wins) / games
            low, high = wilson(share, games)
            clear = clear and low > 1 / seats
            print(
                f"{seats:5}  {', '.join(table):48}  {share:6.1%} ({low:.1%}-{high:.1%})  {1 / seats:5.0%}"
                f"  {tallies[strongest].mean_rank.value:9.2f}  {', '.join(map(mean_score, tallies.values()))}",
                flush=True,
            )
    return clear


def mean_score(tally: Tally) -> str:
    """The bot, and the mean of what its game counts first: money or points."""
    return f"{tally.label} {fmean(next(iter(tally.scores.values()))):.0f}"


def start_ms(command: Sequence[str], folder: Path) -> float:
    """The median time of a process that says hello, is answered and ends."""
    hello = b'{"type":"hello","seed":"00","seat":0,"seats":3}\n{"type":"end"}\n'
    times = []
    for _ in range(STARTS):
        began = perf_counter()
        subprocess.run(command, cwd=folder, input=hello, stdout=subprocess.DEVNULL, check=True)
        times.append(perf_counter() - began)
    return median(times) * 1000


def show_starts() -> None:
    """Print how long each program takes to start and end as it is staged, beside an interpreter that does nothing."""
    bare = start_ms([sys.executable, "-S", "-E", "-B", "-c", "pass"], Path())
    print(f"\nStart and end, ms: bare interpreter {bare:.1f}", end="")
    with TemporaryDirectory() as runtime:
        for name, bot in HOUSE.items():
            if name == bot.folder:
                folder = staged(code_of(HouseProgram(name)), Path(runtime))
                print(f", {name} {start_ms([sys.executable, '-S', '-E', '-B', 'bot.py'], folder):.1f}", end="")
    print()


def main() -> None:
    """Parse the command line, measure, print; exit status 1 if the strongest bot is not clearly stronger."""
    parser = argparse.ArgumentParser(description="Measure the strength of the house bots.")
    parser.add_argument("--games", type=int, default=200, help="number of games per format (default: 200)")
    parser.add_argument("--game", choices=FIELDS, help="only this game")
    options = parser.parse_args()
    unclear = [game for game in FIELDS if options.game in (None, game) and not show_strength(game, options.games)]
    show_starts()
    if unclear:
        sys.exit(f"The strongest bot is not significantly stronger in every format of {', '.join(unclear)}.")


if __name__ == "__main__":
    main()
