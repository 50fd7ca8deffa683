"""The course of a cup: its next round and its standings, as pure functions of its plan and its played rounds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ladder.cups.proof import lots, random_of
from ladder.models import Cup
from ladder.pairings.elimination import halving_round, knockout_round, ranking
from ladder.pairings.round_robin import round_robin
from ladder.pairings.rounds import Entrants, History, PlayedRound, Round, Standing
from ladder.pairings.swiss import swiss_round

HALVING_ROUNDS: Final = 1
"""Rounds of the first stage of successive halving."""


@dataclass(frozen=True)
class Plan:
    """What is fixed before a cup starts. ``key`` is secret until the end; ``entrants_hash`` is of the entrant list."""

    format: Cup.Format
    seats: int
    entrants: Entrants
    key: bytes
    entrants_hash: str
    rounds: int | None = None

    def history(self, played: Sequence[PlayedRound]) -> History:
        return History(self.entrants, self.seats, played, lots(self.key, self.entrants_hash, len(self.entrants)))

    def next_round(self, played: Sequence[PlayedRound], left: Collection[int] = ()) -> Round | None:
        """The round after ``played``, or ``None`` when the cup is over. Entrants who have ``left`` are not paired
        again in Swiss rounds and in successive halving; elsewhere their tables are decided against them.

        Raises ``PairingError``.
        """
        if self.format == Cup.Format.KNOCKOUT:
            return knockout_round(self.entrants, self.seats, played)
        if self.format == Cup.Format.ROUND_ROBIN:
            random = random_of(self.key, self.entrants_hash, "round", 0)
            everything = round_robin(len(self.entrants), self.seats, random)
            return everything[len(played)] if len(played) < len(everything) else None
        among = [one for one in range(len(self.entrants)) if one not in left]
        if self.format == Cup.Format.HALVING:
            return halving_round(self.history(played), HALVING_ROUNDS, left)
        if len(played) >= (self.rounds or 0) or len(among) < max(2, self.seats):
            return None
        return swiss_round(self.history(played), among)

    def standings(self, played: Sequence[PlayedRound]) -> list[Standing]:
        """The standings after ``played``, best first.

        In a knockout and in successive halving, entrants who reached a later round are ahead. The final of a knockout
        decides its own places.
        """
        rows = self.history(played).standings()
        if self.format not in (Cup.Format.KNOCKOUT, Cup.Format.HALVING) or not played:
            return rows
        last = [-1] * len(self.entrants)
        for number, one in enumerate(played):
            for entrant in one.round.entrants:
                last[entrant] = number
        final: dict[int, int] = {}
        if self.format == Cup.Format.KNOCKOUT and self.next_round(played) is None:
            (table,), (points,) = played[-1].round.tables, played[-1].results
            final = {one: place for place, one in enumerate(ranking(table, points))}
        order = sorted(rows, key=lambda row: (-last[row.entrant], final.get(row.entrant, 0), row.rank))
        return [replace(row, rank=rank) for rank, row in enumerate(order, 1)]
