"""One seat of any game as a Gymnasium environment. House bots of this process play the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from operator import index
from typing import Any, Final, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt
from gymnasium import Env
from gymnasium.error import ResetNeeded

from bots.environments.environment import ILLEGAL_REWARD, RENDER_MODES, Observation, raw_env
from bots.house.catalogue import HOUSE, HouseBot
from bots.house.inside import HousePlayer, Maker, load, player
from games.registry import GAMES
from games.rules import State

FORMS: Final = ("flat", "dict")
"""The forms of an observation: only the numbers, or the numbers and the mask as in :class:`Observation`."""

ILLEGAL: Final = ("end", "raise")
"""What happens for an illegal action: the game ends, or the environment raises ``ValueError``."""


class SingleAgentEnv(Env[npt.NDArray[np.float32] | Observation, np.int64]):
    """One seat of a game. ``gymnasium.make("steinreich/Duel-v0", opponents="greedy")`` creates one.

    ``info`` has ``action_mask``, with 1 for every legal action, and ``seat``, the seat of the learner. The reward is 0
    until the game ends, and then that of the PettingZoo environment. Games are never truncated. After ``reset``,
    ``table`` is the state of the game, including secrets.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        game: str,
        opponents: str | Sequence[str] = "random",
        seats: int | None = None,
        seat: int | None = None,
        rewards: str = "ranks",
        observation: Literal["flat", "dict"] = "flat",
        illegal_actions: Literal["end", "raise"] = "end",
        render_mode: str | None = None,
    ) -> None:
        """``opponents`` names one house bot for all other seats, or one per seat, clockwise from the learner.

        ``seats`` is by default one more than the names, or for a single name the smallest number of the game. ``seat``
        is by default random in each game. ``rewards`` and ``render_mode`` are those of ``bots.environments.env``.
        ``observation`` is one of ``FORMS`` and ``illegal_actions`` one of ``ILLEGAL``: an illegal action ends the game
        with the reward −1, or raises ``ValueError``, which changes nothing.

        Raises ``ValueError`` for an unknown value or a wrong number of opponents.
        """
        if seats is None and not isinstance(opponents, str) and game in GAMES:
            seats = len(opponents) + 1 if len(opponents) + 1 in GAMES[game].seat_counts else None
        self._agents = raw_env(game, seats, rewards, render_mode)
        self.encoding = self._agents.encoding
        self.opponents = _opponents(game, self.encoding.seats, opponents)
        for name in self.opponents:
            _program(name)
        if seat is not None and not 0 <= seat < self.encoding.seats:
            raise ValueError(f"unknown seat {seat}; use 0 to {self.encoding.seats - 1}, or None for a random one")
        if observation not in FORMS:
            raise ValueError(f"unknown observation {observation!r}; use one of {', '.join(FORMS)}")
        if illegal_actions not in ILLEGAL:
            raise ValueError(f"unknown illegal_actions {illegal_actions!r}; use one of {', '.join(ILLEGAL)}")
        self.render_mode = render_mode
        self._seat, self._flat, self._raises = seat, observation == "flat", illegal_actions == "raise"
        self.action_space = self._agents.action_space("seat_0")
        seen: Any = self._agents.observation_space("seat_0")
        self.observation_space = seen["observation"] if self._flat else seen
        self._over = True

    @property
    def table(self) -> State:
        """The state of the game, including secrets."""
        return self._agents.table

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a new game. ``seed`` determines it and all later ones. Raises ``ValueError`` for ``options``."""
        if options:
            raise ValueError(f"unknown options: {', '.join(options)}")
        super().reset(seed=seed)
        seats = self.encoding.seats
        self._agents.reset(seed=int(self.np_random.integers(2**63)))
        drawn = int(self.np_random.integers(seats))
        self.seat = drawn if self._seat is None else self._seat
        seeds = self.np_random.bytes(32)
        self._players: dict[int, HousePlayer] = {
            other: player(self._agents.slug, _program(name), seats, other, seeds)
            for place, name in enumerate(self.opponents, start=1)
            for other in [(self.seat + place) % seats]
        }
        self._read = [0] * seats
        self._let_opponents_play()
        return self._observed()

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action of the learner. The opponents play until it is asked again, or the game is over.

        Raises ``TypeError`` for a value that is not an integer and ``ResetNeeded`` if the game is over.
        """
        if self._over:
            raise ResetNeeded("the game is over; call reset() for a new one")
        legal = self._agents.legal_actions()
        if self._raises or not isinstance(action, SupportsIndex) or index(action) in legal:
            self._agents.step(action)  # type: ignore[arg-type]  # raises TypeError for another type
            self._let_opponents_play()
            observation, info = self._observed()
            reward = float(self._agents.rewards[self._agents.possible_agents[self.seat]]) if self._over else 0.0
        else:
            self._over = True
            observation, info = self._observed()
            info["legal_actions"], reward = legal, ILLEGAL_REWARD
        return observation, reward, self._over, False, info

    def legal_actions(self) -> list[int]:
        """Return the legal actions, ascending. Empty if the game is over."""
        return [] if self._over else self._agents.legal_actions()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are legal, shape (actions,). MaskablePPO of sb3-contrib calls this method."""
        mask = np.zeros(len(self.encoding.actions), dtype=np.bool_)
        mask[self.legal_actions()] = True
        return mask

    def render(self) -> Any:
        """Return the text of the PettingZoo environment, or ``None`` without a render mode."""
        return self._agents.render()

    def _let_opponents_play(self) -> None:
        table = self._agents.table
        while table.pending and (seat := table.pending[0]) != self.seat:
            log = table.entries(seat, self._read[seat])
            self._read[seat] += len(log)
            self._agents.play(self._players[seat].choose(table.decision(seat), table.view(seat), log))
        self._over = not table.pending

    def _observed(self) -> tuple[Any, dict[str, Any]]:
        seen = self._agents.observe(self._agents.possible_agents[self.seat])
        if self._over:
            seen["action_mask"][:] = 0
        info = {"action_mask": seen["action_mask"].copy(), "seat": self.seat}
        return seen["observation"] if self._flat else seen, info


@cache
def _program(name: str) -> tuple[HouseBot, Maker]:
    return HOUSE[name], load(HOUSE[name])


def _opponents(game: str, seats: int, opponents: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the bots of all seats but one. Raises ``ValueError`` for a wrong name or number of them."""
    names = (opponents,) * (seats - 1) if isinstance(opponents, str) else tuple(opponents)
    possible = [name for name, bot in HOUSE.items() if bot.plays(game, seats)]
    for name in names:
        if name not in possible:
            raise ValueError(f"unknown opponent {name!r} for {game} with {seats} seats; use {', '.join(possible)}")
    if len(names) != seats - 1:
        counts = ", ".join(map(str, GAMES[game].seat_counts))
        raise ValueError(
            f"opponents has {len(names)} names, but {seats} seats need {seats - 1}; pass one name for all of them, or "
            f"one per seat ({game} has {counts} seats)"
        )
    return names
