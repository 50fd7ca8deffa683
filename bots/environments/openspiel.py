"""The games as Python games of OpenSpiel: ``import bots.environments.openspiel`` registers them with ``pyspiel``.

``pyspiel.load_game("steinreich_duel")`` then loads the duel. ``NAMES`` lists all names. The parameters are ``players``,
``rewards`` as in ``bots.environments.env``, and ``deals``: the first action of a game is the number of its deal, chosen
by chance. All later chance follows from the deal, so equal actions give equal games. No player sees its number.

A move is a sequence of actions, and simultaneous choices are made one after the other and stay secret, as in the
PettingZoo environments. This module needs the package ``open_spiel``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Any, Final

import numpy as np
import pyspiel

from bots.environments import SHORT_NAMES
from bots.environments.environment import REWARDS, GameEnvironment, raw_env
from games.registry import GAMES

NAMES: Final = {slug: f"steinreich_{name.replace('-', '_')}" for slug, name in SHORT_NAMES.items()}
"""The name of each game in OpenSpiel, by slug."""

DEALS: Final = 10_000
"""The default number of deals."""

MAX_ACTIONS: Final = 10_000
"""More actions than any game has."""


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """One game with one number of players. There is a class for each ``slug``."""

    slug: str

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        self.deals = int(params.get("deals", DEALS))
        self.first = raw_env(self.slug, params.get("players"), params.get("rewards", "ranks"))
        encoding = self.first.encoding
        most = 1.0 if self.first.reward is REWARDS["ranks"] else 10_000.0
        information = pyspiel.GameInfo(
            num_distinct_actions=len(encoding.actions),
            max_chance_outcomes=self.deals,
            num_players=encoding.seats,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=MAX_ACTIONS,
        )
        super().__init__(_game_type(self.slug), information, params)

    def new_initial_state(self) -> OpenSpielState:
        return OpenSpielState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> OpenSpielObserver:
        if kind is not None and kind.perfect_recall:
            raise ValueError("there are only observations, not information states with perfect recall")
        if params:
            raise ValueError(f"unknown parameters of an observer: {params}")
        return OpenSpielObserver(self.first)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A state, including secrets. ``agents`` is the PettingZoo environment that plays, ``None`` before the deal."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.agents: GameEnvironment | None = None
        self.make = partial(raw_env, game.first.slug, game.first.encoding.seats, _reward_name(game.first))
        self.deals = game.deals

    def current_player(self) -> int:
        if self.agents is None:
            return int(pyspiel.PlayerId.CHANCE)
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self.agents.possible_agents.index(self.agents.agent_selection)

    def _legal_actions(self, player: int) -> list[int]:
        return self.agents.legal_actions() if self.agents and player == self.current_player() else []

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return [(deal, 1 / self.deals) for deal in range(self.deals)]

    def _apply_action(self, action: int) -> None:
        if self.agents is None:
            self.agents = self.make()
            self.agents.reset(seed=int.from_bytes(sha256(f"openspiel/{action}".encode()).digest()))
        else:
            self.agents.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if player == pyspiel.PlayerId.CHANCE else self.make().encoding.actions[action]

    def is_terminal(self) -> bool:
        return self.agents is not None and not self.agents.table.pending

    def returns(self) -> list[float]:
        if self.agents is None or not self.is_terminal():
            return [0.0] * self.num_players()
        return [float(self.agents.rewards[agent]) for agent in self.agents.possible_agents]

    def __str__(self) -> str:
        return " ".join(map(str, self.history()))


class OpenSpielObserver:
    """Observations as ``tensor`` and by section in ``dict``, as :mod:`pyspiel` calls them."""

    def __init__(self, agents: GameEnvironment) -> None:
        self.tensor = np.zeros(agents.encoding.size, np.float32)
        self.dict, start = {}, 0
        for section in agents.encoding.sections:
            self.dict[section.name] = self.tensor[start : start + section.size]
            start += section.size

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Fill ``tensor`` with the observation of ``player``, zeros before the deal."""
        agents = state.agents
        self.tensor[:] = 0 if agents is None else agents.observe(agents.possible_agents[player])["observation"]

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the sections of the observation of ``player`` that are not zero."""
        self.set_from(state, player)
        return "; ".join(f"{name}: {part.round(4).tolist()}" for name, part in self.dict.items() if part.any())


def _reward_name(agents: GameEnvironment) -> str:
    return next(name for name, reward in REWARDS.items() if reward is agents.reward)


def _game_type(slug: str) -> Any:
    game = GAMES[slug]
    return pyspiel.GameType(
        short_name=NAMES[slug],
        long_name=game.name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(game.seat_counts),
        min_num_players=min(game.seat_counts),
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": min(game.seat_counts), "rewards": "ranks", "deals": DEALS},
    )


for _slug in GAMES:  # a class each, because the registry cannot destroy other callables when Python ends
    pyspiel.register_game(_game_type(_slug), type(NAMES[_slug], (OpenSpielGame,), {"slug": _slug}))
