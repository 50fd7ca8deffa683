"""Results against the opponents that were met most often, and by the own seat: a heat map with its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ladder.models import Entry, Ladder, PairTally, VersionTally
from ladder.pairings.seatings import games_at_a_seat, games_of_a_deal
from ladder.statistics.pair_share import PairShare, pair_share
from ladder.statistics.tallies import SeatPoints, added_seats

SHOWN: Final = 8
"""Opponents on a bot's page; the others stand where all of them do."""


@dataclass(frozen=True)
class Cell:
    """The share of opponents beaten in some games, with its interval over blocks."""

    share: PairShare
    games: int


@dataclass(frozen=True)
class Row:
    """Against ``opponent``, or everybody (``None``): in all games, and by the own seat, ``None`` where it never sat."""

    opponent: Entry | None
    total: Cell | None
    seats: Sequence[Cell | None]


@dataclass(frozen=True)
class HeatMap:
    """A row for everybody and one for each of the ``SHOWN`` that it met most often; ``more`` says there are others."""

    everybody: Row
    opponents: Sequence[Row]
    more: bool

    @property
    def rows(self) -> list[Row]:
        """All rows, everybody first."""
        return [self.everybody, *self.opponents]

    @property
    def seats(self) -> range:
        """The numbers of the seats, from 1."""
        return range(1, len(self.everybody.seats) + 1)


def heat_map(entry: Entry, season: int, tallies: Iterable[VersionTally]) -> HeatMap | None:
    """The map of ``entry`` in a season, whose ``tallies`` are all of its versions; ``None`` before a block is over.

    One query.
    """
    own: SeatPoints = []
    total = [0, 0, 0]
    for tally in tallies:
        own = added_seats(own, tally.seats)
        total = [total[0] + tally.games, total[1] + tally.points, total[2] + tally.squares]
    if not own:
        return None
    met = PairTally.objects.filter(season=season, entry=entry).select_related("opponent__bot__owner")
    found = list(met.order_by("-games", "opponent")[: SHOWN + 1])
    ladder, others = entry.ladder, entry.ladder.seats - 1
    games = games_of_a_deal(ladder.seats, live=ladder.live)
    everybody = Row(None, _cell(total, games, others), _cells(own, ladder, others))
    return HeatMap(everybody, [_against(tally, ladder) for tally in found[:SHOWN]], len(found) > SHOWN)


def _against(tally: PairTally, ladder: Ladder) -> Row:
    total = pair_share(tally.blocks, tally.share_sum, tally.share_squares)
    return Row(tally.opponent, Cell(total, tally.games), _cells(tally.seats, ladder, 1))


def _cells(points: SeatPoints, ladder: Ladder, opponents: int) -> list[Cell | None]:
    games = games_at_a_seat(ladder.seats, live=ladder.live)
    return [_cell(its, games, opponents) for its in points]


def _cell(points: Sequence[int], games: int, opponents: int) -> Cell | None:
    """From games, half points and squares, where every block has so many ``games`` against so many ``opponents``."""
    played, half, squares = points
    if not played:
        return None
    most = 2 * games * opponents
    return Cell(pair_share(played // games, half / most, squares / most**2), played)
