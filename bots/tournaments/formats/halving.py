from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from bots.tournaments.elimination import halving_round, halving_stages
from bots.tournaments.formats.base import Format, Plan, last_rounds
from bots.tournaments.rounds import PlayedRound, Round
from bots.tournaments.swiss import is_least

HALVING_ROUNDS: Final = 1
"""Rounds of the first stage of successive halving."""


class Halving(Format):
    """After each stage, the better half of the entrants stays (``bots.tournaments.elimination``)."""

    slug, name = "halving", "Successive halving"
    summary = "Successive halving: after each stage, the better half stays and plays more rounds."
    ranking = "Bots that reached a later round rank first."
    results_decide_pairings = True

    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        return halving_round(plan.history(played), HALVING_ROUNDS, left)

    def is_as_good(self, plan: Plan, played: Sequence[PlayedRound], round_: Round, other: Round) -> bool:
        return plan.seats == 2 and is_least(plan.history(played), round_, other)

    def sort_key(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Mapping[int, Any]:
        """Entrants of the last round who have left are behind its others."""
        last = played[-1].round.entrants if played else frozenset[int]()
        reached = enumerate(last_rounds(plan, played))
        return {entrant: (-number, entrant in last and entrant in left) for entrant, number in reached}

    def stages(self, entrants: int, seats: int) -> Sequence[tuple[int, int]]:
        return halving_stages(entrants, seats, HALVING_ROUNDS)

    def tie_places_by_round(self, seats: int, entrants: int, rounds: int | None) -> Sequence[Sequence[int]]:
        return [[0] * (left // seats) for left, times in self.stages(entrants, seats) for _ in range(times)]
