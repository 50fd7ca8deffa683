"""PettingZoo environment of any game, with rewards by ranks or scores. The rewards of a game add up to zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import index
from typing import Any, Final, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from games.game import Game
from games.learning import Chosen, Encoding
from games.registry import GAMES
from games.rules import Document, Move, State

# --- Rewards ---------------------------------------------------------------------------------------------------------


def of_ranks(outcome: Document, encoding: Encoding) -> list[float]:
    """Return by seat (opponents behind − opponents ahead) / opponents: 1 for beating all, −1 for losing to all."""
    ranks, opponents = outcome["ranks"], encoding.seats - 1
    return [(sum(other > rank for other in ranks) - sum(other < rank for other in ranks)) / opponents for rank in ranks]


def of_scores(outcome: Document, encoding: Encoding) -> list[float]:
    """Return by seat the score minus the mean score, in the unit of the game (millions or points)."""
    scores = [encoding.score(score) for score in outcome["scores"]]
    mean = sum(scores) / len(scores)
    return [score - mean for score in scores]


REWARDS: Final[dict[str, Callable[[Document, Encoding], list[float]]]] = {"ranks": of_ranks, "scores": of_scores}
"""The reward functions by name."""


# --- Environments ----------------------------------------------------------------------------------------------------

ILLEGAL_REWARD: Final = -1.0
"""The reward of an agent for a masked action in ``env``. The action ends the game; all other agents get 0."""

RENDER_MODES: Final = ("ansi",)

Thing = TypeVar("Thing")


class Observation(TypedDict):
    """The observation of an agent: an array of numbers from 0 up, and a mask with 1 for every legal action.

    The mask contains only zeros for agents other than the selected one.
    """

    observation: npt.NDArray[np.float32]
    action_mask: npt.NDArray[np.int8]


class GameEnvironment(AECEnv[str, Observation, int | None]):
    """One game as an environment. Its agents are ``seat_0``, ``seat_1`` and so on.

    ``encoding`` describes the numbers. After ``reset``, ``table`` is the state of the game, including secrets.
    """

    table: State

    def __init__(
        self, game: str, seats: int | None = None, rewards: str = "ranks", render_mode: str | None = None
    ) -> None:
        """Take the same arguments as :func:`env`."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.slug = _named(game, GAMES, "game").slug
        self.encoding = self.game.encoding(min(self.game.seat_counts) if seats is None else seats)
        self.reward = _named(rewards, REWARDS, "rewards")
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ValueError(f"unknown render_mode {render_mode!r}; use None or {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{game.replace('-', '_')}_v{self.game.rules.version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.encoding.seats)]
        self.agents = []
        self.observation_spaces = {agent: self._seen() for agent in self.possible_agents}
        self.action_spaces = {agent: self._acting() for agent in self.possible_agents}
        highs = np.array(self.encoding.highs * self.encoding.seats, dtype=np.float32)
        self.state_space = spaces.Box(np.zeros_like(highs), highs, dtype=np.float32)
        self._random = np.random.default_rng()

    @property
    def game(self) -> Game:
        """The game of this environment. Copies and pickles contain only its slug."""
        return GAMES[self.slug]

    def _acting(self) -> spaces.Space[Any]:
        return spaces.Discrete(len(self.encoding.actions))

    def _seen(self) -> spaces.Space[Any]:
        highs = np.array(self.encoding.highs, dtype=np.float32)
        return spaces.Dict(
            {
                "observation": spaces.Box(np.zeros_like(highs), highs, dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (len(self.encoding.actions),), dtype=np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    # --- the cycle ------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a new game. ``seed`` determines this game and later games without a seed. Ignores ``options``."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.table = self.game.new(self.encoding.seats, self._random.bytes(32))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._ask()

    def step(self, action: int | None) -> None:
        """Take an action of the selected agent, or ``None`` if its game is over.

        Raises ``ValueError`` for a masked action and ``TypeError`` for a value that is not an integer. Then nothing has
        changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        try:
            number = index(action)  # type: ignore[arg-type]  # raises TypeError for None
        except TypeError:
            kind = type(action).__name__
            raise TypeError(f"an action of {agent} is an integer, not {kind}; see legal_actions()") from None
        if number not in self._options:
            possible = ", ".join(f"{option} {self.encoding.actions[option]!r}" for option in self._options)
            raise ValueError(f"illegal action {number} for {agent}; legal actions: {possible}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._choose(number)
        self._accumulate_rewards()

    def play(self, move: Move) -> None:
        """Play a whole move of the selected agent, as bots answer it. It replaces the actions chosen so far.

        Raises ``IllegalMove``, which changes nothing, and ``LookupError`` if the game is over.
        """
        agent = self.agent_selection
        self.table.play(self.possible_agents.index(agent), move)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._ask()
        self._accumulate_rewards()

    def _ask(self) -> None:
        """Select the first agent that owes a decision. If there is none, the game is over."""
        self._views: dict[int, Document] = {}
        self._decision: Document | None = None
        self._chosen: Chosen = ()
        self._options: list[int] = []
        if not self.table.pending:
            self._end()
            return
        seat = self.table.pending[0]
        self.agent_selection = self.possible_agents[seat]
        self._decision = self.table.decision(seat)
        self._options = self.encoding.options(self._decision, ())

    def _choose(self, action: int) -> None:
        """Add the action and all actions without an alternative to the move. Play the move if it is complete."""
        assert self._decision is not None
        following = [action]
        while len(following) == 1:
            self._chosen = (*self._chosen, *following)
            following = self.encoding.options(self._decision, self._chosen)
        self._options = following
        if not following:
            self.table.play(self._decision["seat"], self.encoding.compose(self._decision, self._chosen))
            self._ask()

    def _end(self) -> None:
        outcome = self.table.outcome
        assert outcome is not None
        self.rewards = dict(zip(self.agents, self.reward(outcome, self.encoding), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    # --- what can be seen -----------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the selected agent, ascending. Empty if the game is over."""
        return [] if self.terminations.get(self.agent_selection, True) else list(self._options)

    def state(self) -> npt.NDArray[np.float32]:
        """Return the observations of all agents, one after the other. No single agent may see them."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def observe(self, agent: str) -> Observation:
        """Return the observation of ``agent``.

        It includes the actions of the current move only for the selected agent.
        """
        seat = self.possible_agents.index(agent)
        if seat not in self._views:
            self._views[seat] = self.table.view(seat)
        mask = np.zeros(len(self.encoding.actions), dtype=np.int8)
        asked = self._decision is not None and agent == self.agent_selection
        if asked:
            mask[self._options] = 1
        numbers = self.encoding.observation(
            self._views[seat], self._decision if asked else None, self._chosen if asked else ()
        )
        return {"observation": np.array(numbers, dtype=np.float32), "action_mask": mask}

    def render(self) -> str | None:
        """Return the current chapter of the move list as a spectator sees it, or ``None`` without a render mode."""
        if self.render_mode is None:
            return None
        chapter = self.game.presentation.story(self.table.log(None), self.possible_agents)[-1]
        return "\n".join([chapter.title, *(f"  {sentence}" for sentence in chapter.sentences)])

    def close(self) -> None:
        """Do nothing: the environment has no open resources."""


def raw_env(
    game: str, seats: int | None = None, rewards: str = "ranks", render_mode: str | None = None
) -> GameEnvironment:
    """Return :func:`env` without wrappers: a masked action raises ``ValueError`` and changes nothing."""
    return GameEnvironment(game, seats, rewards, render_mode)


def env(
    game: str, seats: int | None = None, rewards: str = "ranks", render_mode: str | None = None
) -> AECEnv[str, Observation, int | None]:
    """Return an environment of the game with the slug ``game``, with the usual wrappers of PettingZoo.

    ``seats`` is by default the smallest seat count of the game. ``rewards`` is ``"ranks"`` or ``"scores"``
    (``REWARDS``). ``render_mode`` is ``None`` or ``"ansi"``. Raises ``ValueError`` for an invalid argument. A masked
    action ends the game.
    """
    table = wrappers.TerminateIllegalWrapper(raw_env(game, seats, rewards, render_mode), ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(table))


def _named(name: str, things: Mapping[str, Thing], what: str) -> Thing:
    """Return the item with this name. Raises ``ValueError`` if there is none."""
    if name not in things:
        raise ValueError(f"unknown {what} {name!r}; use one of {', '.join(things)}")
    return things[name]
