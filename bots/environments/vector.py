"""Thousands of games at once for one learner: a ``gymnasium.vector.VectorEnv`` on the accelerator (``games.fast``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from bots.environments.environment import REWARDS
from games.chance import SEED_BYTES
from games.fast.batch import NO_ACTION, Batch, Outcomes
from games.registry import GAMES

Numbers = npt.NDArray[np.float32]
Masks = npt.NDArray[np.bool_]
Actions = npt.NDArray[np.int64]

BatchPolicy = Callable[[Numbers, Masks, np.random.Generator], Actions]
"""Chooses a legal action per row, from observations (rows, size) and masks (rows, actions)."""


def uniform(observations: Numbers | None, masks: Masks, random: np.random.Generator) -> Actions:  # noqa: ARG001
    """Choose each legal action with the same probability. Rows without a legal action get any number."""
    legal, counts = np.flatnonzero(masks), np.count_nonzero(masks, axis=1)
    places = np.cumsum(counts) - counts + (random.random(len(masks)) * counts).astype(np.int64)
    chosen: Actions = legal.take(places, mode="clip") % masks.shape[1] if len(legal) else np.zeros_like(counts)
    return chosen


class GameVectorEnv(VectorEnv[Numbers, Actions, Any]):
    """``num_envs`` games of one format. In each, the learner has a random seat.

    ``opponents`` plays all other seats. With ``None``, the learner plays every seat, and each step is one of the seat
    that is to play. Observations are flat (``games.learning``), with shape (num_envs, size).

    Every info has ``action_mask``, booleans of shape (num_envs, actions), and ``seat``, the seat that observes, of
    shape (num_envs,). When a game ends, no action is legal, and the reward of the step is that of the learner, or
    without opponents that of the seat that acted; ``info["rewards"]`` has the rewards of all seats, shape (num_envs,
    seats), and ``info["wins"]`` their shares of the win, of the same shape. Without opponents, no seat observes the
    end: ``seat`` is −1, and the observation is zero. The next step ignores the action for the game and deals a new one
    (``AutoresetMode.NEXT_STEP``).
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(
        self,
        game: str,
        num_envs: int = 1024,
        seats: int | None = None,
        rewards: str = "ranks",
        opponents: BatchPolicy | None = uniform,
    ) -> None:
        """``seats`` is by default the smallest number of the game, ``rewards`` as in ``bots.environments.env``.

        Raises ``ImportError`` if the accelerator is not compiled, ``ValueError`` for an unknown game or reward or a
        wrong number of games or seats, and ``TypeError`` for opponents that are not a policy.
        """
        if game not in GAMES:
            raise ValueError(f"unknown game {game!r}; use one of {', '.join(GAMES)}")
        if rewards not in REWARDS:
            raise ValueError(f"unknown rewards {rewards!r}; use one of {', '.join(REWARDS)}")
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, not {num_envs}")
        if opponents is not None and not callable(opponents):
            raise TypeError(
                f"opponents of many games are a policy or None, not {opponents!r}; "
                'for house bots, use gymnasium.make_vec(…, vectorization_mode="sync")'
            )
        seats = min(GAMES[game].seat_counts) if seats is None else seats
        highs = np.array(GAMES[game].encoding(seats).highs, dtype=np.float32)
        self._batch = Batch(game, seats, np.zeros((num_envs, SEED_BYTES), dtype=np.uint8))
        self._by_ranks, self._opponents = rewards == "ranks", opponents
        self.num_envs = num_envs
        self.single_observation_space = spaces.Box(np.zeros_like(highs), highs, dtype=np.float32)
        self.single_action_space = spaces.Discrete(self._batch.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seats = self._observers = np.zeros(num_envs, dtype=np.int8)
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Deal all games again. ``seed`` determines them and all later ones. Raises ``ValueError`` for ``options``."""
        if options:
            raise ValueError(f"unknown options: {', '.join(options)}")
        super().reset(seed=seed)
        self._deal(np.arange(self.num_envs))
        self._let_opponents_play()
        return self._observed()

    def step(
        self, actions: Actions
    ) -> tuple[Numbers, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Take one action per game. Raises ``ValueError`` with the number of a game whose action is illegal.

        Raises ``TypeError`` for actions that are not integers, and ``ValueError`` for a wrong number of them. Then no
        game has changed.
        """
        acted, over, actions = self._observers, self._over, np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise TypeError(f"actions are integers, not {actions.dtype}")
        if actions.shape != (self.num_envs,):
            raise ValueError(f"{self.num_envs} games need as many actions, not an array of shape {actions.shape}")
        self._batch.step(np.where(over, NO_ACTION, actions))
        self._deal(np.flatnonzero(over))
        self._let_opponents_play()
        observations, info = self._observed()
        rewards, ended = np.zeros(self.num_envs), np.flatnonzero(self._over)
        if len(ended):
            outcomes = self._batch.copy(ended).outcomes()
            for name in ("rewards", "wins"):
                info[name] = np.zeros((self.num_envs, self._batch.seats))
            info["rewards"][ended] = self._rewards(outcomes)
            first = outcomes.ranks == 1
            info["wins"][ended] = first / first.sum(axis=1, keepdims=True)
            rewards[ended] = info["rewards"][ended, acted[ended]]
        return observations, rewards, self._over.copy(), np.zeros(self.num_envs, dtype=np.bool_), info

    def _deal(self, games: Actions) -> None:
        if len(games):
            seeds = np.frombuffer(self.np_random.bytes(len(games) * SEED_BYTES), dtype=np.uint8)
            self._batch.deal(games, seeds.reshape(-1, SEED_BYTES))
            self._seats[games] = self.np_random.integers(self._batch.seats, size=len(games))

    def _let_opponents_play(self) -> None:
        """Take actions of the opponents until the learner is to play in every game that is not over."""
        if self._opponents is None:
            return
        while len(waiting := np.flatnonzero(((seats := self._batch.to_play) >= 0) & (seats != self._seats))):
            games = self._batch.copy(waiting)
            observations: Any = None if self._opponents is uniform else games.observations()
            actions = np.full(self.num_envs, NO_ACTION, dtype=np.int64)
            actions[waiting] = self._opponents(observations, games.masks(), self.np_random)
            self._batch.step(actions)

    def _rewards(self, outcomes: Outcomes) -> npt.NDArray[np.float64]:
        """The rewards of these games by seat, as ``bots.environments.REWARDS`` gives them."""
        rewards: npt.NDArray[np.float64]
        ranks, scores = outcomes
        if self._by_ranks:
            behind = (ranks[:, None, :] > ranks[:, :, None]).sum(axis=2, dtype=np.float64)
            ahead = (ranks[:, None, :] < ranks[:, :, None]).sum(axis=2)
            rewards = (behind - ahead) / (self._batch.seats - 1)
        else:
            rewards = scores[:, :, 0] - scores[:, :, 0].mean(axis=1, keepdims=True, dtype=np.float64)
        return rewards

    def _observed(self) -> tuple[Numbers, dict[str, Any]]:
        to_play = self._batch.to_play
        self._over = to_play < 0
        self._observers = to_play if self._opponents is None else self._seats.copy()
        info = {"action_mask": self._batch.masks(), "seat": self._observers.copy()}
        return self._batch.observations(self._observers), info
