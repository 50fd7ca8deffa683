"""Choices of house bots, from which clones learn."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bots.environments.vector import Actions
from bots.house.catalogue import HOUSE
from bots.house.inside import HousePlayer, load, player
from games.learning import Chosen
from games.network import inputs, largest_encoding
from games.registry import GAMES
from games.rules import Document, Move

HOUSE_BOTS: Final = {
    "edel-stein-reich": ("greedy", "haggler", "kontor"),
    "edel-stein-reich-duel": ("greedy", "haggler", "kontor"),
    "die-weinhaendler": ("vintner", "sommelier"),
}
"""House bots that are imitated, by game. The strongest is last."""

RANDOM_MOVES: Final = 0.1
"""Share of random moves in games between house bots, so that a clone also sees positions that house bots avoid."""


class Examples(NamedTuple):
    """Choices of a house bot."""

    inputs: npt.NDArray[np.float16]
    """Shape (rows, inputs)."""
    masks: npt.NDArray[np.uint8]
    """Packed booleans of the legal actions; shape (rows, actions / 8)."""
    actions: Actions
    """Shape (rows,)."""

    def rows(self, rows: Any) -> Examples:
        """Return some of the examples."""
        return Examples(*(array[rows] for array in self))


class Watched:
    """A house bot in a game, whose choices become examples."""

    def __init__(self, game: str, seats: int, inner: HousePlayer) -> None:
        self._encoding, self._inner, self._places = GAMES[game].encoding(seats), inner, list(inputs(game, seats))
        self._size, self._actions = largest_encoding(game).size, len(largest_encoding(game).actions)
        self.examples: list[tuple[Any, Any, int]] = []

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Move:
        """Return the move of the house bot, and keep it."""
        move = self._inner.choose(decision, view, log)
        chosen: Chosen = ()
        for action in self._encoding.sequence(decision, move):
            row, mask = np.zeros(self._size, np.float16), np.zeros(self._actions, np.bool_)
            row[self._places] = self._encoding.observation(view, decision, chosen)
            mask[self._encoding.options(decision, chosen)] = True
            self.examples.append((row, np.packbits(mask), action))
            chosen = (*chosen, action)
        return move


def joined(watched: Iterable[Watched]) -> Examples:
    """Return the examples of some players."""
    rows, masks, actions = zip(*(example for each in watched for example in each.examples), strict=True)
    return Examples(np.array(rows), np.array(masks), np.array(actions, np.int64))


def first_examples(game: str, name: str, least: int) -> Examples:
    """Let a house bot play against all house bots of ``HOUSE_BOTS``."""
    watched: list[Watched] = []
    for seed, seats in enumerate(cycle(GAMES[game].seat_counts)):
        if sum(len(each.examples) for each in watched) >= least:
            break
        random = Random(seed)
        others = random.choices(HOUSE_BOTS[game], k=seats - 1)
        names = random.sample([name, *others], seats) if random.random() < 0.5 else [name] * seats
        deal = random.randbytes(32)
        bots = [(HOUSE[each], load(HOUSE[each])) for each in names]
        players = [Watched(game, seats, player(game, bot, seats, seat, deal)) for seat, bot in enumerate(bots)]
        state, read = GAMES[game].new(seats, deal), [0] * seats
        while state.pending:
            seat = state.pending[0]
            log = state.entries(seat, read[seat])
            read[seat] += len(log)
            move = players[seat].choose(state.decision(seat), state.view(seat), log)
            state.play(seat, state.random_move(seat, random) if random.random() < RANDOM_MOVES else move)
        watched += [each for each, who in zip(players, names, strict=True) if who == name]
    return joined(watched)
