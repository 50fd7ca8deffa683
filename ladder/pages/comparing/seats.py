"""What two bots reached at each seat: against each other, and against everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.models import Ladder, PairTally, VersionTally
from ladder.pairings.seatings import games_at_a_seat
from ladder.statistics.pair_share import PairShare, pair_share


@dataclass(frozen=True)
class SeatShare:
    """The share of points at one seat, with its interval over blocks."""

    share: PairShare
    games: int


@dataclass(frozen=True)
class SeatRow:
    """A seat from 0; each of the two may not have sat there yet."""

    seat: int
    direct: tuple[SeatShare | None, SeatShare | None]
    everybody: tuple[SeatShare | None, SeatShare | None]


def seat_rows(
    ladder: Ladder, direct: Sequence[PairTally | None], everybody: Sequence[Sequence[VersionTally]]
) -> list[SeatRow]:
    """A row a seat: of each of the two its tally against the other, and the tallies of its versions. No queries."""
    rows = []
    in_a_block = games_at_a_seat(ladder.seats, live=ladder.live)
    for seat in range(ladder.seats):
        against = [_at(seat, [its] if its else [], in_a_block, 1) for its in direct]
        overall = [_at(seat, tallies, in_a_block, ladder.seats - 1) for tallies in everybody]
        rows.append(SeatRow(seat, (against[0], against[1]), (overall[0], overall[1])))
    return rows


def _at(
    seat: int, tallies: Sequence[PairTally] | Sequence[VersionTally], in_a_block: int, opponents: int
) -> SeatShare | None:
    """What some tallies come to at one seat."""
    numbers = [its.seats[seat] for its in tallies if its.seats]
    games, points, squares = (sum(its[place] for its in numbers) for place in range(3))
    return _share(in_a_block, games, points, squares, opponents)


def _share(in_a_block: int, games: int, points: int, squares: int, opponents: int) -> SeatShare | None:
    """From half points and the sum over blocks of the square of a block's; ``None`` without a game."""
    blocks, most = games // in_a_block, 2 * opponents * in_a_block
    return SeatShare(pair_share(blocks, points / most, squares / most**2), games) if blocks else None
