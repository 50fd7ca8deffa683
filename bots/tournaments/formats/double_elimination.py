from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from bots.tournaments.elimination import knockout_round, ranking
from bots.tournaments.formats.base import Format, Plan
from bots.tournaments.rounds import Entrants, PlayedRound, Round, Table


class DoubleElimination(Format):
    """Duels in which an entrant is out after two losses.

    Entrants without a loss play a knockout, the upper bracket. Entrants with one loss are paired again in each round:
    the best seed with the worst one, without rematches and duels of one owner where that can be avoided. The winners of
    both brackets play the final. If the one of the upper bracket loses it, both have one loss, and a second final
    decides.
    """

    slug, name = "double-elimination", "Double elimination"
    summary = "Double elimination, for two players: a knockout in which a bot is out after its second loss."
    ranking = "Bots that lost their second table in a later round rank first."
    seat_counts = (2,)
    results_decide_pairings = True

    def next_round(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Round | None:
        losses = self._losses(plan, played)
        upper = [entrant for entrant in range(len(plan.entrants)) if losses[entrant] == 0]
        lower = [entrant for entrant in range(len(plan.entrants)) if losses[entrant] == 1]
        if len(upper) + len(lower) == 2:  # both finals
            return Round(((min(upper + lower), max(upper + lower)),))
        if len(upper) + len(lower) == 1:
            return None
        bracket = knockout_round(plan.entrants, 2, self._upper(plan, played))
        tables, byes = (bracket.tables, bracket.byes) if bracket is not None else ((), tuple(upper))
        paired, waiting = _paired(plan.entrants, lower, played)
        return Round((*tables, *paired), (*byes, *waiting))

    def tie_places(self, seats: int, round_: Round) -> Sequence[int]:
        return [1] * len(round_.tables)

    def sort_key(self, plan: Plan, played: Sequence[PlayedRound], left: Collection[int]) -> Mapping[int, Any]:
        """The round of the second loss; entrants with fewer losses are ahead."""
        out = {entrant: len(played) + 1 for entrant in range(len(plan.entrants))}
        for number in range(len(played), 0, -1):
            losses = self._losses(plan, played[:number])
            out |= {entrant: number for entrant in out if losses[entrant] >= 2}
        losses = self._losses(plan, played)
        return {entrant: (-number, losses[entrant]) for entrant, number in out.items()}

    def _losses(self, plan: Plan, played: Sequence[PlayedRound]) -> list[int]:
        losses = [0] * len(plan.entrants)
        for past in played:
            for table, points in past:
                losses[ranking(table, points)[-1]] += 1
        return losses

    def _upper(self, plan: Plan, played: Sequence[PlayedRound]) -> list[PlayedRound]:
        """The rounds of the upper bracket: tables of entrants without a loss before."""
        rounds = list[PlayedRound]()
        for number, past in enumerate(played):
            losses = self._losses(plan, played[:number])
            among = {entrant for entrant in range(len(plan.entrants)) if losses[entrant] == 0}
            pairs = [(table, points) for table, points in past if among >= {*table}]
            byes = tuple(entrant for entrant in past.round.byes if entrant in among)
            if pairs:
                round_ = Round(tuple(table for table, _ in pairs), byes)
                rounds.append(PlayedRound(round_, tuple(points for _, points in pairs)))
        return rounds


def _paired(
    entrants: Entrants, lower: Sequence[int], played: Sequence[PlayedRound]
) -> tuple[list[Table], tuple[int, ...]]:
    """The tables and byes of entrants with one loss. Of an odd number, the best seed with the fewest byes has one."""
    waiting: tuple[int, ...] = ()
    if len(lower) % 2:
        byes = [sum(entrant in past.round.byes for past in played) for entrant in lower]
        waiting = (lower[byes.index(min(byes))],)
    met = {frozenset(table) for past in played for table in past.round}
    left, tables = [entrant for entrant in lower if entrant not in waiting], list[Table]()
    while left:
        first, *others = left
        other = min(
            reversed(others),
            key=lambda entrant: (frozenset((first, entrant)) in met, entrants.clashes((first, entrant))),
        )
        tables.append((first, other))
        left = [entrant for entrant in others if entrant != other]
    return tables, waiting
