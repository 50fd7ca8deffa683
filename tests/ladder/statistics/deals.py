"""Blocks drawn from a model in which everything is known: strengths, what seats are worth, and what the deal gives."""

from __future__ import annotations

from random import Random

from bots.tournaments.seatings import seatings
from ladder.statistics.blocks import PlayedBlock, PlayedGame


def ranks_of(scores: list[float]) -> tuple[int, ...]:
    """Competition ranks, the highest score first."""
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def block_of(
    players: tuple[int, ...], strengths: dict[int, float], seats: tuple[float, ...], luck: float, random: Random
) -> PlayedBlock:
    """The games of one deal, which gives each seat ``luck`` times a standard normal, the same in every game.

    A player's own luck in a game is another standard normal.
    """
    hands = [luck * random.gauss(0, 1) for _ in players]
    games = []
    for seating in seatings(len(players)):
        there = tuple(players[player] for player in seating)
        scores = [
            strengths[player] + seats[seat] + hands[seat] + random.gauss(0, 1) for seat, player in enumerate(there)
        ]
        games.append(PlayedGame(there, ranks_of(scores)))
    return PlayedBlock(games)


def blocks_of(
    number: int, count: int, seats: tuple[float, ...], luck: float, random: Random, spread: float = 0.5
) -> list[PlayedBlock]:
    """``count`` blocks among ``number`` players whose strengths have this standard deviation."""
    strengths = {player: random.gauss(0, spread) for player in range(number)}
    return [
        block_of(tuple(random.sample(range(number), len(seats))), strengths, seats, luck, random) for _ in range(count)
    ]
