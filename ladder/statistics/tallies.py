"""What finished blocks add up to: by player, version and seat, and by pair of players."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import permutations

from games.base import Figures
from ladder.ratings.shares import win_shares
from ladder.statistics.blocks import PlayedBlock, PlayedGame, beaten, half_points


@dataclass
class SeatSum:
    """What a version reached at a seat; units as in ``ladder.models.SeatTally``."""

    games: int = 0
    wins: int = 0
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


@dataclass
class Sums:
    """``seats`` by player, version and seat from 0; ``pairs`` by player and opponent."""

    seats: dict[tuple[int, int, int], SeatSum] = field(default_factory=dict)
    pairs: dict[tuple[int, int], PairSum] = field(default_factory=dict)


def tallied(blocks: Iterable[PlayedBlock]) -> Sums:
    """The sums over ``blocks``; their games must have versions, forfeits and figures."""
    sums = Sums()
    for block in blocks:
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
        together[key] = [one + other for one, other in zip(known, numbers, strict=True)]
    return together


def _add_seats(sums: Sums, game: PlayedGame) -> None:
    points, wins = half_points(game.ranks), win_shares(game.ranks)
    for seat, (player, version) in enumerate(zip(game.players, game.versions, strict=True)):
        its = sums.seats.setdefault((player, version, seat), SeatSum())
        its.games += 1
        its.wins += wins[seat]
        its.points += points[seat]
        its.forfeits += game.forfeits[seat]
        its.figures = added(its.figures, game.figures[seat])


def _add_exchanges(sums: Sums, game: PlayedGame) -> None:
    for exchange in game.exchanges:
        buyer, seller = game.players[exchange.buyer], game.players[exchange.seller]
        bought = sums.pairs.setdefault((buyer, seller), PairSum())
        bought.bought += 1
        bought.paid += exchange.price
        sold = sums.pairs.setdefault((seller, buyer), PairSum())
        sold.sold += 1
        sold.received += exchange.price


def _add_pair(its: PairSum, block: PlayedBlock, pair: tuple[int, int]) -> None:
    won = [beaten(game, *pair) for game in block.games]
    share = sum(won) / len(won)
    its.games += len(won)
    its.points += round(2 * sum(won))
    its.blocks += 1
    its.share_sum += share
    its.share_squares += share * share
