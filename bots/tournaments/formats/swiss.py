from __future__ import annotations

from collections.abc import Collection, Sequence

from bots.tournaments.formats.base import Format, Plan
from bots.tournaments.rounds import PlayedRound, Round
from bots.tournaments.swiss import is_least, swiss_round


class Swiss(Format):
    """In every round, entrants with about as many match points meet (``bots.tournaments.swiss``)."""

    slug, name = "swiss", "Swiss"
    summary = "Swiss: each round pairs bots with similar results. Good for many bots."
    has_chosen_rounds = True

    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        among = [entrant for entrant in range(len(plan.entrants)) if entrant not in left]
        if len(played) >= (plan.rounds or 0) or len(among) < max(2, plan.seats):
            return None
        return swiss_round(plan.history(played), among)

    def is_as_good(self, plan: Plan, played: Sequence[PlayedRound], round_: Round, other: Round) -> bool:
        return plan.seats == 2 and is_least(plan.history(played), round_, other)

    def tie_places_by_round(self, seats: int, entrants: int, rounds: int | None) -> Sequence[Sequence[int]]:
        return [[0] * (entrants // seats)] * (rounds or 0)
