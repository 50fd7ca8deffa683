"""Games of all numbers of seats at once, with the inputs and actions of one network (``games.network``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bots.environments.vector import Actions, GameVectorEnv, Masks, Numbers
from games.network import inputs, largest_encoding

Seats = npt.NDArray[np.int64]


class Seen(NamedTuple):
    """What the seats to play see. ``seats`` is −1 for a game that is over, whose other values mean nothing."""

    inputs: Numbers
    """Shape (games, inputs)."""
    masks: Masks
    """Shape (games, actions)."""
    seats: Seats
    """Shape (games,)."""


class Ended(NamedTuple):
    """The results of the games that a step ended, with 0 for seats that do not exist."""

    games: Seats
    """Shape (ended,)."""
    wins: Numbers
    """Shares of the win by seat; shape (ended, most seats)."""
    leads: Numbers
    """Differences from the mean score by seat, in the unit of the game; shape (ended, most seats)."""


class Games:
    """``games`` games, as many as possible of each of the ``seat_counts``. They begin again when they end."""

    def __init__(self, game: str, games: int, seat_counts: Sequence[int], seed: int) -> None:
        largest = largest_encoding(game)
        self.most_seats, self.actions, self.size = largest.seats, len(largest.actions), largest.size
        self._each = games // len(seat_counts)
        self._envs = [GameVectorEnv(game, self._each, seats, "scores", opponents=None) for seats in seat_counts]
        self._places = [np.array(inputs(game, seats)) for seats in seat_counts]
        self._seen = [env.reset(seed=seed * 100 + seats) for env, seats in zip(self._envs, seat_counts, strict=True)]
        self.seat_counts: Seats = np.repeat(seat_counts, self._each)

    def __len__(self) -> int:
        return len(self.seat_counts)

    def seen(self) -> Seen:
        """Return what the seats to play see, in new arrays."""
        numbers = np.zeros((len(self), self.size), np.float32)
        masks = np.zeros((len(self), self.actions), np.bool_)
        seats = np.empty(len(self), np.int64)
        for number, (observations, info) in enumerate(self._seen):
            part = slice(number * self._each, (number + 1) * self._each)
            numbers[part, self._places[number]] = observations
            masks[part, : info["action_mask"].shape[1]] = info["action_mask"]
            seats[part] = info["seat"]
        return Seen(numbers, masks, seats)

    def step(self, actions: Actions) -> Ended:
        """Take one action per game. A game that was over is dealt again instead."""
        games, wins, leads = [], [], []
        for number, env in enumerate(self._envs):
            first = number * self._each
            observations, _, ended, _, info = env.step(actions[first : first + self._each])
            self._seen[number] = observations, info
            if ended.any():
                games.append(first + np.flatnonzero(ended))
                lacking = ((0, 0), (0, self.most_seats - info["wins"].shape[1]))
                wins.append(np.pad(info["wins"][ended], lacking))
                leads.append(np.pad(info["rewards"][ended], lacking))
        if not games:
            none = np.zeros((0, self.most_seats), np.float32)
            return Ended(np.zeros(0, np.int64), none, none)
        shares, differences = (np.concatenate(each).astype(np.float32) for each in (wins, leads))
        return Ended(np.concatenate(games), shares, differences)
