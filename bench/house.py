"""How strong the house bots are, and how long they take to start.

``python -m bench.house [--games 200]``: at every number of seats the strongest bot meets the three others, in turn
where there are more of them than chairs. The seats rotate. All in this process, with the code that the processes run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from bots.local.tallies import Tally, wilson
from bots.runner import HouseProgram
from bots.sandbox.code import code_of, staged

STRONGEST = "kontor"
OTHERS = ("greedy", "haggler", "random")
GAME_OF = {2: "edel-stein-reich-duel", 3: "edel-stein-reich", 4: "edel-stein-reich", 5: "edel-stein-reich"}
STARTS = 30


def tables(seats: int) -> Iterator[tuple[str, ...]]:
    """The tables of ``seats`` that the strongest bot has to win: every choice of opponents that differs."""
    for first in range(1 if seats - 1 == len(OTHERS) else len(OTHERS)):
        yield STRONGEST, *islice(cycle(OTHERS), first, first + seats - 1)


def play(table: Sequence[str], games: int) -> dict[str, Tally]:
    """The games of one table; a bot that sits twice counts twice a game."""
    makers = {name: load(HOUSE[name]) for name in table}
    tallies = {name: Tally(name) for name in table}
    for number in range(games):
        shift = number % len(table)
        order = [*table[shift:], *table[:shift]]
        seed = sha256(f"bench/{number}".encode()).digest()
        outcome = play_inside(GAME_OF[len(table)], [(HOUSE[name], makers[name]) for name in order], seed)
        winners = outcome["ranks"].count(1)
        for name, rank, score in zip(order, outcome["ranks"], outcome["scores"], strict=True):
            tallies[name].ranks.append(rank)
            tallies[name].wins.append((rank == 1) / winners)
            tallies[name].scores.setdefault("money", []).append(score["money"])
    return tallies


def show_strength(games: int) -> bool:
    """Print a line a table; whether the strongest bot was clearly above its fair share everywhere."""
    clear = True
    print(f"{'seats':5}  {'table':44}  {STRONGEST} wins (95 %)      fair  mean rank  money of each")
    for seats in sorted(GAME_OF):
        for table in tables(seats):
            tallies = play(table, games)
            share = sum(tallies[STRONGEST].wins) / games
            low, high = wilson(share, games)
            clear = clear and low > 1 / seats
            money = ", ".join(f"{name} {sum(t.scores['money']) / t.games:.0f}" for name, t in tallies.items())
            print(
                f"{seats:5}  {', '.join(table):44}  {share:6.1%} ({low:.1%}-{high:.1%})  {1 / seats:5.0%}"
                f"  {tallies[STRONGEST].mean_rank.mean:9.2f}  {money}",
                flush=True,
            )
    return clear


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
    print(f"\nstart and end, ms: a bare interpreter {bare:.1f}", end="")
    with TemporaryDirectory() as runtime:
        for name, bot in HOUSE.items():
            if name == bot.folder:
                folder = staged(code_of(HouseProgram(name)), Path(runtime))
                print(f", {name} {start_ms([sys.executable, '-S', '-E', '-B', 'bot.py'], folder):.1f}", end="")
    print()


def main() -> None:
    """Parse the command line, measure, print; exit status 1 if the strongest bot is not clearly stronger."""
    parser = argparse.ArgumentParser(description="How strong the house bots are.")
    parser.add_argument("--games", type=int, default=200, help="games a table (200)")
    games = parser.parse_args().games
    clear = show_strength(games)
    show_starts()
    if not clear:
        sys.exit(f"{STRONGEST} is not clearly stronger at every table.")


if __name__ == "__main__":
    main()
