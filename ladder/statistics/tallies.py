"""What finished blocks add up to: by player, version and seat, by pair of players, and how all of them play."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from games.statistics import Figures
from ladder.ratings.shares import win_shares
from ladder.statistics.blocks import PlayedBlock, PlayedGame, beaten, half_points
from ladder.statistics.habits import HabitSums, added_habits, of_block

SeatPoints = list[list[int]]
"""By seat from 0: games, half points, and the sum over blocks of the square of a block's half points."""


@dataclass
class SeatSum:
    """What a version reached at a seat; units as in ``ladder.models.SeatTally``."""

    games: int = 0
    win_shares: int = 0
    points: int = 0
    forfeits: int = 0
    figures: Figures = field(default_factory=dict)


@dataclass
class PairSum:
    """What a player reached against another; units as in ``ladder.models.PairTally``."""

    games: int = 0
    points: int = 0
    blocks: int = 0
    share_sum: float = 0.0
    share_squares: float = 0.0
    bought: int = 0
    paid: int = 0
    sold: int = 0
    received: int = 0
    seats: SeatPoints = field(default_factory=list)


@dataclass
class VersionSum:
    """How a version played; units as in ``ladder.models.VersionTally``."""

    blocks: int = 0
    games: int = 0
    points: int = 0
    squares: int = 0
    habits: HabitSums = field(default_factory=dict)
    seats: SeatPoints = field(default_factory=list)


@dataclass
class Sums:
    """``seats`` by player, version and seat from 0; ``pairs`` by player and opponent.

    ``versions`` are by player and version; ``habits`` are of all players of a block together.
    """

    seats: dict[tuple[int, int, int], SeatSum] = field(default_factory=dict)
    pairs: dict[tuple[int, int], PairSum] = field(default_factory=dict)
    versions: dict[tuple[int, int], VersionSum] = field(default_factory=dict)
    habits: HabitSums = field(default_factory=dict)


def tallied(blocks: Iterable[PlayedBlock]) -> Sums:
    """The sums over ``blocks``; their games must have versions, forfeits, figures and habits."""
    sums = Sums()
    for block in blocks:
        _add_versions(sums, block)
        for game in block.games:
            _add_seats(sums, game)
            _add_exchanges(sums, game)
        for pair in permutations(block.players, 2):
            _add_pair(sums.pairs.setdefault(pair, PairSum()), block, pair)
    return sums


def added(figures: Figures, more: Figures) -> Figures:
    """Figures, stretch by stretch, together; a figure that only one side knows is kept."""
    together = {key: list(numbers) for key, numbers in figures.items()}
    for key, numbers in more.items():
        known = together.get(key, [0] * len(numbers))
        together[key] = [number + other for number, other in zip(known, numbers, strict=True)]
    return together


def added_seats(seats: SeatPoints, more: SeatPoints) -> SeatPoints:
    """Both together, seat by seat; either may be empty."""
    if not seats or not more:
        return [list(seat) for seat in seats or more]
    return [[number + other for number, other in zip(*pair, strict=True)] for pair in zip(seats, more, strict=True)]


def _add_versions(sums: Sums, block: PlayedBlock) -> None:
    """Of every player of a block, and of all together; a version is pinned for the whole block."""
    for player, version in zip(block.players, block.games[0].versions, strict=True):
        version_sum = sums.versions.setdefault((player, version), VersionSum())
        version_sum.blocks += 1
        version_sum.games += len(block.games)
        counted = [game.habits[game.players.index(player)] for game in block.games]
        version_sum.habits = added_habits(version_sum.habits, of_block(counted))
        points = [half_points(game.ranks)[game.players.index(player)] for game in block.games]
        version_sum.points += sum(points)
        version_sum.squares += sum(points) ** 2
        version_sum.seats = added_seats(version_sum.seats, _by_seat(block, player, points))
    everybody = [seat for game in block.games for seat in game.habits]
    sums.habits = added_habits(sums.habits, of_block(everybody))


def _add_seats(sums: Sums, game: PlayedGame) -> None:
    points, shares = half_points(game.ranks), win_shares(game.ranks)
    for seat, (player, version) in enumerate(zip(game.players, game.versions, strict=True)):
        seat_sum = sums.seats.setdefault((player, version, seat), SeatSum())
        seat_sum.games += 1
        seat_sum.win_shares += shares[seat]
        seat_sum.points += points[seat]
        seat_sum.forfeits += game.forfeits[seat]
        seat_sum.figures = added(seat_sum.figures, game.figures[seat])


def _add_exchanges(sums: Sums, game: PlayedGame) -> None:
    for exchange in game.exchanges:
        buyer, seller = game.players[exchange.buyer], game.players[exchange.seller]
        bought = sums.pairs.setdefault((buyer, seller), PairSum())
        bought.bought += 1
        bought.paid += exchange.price
        sold = sums.pairs.setdefault((seller, buyer), PairSum())
        sold.sold += 1
        sold.received += exchange.price


def _add_pair(pair_sum: PairSum, block: PlayedBlock, pair: tuple[int, int]) -> None:
    won = [beaten(game, *pair) for game in block.games]
    share = sum(won) / len(won)
    pair_sum.games += len(won)
    pair_sum.points += round(2 * sum(won))
    pair_sum.blocks += 1
    pair_sum.share_sum += share
    pair_sum.share_squares += share * share
    pair_sum.seats = added_seats(pair_sum.seats, _by_seat(block, pair[0], [round(2 * score) for score in won]))


def _by_seat(block: PlayedBlock, player: int, points: Sequence[int]) -> SeatPoints:
    """The half ``points`` that the games of ``block`` brought to ``player``, by its seat."""
    seats = [[0, 0] for _ in block.players]
    for game, number in zip(block.games, points, strict=True):
        seat = seats[game.players.index(player)]
        seat[0] += 1
        seat[1] += number
    return [[games, number, number * number] for games, number in seats]
