"""PettingZoo environment of any game, with rewards by ranks or scores. The rewards of a game add up to zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from operator import index
from typing import Any, Final, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from games.chance import SEED_BYTES
from games.fast.batch import Batch
from games.fast.library import FAMILIES
from games.game import Game
from games.learning import Chosen, Encoding
from games.record import accelerator
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


# --- Engines ---------------------------------------------------------------------------------------------------------


class _Plain:
    """A game on the reference engine, with the actions of its current move.

    ``seat`` is the seat to play, −1 if the game is over, and ``options`` are its legal actions, ascending.
    """

    def __init__(self, table: State, encoding: Encoding) -> None:
        self.table, self.encoding = table, encoding
        self._ask()

    def _ask(self) -> None:
        """Ask the first seat that owes a decision. If there is none, the game is over."""
        pending = self.table.pending
        self.seat = pending[0] if pending else -1
        self.decision = self.table.decision(self.seat) if pending else None
        self.chosen: Chosen = ()
        self._views: dict[int, Document] = {}
        self.options = self.encoding.options(self.decision, ()) if self.decision else []

    def act(self, action: int) -> None:
        """Add the action and all actions without an alternative to the move. Play the move if it is complete."""
        assert self.decision is not None
        self.options = [action]
        while len(self.options) == 1:
            self.chosen = (*self.chosen, *self.options)
            self.options = self.encoding.options(self.decision, self.chosen)
        if not self.options:
            self.play(self.encoding.compose(self.decision, self.chosen))

    def play(self, move: Move) -> None:
        self.table.play(self.seat, move)
        self._ask()

    def observe(self, seat: int) -> npt.NDArray[np.float32]:
        if seat not in self._views:
            self._views[seat] = self.table.view(seat)
        asked = (self.decision, self.chosen) if seat == self.seat else (None, ())
        return np.array(self.encoding.observation(self._views[seat], *asked), dtype=np.float32)

    @property
    def outcome(self) -> Document | None:
        return self.table.outcome


class _Fast:
    """The same game on the accelerator, in a copy of ``games``. It has no table."""

    def __init__(self, games: Batch, seed: bytes) -> None:
        self._games = games.copy()
        self._games.deal(np.zeros(1, dtype=np.int64), np.frombuffer(seed, dtype=np.uint8)[np.newaxis])
        self._single = self._games.single(0)
        self._chosen = self._games.fields["chosen_count"]
        self.observe = self._single.observe
        self._ask(self._single.refresh())

    def _ask(self, count: int) -> None:
        self.seat = self._single.seat()
        self.options = list(self._single.options[:count])

    def act(self, action: int) -> None:
        self._ask(self._single.act(action))

    def play(self, move: Move, reference: _Plain) -> None:
        """Play a whole move of which no action is chosen, also on the reference engine, which checks it."""
        canonical = reference.table.check(reference.seat, move)
        assert reference.decision is not None
        actions = reference.encoding.sequence(reference.decision, canonical)
        reference.play(canonical)
        count = self._single.act(actions[0])
        while taken := self._chosen[0]:  # with the actions that have no alternative
            count = self._single.act(actions[taken])
        self._ask(count)

    @property
    def outcome(self) -> Document:
        (ranks,), (rows,) = (array.tolist() for array in self._games.outcomes())
        return {"ranks": ranks, "scores": [FAMILIES[self._games.game].score(row) for row in rows]}


@cache
def _batch(slug: str, seats: int) -> Batch | None:
    """Return a batch of one game to copy, or ``None`` if the accelerator is not used or does not fit the game."""
    if accelerator() is None or slug not in FAMILIES:
        return None
    try:
        return Batch(slug, seats, np.zeros((1, SEED_BYTES), dtype=np.uint8))
    except RuntimeError:  # the game has other components now
        return None


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

    ``encoding`` describes the numbers. The accelerator plays the game, if it is compiled.
    """

    _engine: _Plain | _Fast
    _plain: _Plain | None
    _ahead: list[int]  # the actions that the accelerator has played and `_plain` has not

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
        actions, highs = len(self.encoding.actions), np.array(self.encoding.highs, dtype=np.float32)
        numbers, mask = spaces.Box(0 * highs, highs), spaces.Box(0, 1, (actions,), dtype=np.int8)
        seen: spaces.Space[Any] = spaces.Dict({"observation": numbers, "action_mask": mask})
        acting: spaces.Space[Any] = spaces.Discrete(actions)
        self.observation_spaces = {agent: deepcopy(seen) for agent in self.possible_agents}
        self.action_spaces = {agent: deepcopy(acting) for agent in self.possible_agents}
        highs = np.tile(highs, self.encoding.seats)
        self.state_space = spaces.Box(0 * highs, highs)
        self._random = np.random.default_rng()

    @property
    def game(self) -> Game:
        """The game of this environment. Copies and pickles contain only its slug."""
        return GAMES[self.slug]

    @property
    def table(self) -> State:
        """The state of the game after the steps so far, including secrets. Do not change it.

        The accelerator has no state of this kind, so the reference engine repeats the steps since the last request.
        """
        return self._reference().table

    def _reference(self) -> _Plain:
        if self._plain is None:
            self._plain = _Plain(self.game.new(self.encoding.seats, self._seed), self.encoding)
        for action in self._ahead:
            self._plain.act(action)
        self._ahead.clear()
        return self._plain

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles finish their game on the reference engine, since those of C exist only in a process."""
        if "_engine" not in self.__dict__:  # no game was dealt
            return self.__dict__
        reference = self._reference()
        return {**self.__dict__, "_engine": reference}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    # --- the cycle ------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a new game. ``seed`` determines this game and later games without a seed. Ignores ``options``."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self._seed = self._random.bytes(SEED_BYTES)
        self._plain, self._ahead = None, []
        games = _batch(self.slug, self.encoding.seats)
        self._engine = self._reference() if games is None else _Fast(games, self._seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._select()

    def step(self, action: int | None) -> None:
        """Take an action of the selected agent, or ``None`` if its game is over.

        Raises ``ValueError`` for a masked action and ``TypeError`` for a value that is not an integer. Then nothing has
        changed.
        """
        agent, engine = self.agent_selection, self._engine
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        try:
            number = index(action)  # type: ignore[arg-type]  # raises TypeError for None
        except TypeError:
            kind = type(action).__name__
            raise TypeError(f"an action of {agent} is an integer, not {kind}; see legal_actions()") from None
        if number not in engine.options:
            possible = ", ".join(f"{option} {self.encoding.actions[option]!r}" for option in engine.options)
            raise ValueError(f"illegal action {number} for {agent}; legal actions: {possible}")
        engine.act(number)
        if engine is not self._plain:
            self._ahead.append(number)
        self._advance(agent)

    def play(self, move: Move) -> None:
        """Play a whole move of the selected agent, as bots answer it. It replaces the actions chosen so far.

        Raises ``IllegalMove``, which changes nothing, and ``LookupError`` if the game is over.
        """
        reference = self._reference()
        if isinstance(self._engine, _Fast) and not reference.chosen:
            self._engine.play(move, reference)
        else:  # the accelerator cannot undo actions, so the reference engine plays the rest of the game
            reference.play(move)
            self._engine = reference
        self._advance(self.agent_selection)

    def _advance(self, agent: str) -> None:
        """Follow the engine after an action of ``agent``."""
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        """Select the agent that is to play. If there is none, the game is over."""
        if self._engine.options:
            self.agent_selection = self.possible_agents[self._engine.seat]
            return
        outcome = self._engine.outcome
        assert outcome is not None
        self.rewards = dict(zip(self.agents, self.reward(outcome, self.encoding), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._deads_step_first()

    # --- what can be seen -----------------------------------------------------------------------

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the selected agent, ascending. Empty if the game is over."""
        return [] if self.terminations.get(self.agent_selection, True) else list(self._engine.options)

    def state(self) -> npt.NDArray[np.float32]:
        """Return the observations of all agents, one after the other. No single agent may see them."""
        return np.concatenate([self.observe(agent)["observation"] for agent in self.possible_agents])

    def observe(self, agent: str) -> Observation:
        """Return the observation of ``agent``.

        It includes the actions of the current move only for the selected agent.
        """
        mask = np.zeros(len(self.encoding.actions), dtype=np.int8)
        if agent == self.agent_selection:
            mask[self.legal_actions()] = 1
        return {"observation": self._engine.observe(self.possible_agents.index(agent)), "action_mask": mask}

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
