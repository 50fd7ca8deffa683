"""Measure the pairing of the next blocks of a large ladder, and of the rounds of a large Swiss cup.

Blocks are compared with sorting the candidates once. A Swiss round is compared with its limit of processor time, and
its rematches with a lower bound.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median
from time import process_time

from bench.rates import pin_to_one_core
from bots.tournaments.rounds import Entrants, History, PlayedRound, Points, Table
from bots.tournaments.seatings import seatings
from bots.tournaments.swiss import least_rematches, swiss_round
from ladder.pairings.candidates import NEW_VERSION_GAMES, Candidate
from ladder.pairings.draw import drawn

GOAL_MS = 200
GOAL_ROUND_S = 1.0


def ladder(memberships: int, random: Random) -> list[Candidate]:
    """Members of a ladder: a fifth has a new version, and few have had an estimate for long."""
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
        sorted(candidates, key=lambda candidate: (candidate.rating, candidate.membership))
        floor.append(process_time() - began)
    return 1000 * median(ours), 1000 * median(floor)


@dataclass
class SwissCup:
    """Rounds of processor time, in seconds, the rematches of all rounds, and the least that were possible."""

    seconds: list[float] = field(default_factory=list)
    rematches: int = 0
    bound: int = 0


def swiss_cup(entrants: int, seats: int, rounds: int, random: Random) -> SwissCup:
    """Play a cup of bots with different skills, one block per table and round."""
    skills = [random.gauss(0, 1) for _ in range(entrants)]
    cup, played, lots = SwissCup(), list[PlayedRound](), random.sample(range(entrants), entrants)
    for _ in range(rounds):
        history = History(Entrants(tuple(range(entrants))), seats, played, lots)
        began = process_time()
        drawn_round = swiss_round(history)
        cup.seconds.append(process_time() - began)
        cup.rematches += sum(map(history.rematches, drawn_round.tables))
        cup.bound += least_rematches(history, [entrant for table in drawn_round.tables for entrant in table])
        played.append(PlayedRound(drawn_round, tuple(block(table, skills, random) for table in drawn_round.tables)))
    return cup


def block(table: Table, skills: Sequence[float], random: Random) -> Points:
    """The points of one block: in each game, the bot in better form is ahead."""
    points = [0] * len(table)
    for _ in seatings(len(table)):
        form = [random.gauss(skills[entrant], 1) for entrant in table]
        for place, own in enumerate(form):
            points[place] += 2 * sum(own > other for other in form)
    return tuple(points)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memberships", type=int, default=10_000)
    parser.add_argument("--blocks", type=int, default=100)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--entrants", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    candidates = ladder(arguments.memberships, Random(13))
    pin_to_one_core()
    print(f"{arguments.blocks} blocks among {arguments.memberships} memberships, ms on one core (goal: {GOAL_MS})")
    for seats in (2, 3, 4, 5):
        ours, floor = ms(arguments.runs, seats, arguments.blocks, candidates)
        print(f"  {seats} seats {ours:6.1f}   one sorted() {floor:5.1f}   ratio {ours / floor:5.1f}")
    size, rounds = arguments.entrants, arguments.rounds
    print(f"{rounds} rounds of a Swiss cup of {size} entrants, s per round on one core (goal: {GOAL_ROUND_S})")
    for seats in (2, 3, 4, 5):
        cup = swiss_cup(size, seats, rounds, Random(13))
        print(
            f"  {seats} seats  median {median(cup.seconds):.2f}  longest {max(cup.seconds):.2f}"
            f"  rematches {cup.rematches} (lower bound {cup.bound})"
        )


if __name__ == "__main__":
    main()
