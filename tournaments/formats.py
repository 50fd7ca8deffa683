"""The course of a cup: its next round and its standings, as pure functions of its plan and its played rounds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final

from tournaments.elimination import halving_round, knockout_round, ranking
from tournaments.keys import permutation
from tournaments.round_robin import round_robin
from tournaments.rounds import Entrants, History, PlayedRound, Round, Standing, Table
from tournaments.swiss import is_least, swiss_round


class Format(StrEnum):
    """The formats of a cup, as ledgers name them."""

    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    KNOCKOUT = "knockout"
    HALVING = "halving"


MOST_ENTRANTS: Final = 512
MOST_BLOCKS: Final = 20
MOST_ROUNDS: Final = 30

HALVING_ROUNDS: Final = 1
"""Rounds of the first stage of successive halving."""

NO_ONE: Final[Mapping[int, str]] = MappingProxyType({})
"""No entrant has left."""


@dataclass(frozen=True)
class Plan:
    """What is fixed before a cup starts. ``key`` is secret until the end; ``entrants_hash`` is of the entrant list.

    ``design`` has the tables of a round robin at three to five seats, by place; if it is empty, the stored one is used.
    """

    format: str
    seats: int
    entrants: Entrants
    key: bytes
    entrants_hash: str
    rounds: int | None = None
    design: tuple[Table, ...] = ()

    @cached_property
    def lots(self) -> tuple[int, ...]:
        """The entrants in the order that decides the last ties."""
        return permutation(self.key, self.entrants_hash, "lot", len(self.entrants))

    @cached_property
    def schedule(self) -> tuple[Round, ...]:
        """All rounds of a round robin."""
        places = permutation(self.key, self.entrants_hash, "place", len(self.entrants))
        return round_robin(places, self.seats, self.design)

    def history(self, played: Sequence[PlayedRound]) -> History:
        return History(self.entrants, self.seats, played, self.lots)

    def next_round(self, played: Sequence[PlayedRound], left: Collection[int] = ()) -> Round | None:
        """The round after ``played``, or ``None`` when the cup is over. Entrants who have ``left`` are not paired
        again in Swiss rounds and in successive halving; elsewhere their tables are decided against them.

        Raises ``PairingError``.
        """
        if self.format == Format.KNOCKOUT:
            return knockout_round(self.entrants, self.seats, played)
        if self.format == Format.ROUND_ROBIN:
            return self.schedule[len(played)] if len(played) < len(self.schedule) else None
        among = [one for one in range(len(self.entrants)) if one not in left]
        if self.format == Format.HALVING:
            return halving_round(self.history(played), HALVING_ROUNDS, left)
        if len(played) >= (self.rounds or 0) or len(among) < max(2, self.seats):
            return None
        return swiss_round(self.history(played), among)

    def follows(self, round_: Round, played: Sequence[PlayedRound], left: Collection[int] = ()) -> bool:
        """Whether ``round_`` is a correct next round: the same one, or at two seats one of equal cost.

        Raises ``PairingError``.
        """
        expected = self.next_round(played, left)
        if expected is None or expected == round_:
            return expected is not None
        if self.seats != 2 or self.format not in (Format.SWISS, Format.HALVING):
            return False
        return is_least(self.history(played), round_, expected)

    def standings(self, played: Sequence[PlayedRound], left: Mapping[int, str] = NO_ONE) -> list[Standing]:
        """The standings after ``played``, best first. ``left`` has the states of the entrants who have left.

        Disqualified entrants are behind all others. In a knockout and in successive halving, entrants who reached a
        later round are ahead. The final of a knockout decides its own places. In successive halving, entrants of the
        last round who have left are behind its others.
        """
        reached, places = [0] * len(self.entrants), dict[int, int]()
        if self.format in (Format.KNOCKOUT, Format.HALVING):
            for number, one in enumerate(played, 1):
                for entrant in one.round.entrants:
                    reached[entrant] = number
        if self.format == Format.KNOCKOUT and played and self.next_round(played) is None:
            (table,), (points,) = played[-1].round.tables, played[-1].results
            places = {one: place for place, one in enumerate(ranking(table, points))}
        if self.format == Format.HALVING and played:
            places = {one: int(one in left) for one in played[-1].round.entrants}

        def key(row: Standing) -> tuple[bool, int, int, int]:
            is_out = left.get(row.entrant) == "disqualified"
            return is_out, -reached[row.entrant], places.get(row.entrant, 0), row.rank

        order = sorted(self.history(played).standings(), key=key)
        return [replace(row, rank=rank) for rank, row in enumerate(order, 1)]
