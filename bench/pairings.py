"""Measure the pairing of the next blocks of a large ladder, compared with sorting its candidates once."""

from __future__ import annotations

import argparse
from random import Random
from statistics import median
from time import process_time

from bench.rates import pin_to_one_core
from ladder.pairings.candidates import NEW_VERSION_GAMES, Candidate
from ladder.pairings.draw import drawn

GOAL_MS = 200


def ladder(memberships: int, random: Random) -> list[Candidate]:
    """Bots as they may stand on a ladder: a fifth has a new version, and few have an estimate for long."""
    return [
        Candidate(
            membership=membership,
            rating=round(random.gauss(1_500_000, 250_000)),
            games=random.randrange(400),
            owner=random.randrange(memberships // 3 + 1) if membership > 8 else None,
            version_games=random.choice([0, 8, NEW_VERSION_GAMES, 100, 200]),
            width=random.choice([None, random.randrange(20_000, 300_000)]),
            since=random.randrange(10 * memberships),
        )
        for membership in range(1, memberships + 1)
    ]


def ms(runs: int, seats: int, blocks: int, candidates: list[Candidate]) -> tuple[float, float]:
    """Milliseconds of processor time, the median of ``runs``: for the blocks, and for one ``sorted``."""
    ours, floor = [], []
    for run in range(runs):
        began = process_time()
        drawn(candidates, seats, blocks, run * blocks, Random(run))
        ours.append(process_time() - began)
        began = process_time()
        sorted(candidates, key=lambda one: (one.rating, one.membership))
        floor.append(process_time() - began)
    return 1000 * median(ours), 1000 * median(floor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memberships", type=int, default=10_000)
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    candidates = ladder(arguments.memberships, Random(13))
    pin_to_one_core()
    print(f"{arguments.blocks} blocks among {arguments.memberships} memberships, ms on one core (goal: {GOAL_MS})")
    for seats in (2, 3, 4, 5):
        ours, floor = ms(arguments.runs, seats, arguments.blocks, candidates)
        print(f"  {seats} seats {ours:6.1f}   one sorted() {floor:5.1f}   ratio {ours / floor:5.1f}")


if __name__ == "__main__":
    main()
