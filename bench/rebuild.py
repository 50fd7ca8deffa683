"""Measure the rating rebuild: ``python -m bench.rebuild [--matches 1000000] [--entries 10000] [--seats 4]``.

The ledger is generated: ``--entries`` bots of different strength at random tables, with a few corrections. It is
rebuilt from plain values with the same code as in ``ladder.ledger.rebuild``. The floor is a plain loop with only the
Elo formula in floating point: it does not round, counts no wins, keeps no ratings before and after games, and is not
reproducible on other machines. The bench never fails.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Sequence
from itertools import combinations
from random import Random
from time import process_time

from bench.rates import pin_to_one_core
from ladder.ratings.elo import KFactor
from ladder.ratings.replay import Correction, LedgerReplay, Merge, NewK, RankedGame, Void

GOAL_S = 10.0


def drawn(matches: int, entries: int, seats: int) -> list[RankedGame]:
    """A ledger: at every table random bots, of which the better ones tend to come first."""
    random = Random(1)
    strengths = [random.gauss(0, 1) for _ in range(entries)]
    games = []
    for number in range(1, matches + 1):
        table = random.sample(range(entries), seats)
        order = sorted(range(seats), key=lambda seat: random.gauss(strengths[table[seat]], 1), reverse=True)
        ranks = [0] * seats
        for rank, seat in enumerate(order, 1):
            ranks[seat] = rank
        games.append(RankedGame(number, tuple(table), tuple(ranks)))
    return games


def corrections(matches: int) -> list[Correction]:
    """A void in ten thousand results, two merges and a new K."""
    voids = [Void(matches + place, place * 10_000) for place in range(1, matches // 10_000 + 1)]
    after = matches + len(voids)
    return [*voids, Merge(after + 1, 0, None), Merge(after + 2, 1, 2), NewK(after + 3, KFactor(32, 16, 50))]


def rebuild_s(games: Sequence[RankedGame], corrected: Sequence[Correction]) -> float:
    """Seconds of processor time for a whole rebuild, every rating before and after included."""
    began = process_time()
    rebuild = LedgerReplay(corrected)
    deque(rebuild.rated(games), maxlen=0)
    rebuild.finish()
    return process_time() - began


def floor_s(games: Sequence[RankedGame], entries: int) -> float:
    """Seconds of processor time for the bare formula."""
    ratings = [1500.0] * entries
    played = [0] * entries
    began = process_time()
    for _, table, ranks in games:
        gains = [0.0] * len(table)
        for a, b in combinations(range(len(table)), 2):
            k = 40 if played[table[a]] < 30 and played[table[b]] < 30 else 20
            score = (1 + (ranks[a] < ranks[b]) - (ranks[a] > ranks[b])) / 2
            expected = 1 / (1 + 10 ** ((ratings[table[b]] - ratings[table[a]]) / 400))
            gain = k / (len(table) - 1) * (score - expected)
            gains[a] += gain
            gains[b] -= gain
        for entry, gain in zip(table, gains, strict=True):
            ratings[entry] += gain
            played[entry] += 1
    return process_time() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument(
        "--rounds", type=int, default=3, help="number of runs; the best one counts (default: %(default)s)"
    )
    options = parser.parse_args()
    core = pin_to_one_core()
    games, corrected = drawn(options.matches, options.entries, options.seats), corrections(options.matches)
    floor = min(floor_s(games, options.entries) for _ in range(options.rounds))
    print(f"core {core}, {options.matches:,} matches of {options.seats}, {options.entries:,} entries")
    print(f"| {'':36} | Seconds | µs/match   | ÷ floor | Goal    |")
    print(f"|{'-' * 38}|--------:|-----------:|--------:|---------|")
    for title, seconds in (
        ("the formula alone, in floating point", floor),
        ("rebuild", min(rebuild_s(games, ()) for _ in range(options.rounds))),
        (f"rebuild with {len(corrected)} corrections", min(rebuild_s(games, corrected) for _ in range(options.rounds))),
    ):
        goal = "" if seconds is floor else "met" if seconds * 1e6 / options.matches <= GOAL_S else "MISSED"
        figures = f"{seconds:7.2f} | {seconds * 1e6 / options.matches:10.2f} | {seconds / floor:7.2f}"
        print(f"| {title:36} | {figures} | {goal:7} |")


if __name__ == "__main__":
    main()
