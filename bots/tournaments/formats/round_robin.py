from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache

from bots.tournaments.formats.base import MOST_ENTRANTS, Format, Plan
from bots.tournaments.round_robin import MOST_BALANCED, design, round_robin
from bots.tournaments.rounds import PlayedRound, Round, Table


@lru_cache(maxsize=4)
def _schedule(places: tuple[int, ...], seats: int, design: tuple[Table, ...]) -> tuple[Round, ...]:
    """All rounds of a cup, which a verifier needs once for each round."""
    return round_robin(places, seats, design)


class RoundRobin(Format):
    """All entrants meet equally often, at more than two seats up to one time (``bots.tournaments.round_robin``)."""

    slug, name = "round-robin", "Round robin"
    summary = "Round robin: all bots meet each other about equally often. Good for few bots."
    results_table = "by opponent"

    def most_entrants(self, seats: int) -> int:
        return MOST_ENTRANTS if seats == 2 else MOST_BALANCED

    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        schedule = _schedule(plan.places, plan.seats, plan.design)
        return schedule[len(played)] if len(played) < len(schedule) else None

    def tie_places_by_round(self, seats: int, entrants: int, rounds: int | None) -> Sequence[Sequence[int]]:
        return [[0] * len(round_.tables) for round_ in round_robin(range(entrants), seats)]

    def design(self, entrants: int, seats: int) -> Sequence[Table]:
        return design(entrants, seats) if seats > 2 else ()
