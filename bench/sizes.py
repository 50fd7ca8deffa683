"""Stored size of a finished game of four, in bytes."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from bench.contenders import played
from bench.house import FIELDS
from bots.house.catalogue import HOUSE
from bots.house.inside import load, played_inside
from games.compact import pack
from games.game import Game
from games.rules import State

RANDOM_GAMES = 100
HOUSE_GAMES = 12


def of_house_bots(game: Game) -> Iterator[State]:
    """Games of the strongest house bot and three others, each in every seat in turn."""
    strongest, others = FIELDS[game.slug]
    bots = [(HOUSE[name], load(HOUSE[name])) for name in (strongest, *others[:3])]
    for number in range(HOUSE_GAMES):
        shift = number % len(bots)
        yield played_inside(game.slug, [*bots[shift:], *bots[:shift]], sha256(f"bench/{number}".encode()).digest())


def of_random_play(game: Game) -> Iterator[State]:
    """Games of random legal moves."""
    return (played(game, number) for number in range(RANDOM_GAMES))


def sizes(states: Iterator[State]) -> list[int]:
    """The bytes of each record in its compact form."""
    return [len(pack(state.record)) for state in states]
