"""Measure how strong the network of the levels is against house bots, without search.

``python -m bench.levels [--blocks 400] [--game SLUG] [--level 6]``: in a block, the level plays one deal in each seat
in turn. All games run in this process, with the same weights and temperatures as the house bots.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from time import perf_counter

from bots.environments.training.evaluation import MIXTURES, BatchNetwork, evaluate
from bots.environments.training.levels import known_temperatures
from bots.house.catalogue import HERE, HOUSE, LEVELS
from games.registry import GAMES

WANTED = 1.5
"""Wanted share of the wins, in fair shares; with two seats, it is ``WANTED_OF_TWO``."""

WANTED_OF_TWO = 1.2


def opponents(game: str) -> Iterator[tuple[str, ...]]:
    """The opponents of a level in ``game``."""
    if 2 in GAMES[game].seat_counts:
        yield from ((name,) for name, bot in HOUSE.items() if bot.plays(game, 2) and not bot.is_level)
    else:
        yield from MIXTURES[game]


def show(game: str, level: int, blocks: int) -> bool:
    """Print a line for each of the opponents. Whether the level is as strong as wanted against all of them."""
    path = HERE / "level" / f"{game}.safetensors"
    network = BatchNetwork.load(path, game, known_temperatures()[game][level - 1])
    strong = True
    for names in opponents(game):
        began, seats = perf_counter(), len(names) + 1
        wins, lead = evaluate(network, seats, names, blocks)
        strong = strong and wins.value * seats >= (WANTED_OF_TWO if seats == 2 else WANTED)
        print(
            f"{seats:5}  {', '.join(names):44}  {wins.value:6.1%} ({wins.low:.1%}-{wins.high:.1%})"
            f"  {wins.value * seats:11.2f}  {lead.value:+8.1f} ± {lead.margin or 0:.1f}  {perf_counter() - began:6.0f}",
            flush=True,
        )
    return strong


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, measure, print; exit status 1 if the level is weaker than wanted somewhere."""
    parser = argparse.ArgumentParser(description="Measure the strength of a level.")
    parser.add_argument("--blocks", type=int, default=400, help="number of blocks per line (default: %(default)s)")
    parser.add_argument("--game", choices=HOUSE[LEVELS[1]].games, help="only this game")
    parser.add_argument("--level", type=int, choices=LEVELS, default=6, help="level (default: %(default)s)")
    options = parser.parse_args(arguments)
    weak = []
    for game in HOUSE[LEVELS[options.level]].games:
        if options.game in (None, game):
            print(f"\n{GAMES[game].name}, level {options.level}, {options.blocks} blocks")
            print(f"{'Seats':5}  {'Opponents':44}  {'Wins (95% CI)':20}  {'Fair shares':>11}  Lead            Seconds")
            weak += [] if show(game, options.level, options.blocks) else [game]
    if weak:
        sys.exit(f"Level {options.level} is weaker than wanted in {', '.join(weak)}.")


if __name__ == "__main__":
    main()
