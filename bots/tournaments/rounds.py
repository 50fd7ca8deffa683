"""Rounds and standings of a cup: entrants, tables, results and tie-breaks.

Entrants are numbers from 0 in the order of the frozen entrant list, which is also the seeding: 0 is the top seed. A
*table* plays one block or several, each in all seatings. Its result is the number of points of each entrant: in every
game, 2 for each opponent with a worse rank and 1 for each with the same rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final

Table = tuple[int, ...]
"""Entrants who play blocks together."""

Points = tuple[int, ...]
"""By place in the table, the points over all of its games."""

TIE_BREAKS: Final = ("match_points", "direct_encounter", "game_share", "opponents", "lot")
"""What decides the standings, in this order. A cup publishes it before the start."""


class PairingError(ValueError):
    """A cup that cannot be paired. The message contains the remedy, ``code`` identifies the reason."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Entrants:
    """The frozen entrant list.

    ``owners`` has the owner of each entrant; ``None`` is the site, whose house bots may always meet. At most
    ``at_a_table`` entrants of one owner share a table, as long as that can be avoided.
    """

    owners: tuple[int | None, ...]
    at_a_table: int = 1

    def __len__(self) -> int:
        return len(self.owners)

    def clashes(self, table: Collection[int]) -> int:
        """How many entrants of ``table`` exceed the limit of their owners."""
        owners = Counter(self.owners[entrant] for entrant in table if self.owners[entrant] is not None)
        return sum(max(0, count - self.at_a_table) for count in owners.values())


@dataclass(frozen=True)
class Round:
    """The tables of a round, and the entrants who have a bye. Everyone else is out of the cup or waits."""

    tables: tuple[Table, ...]
    byes: tuple[int, ...] = ()

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables)

    @property
    def entrants(self) -> frozenset[int]:
        return frozenset(entrant for table in self.tables for entrant in table) | frozenset(self.byes)


@dataclass(frozen=True)
class PlayedRound:
    """A round with its results. A void table has ``None`` and does not count."""

    round: Round
    results: tuple[Points | None, ...]

    def __post_init__(self) -> None:
        if any(len(table) != len(points or table) for table, points in self):
            raise ValueError("every result needs one number of points for each entrant of its table")

    def __iter__(self) -> Iterator[tuple[Table, Points | None]]:
        """The tables with their results."""
        return zip(self.round, self.results, strict=True)


def match_points(points: Points) -> Points:
    """The match points of a table: 2 for each opponent with fewer points, 1 for each with as many."""
    return tuple([2 * sum(own > other for other in points) + points.count(own) - 1 for own in points])


def bye_points(seats: int) -> int:
    """The match points of a bye: three quarters of the most, rounded up. For two seats that is a win."""
    return -(-3 * (seats - 1) // 2)


@dataclass
class _Sums:
    match_points: int = 0
    points: int = 0
    most: int = 0
    byes: int = 0
    opponents: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True)
class Standing:
    """A row of the standings. ``rank`` counts from 1; entrants whom only the lot separates have different ranks.

    ``direct`` are the match points against those who have as many match points; ``share`` is the share of all possible
    game points; ``opponents`` the mean match points of the opponents met.
    """

    entrant: int
    rank: int
    match_points: int
    direct: int
    share: Fraction
    opponents: Fraction
    byes: int


class History:
    """Everything that was played in a cup of tables with ``seats`` seats.

    ``lots`` decides what nothing else does: a permutation of the entrants, drawn from the cup's key.
    """

    def __init__(self, entrants: Entrants, seats: int, played: Sequence[PlayedRound], lots: Sequence[int]) -> None:
        if sorted(lots) != list(range(len(entrants))):
            raise ValueError("the lots must be a permutation of the entrants")
        self.entrants, self.seats, self.played, self.lots = entrants, seats, tuple(played), tuple(lots)

    @cached_property
    def met(self) -> Mapping[int, frozenset[int]]:
        """By entrant, all whom they were paired with, also at void tables."""
        met: dict[int, set[int]] = {entrant: set() for entrant in range(len(self.entrants))}
        for played in self.played:
            for table in played.round:
                for entrant in table:
                    met[entrant].update(table)
        return {entrant: frozenset(others - {entrant}) for entrant, others in met.items()}

    @cached_property
    def byes(self) -> Counter[int]:
        return Counter(entrant for played in self.played for entrant in played.round.byes)

    def rematches(self, table: Table) -> int:
        """How many pairs of ``table`` have met before."""
        return sum(other in self.met[entrant] for entrant, other in combinations(table, 2))

    @cached_property
    def _sums(self) -> Sequence[_Sums]:
        sums = [_Sums() for _ in range(len(self.entrants))]
        for played in self.played:
            for entrant in played.round.byes:
                sums[entrant].match_points += bye_points(self.seats)
                sums[entrant].byes += 1
            for table, points in played:
                if points is None:
                    continue
                for entrant, own, won in zip(table, points, match_points(points), strict=True):
                    sums[entrant].match_points += won
                    sums[entrant].points += own
                    sums[entrant].most += 2 * sum(points) // len(points)
                    sums[entrant].opponents.update(other for other in table if other != entrant)
        return sums

    def _direct(self, group: Collection[int]) -> Counter[int]:
        """The match points of each entrant of ``group`` against the others of it."""
        direct: Counter[int] = Counter()
        for played in self.played:
            for table, points in played:
                if points is None:
                    continue
                inside = [(entrant, own) for entrant, own in zip(table, points, strict=True) if entrant in group]
                for (entrant, own), (other, theirs) in combinations(inside, 2):
                    direct[entrant] += (own > theirs) * 2 + (own == theirs)
                    direct[other] += (theirs > own) * 2 + (own == theirs)
        return direct

    def standings(self, among: Collection[int] | None = None) -> list[Standing]:
        """The standings of all entrants, or of those ``among`` whom to rank, by ``TIE_BREAKS``."""
        everyone = sorted(range(len(self.entrants)) if among is None else set(among))
        by_points: dict[int, list[int]] = {}
        for entrant in everyone:
            by_points.setdefault(self._sums[entrant].match_points, []).append(entrant)
        lot = {entrant: place for place, entrant in enumerate(self.lots)}
        rows: list[Standing] = []
        for total in sorted(by_points, reverse=True):
            group = frozenset(by_points[total])
            direct = self._direct(group) if len(group) > 1 else Counter[int]()
            shares = {entrant: (direct[entrant], self._share(entrant), self._opponents(entrant)) for entrant in group}
            for entrant in sorted(group, key=lambda entrant: (*(-value for value in shares[entrant]), lot[entrant])):
                rows.append(Standing(entrant, len(rows) + 1, total, *shares[entrant], self._sums[entrant].byes))
        return rows

    def _share(self, entrant: int) -> Fraction:
        sums = self._sums[entrant]
        return Fraction(sums.points, sums.most) if sums.most else Fraction(0)

    def _opponents(self, entrant: int) -> Fraction:
        opponents = self._sums[entrant].opponents
        total = sum(self._sums[opponent].match_points * count for opponent, count in opponents.items())
        return Fraction(total, opponents.total()) if opponents else Fraction(0)
