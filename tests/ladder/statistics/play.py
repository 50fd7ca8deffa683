"""Blocks of real bots, played in this process with the code that the processes run."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from random import Random

from bots.house.catalogue import HOUSE, HouseBot
from bots.house.inside import Maker, load, played_inside
from bots.tournaments.seatings import seatings
from games.registry import GAMES
from ladder.statistics.blocks import PlayedBlock, PlayedGame
from tests.ladder.statistics.conspirator import Conspirator

GAME = "edel-stein-reich"
HONEST = ("random", "greedy", "miser", "magpie", "gambler", "haggler", "stickler", "kontor")
CONSPIRATORS = ("feeder", "friend")

Cast = dict[str, tuple[HouseBot, Maker]]


def cast(names: Sequence[str]) -> Cast:
    """The bots of these names, ready to sit down."""
    return {
        name: (HouseBot(name, name, "", "", (name,)), Conspirator)
        if name in CONSPIRATORS
        else (HOUSE[name], load(HOUSE[name]))
        for name in names
    }


def played_block(table: Sequence[str], numbers: Sequence[int], bots: Cast, seed: bytes) -> PlayedBlock:
    """One deal in all seatings; ``numbers`` are what the players are called in the block."""
    games = []
    for seating in seatings(len(table)):
        state = played_inside(GAME, [bots[table[player]] for player in seating], seed)
        assert state.outcome is not None
        players = tuple(numbers[player] for player in seating)
        games.append(
            PlayedGame(players, tuple(state.outcome["ranks"]), GAMES[state.rules.slug].statistics.exchanges(state))
        )
    return PlayedBlock(games)


def played_blocks(names: Sequence[str], count: int, seats: int = 4) -> list[PlayedBlock]:
    """``count`` blocks among all of ``names``, every pair as often as possible as every other; the seeds are fixed."""
    bots, random = cast(names), Random(13)
    met = dict.fromkeys(combinations(range(len(names)), 2), 0)
    blocks = []
    for number in range(count):
        table = least_met(met, len(names), seats, random)
        seed = sha256(f"feeding/{number}".encode()).digest()
        blocks.append(played_block([names[player] for player in table], table, bots, seed))
    return blocks


def least_met(met: dict[tuple[int, int], int], players: int, seats: int, random: Random) -> tuple[int, ...]:
    """A table whose pairs have met least, and note that they meet."""
    tables = list(combinations(range(players), seats))
    random.shuffle(tables)
    table = min(tables, key=lambda table: sum(met[pair] for pair in combinations(table, 2)))
    for pair in combinations(table, 2):
        met[pair] += 1
    return table
