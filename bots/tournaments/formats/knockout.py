from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bots.tournaments.elimination import eliminated, knockout_round, ranking
from bots.tournaments.formats.base import Format, Plan, last_rounds
from bots.tournaments.rounds import PlayedRound, Round


class Knockout(Format):
    """The best of each table advance in a bracket that follows the seeding (``bots.tournaments.elimination``)."""

    slug, name = "knockout", "Knockout"
    summary = "Knockout: the best bots of each table advance in a bracket until the final. The best seeds can get byes."
    ranking = "Bots that reached a later round rank first. The final decides the places of its bots."
    results_decide_pairings = True
    results_table = None
    has_knockout_bracket = True

    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        return knockout_round(plan.entrants, plan.seats, played)

    def tie_places(self, seats: int, round_: Round) -> Sequence[int]:
        return eliminated(round_, seats)

    def sort_key(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Mapping[int, Any]:
        final = dict[int, int]()
        if played and self.next_round(plan, played, left) is None:
            (table,), (points,) = played[-1].round.tables, played[-1].results
            final = {entrant: place for place, entrant in enumerate(ranking(table, points))}
        return {entrant: (-last, final.get(entrant, 0)) for entrant, last in enumerate(last_rounds(plan, played))}
