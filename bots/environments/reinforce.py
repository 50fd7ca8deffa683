"""Example: train a linear policy by self-play, ``python -m bots.environments.reinforce``.

It uses REINFORCE (Williams 1992) with Adam (Kingma and Ba 2015) and only numpy. Every action has a weight for every
number of the observation. A softmax over the legal actions selects an action. After each batch of games, the actions of
the better games become more probable. It can train on any game of the registry; small games need less than a minute.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

import numpy as np
import numpy.typing as npt

from bots.environments.environment import GameEnvironment, Observation, raw_env
from bots.intervals import wilson
from games.registry import GAMES

Array = npt.NDArray[np.float32]

BATCH: Final = 16
"""Number of games between two training steps."""

RATE: Final = 0.02
MOMENTUM: Final = 0.9
SCALE_MOMENTUM: Final = 0.999


@dataclass(frozen=True, slots=True)
class Act:
    """One selected action: the observation, the legal actions, their probabilities, and the selected index."""

    observation: Array
    possible: npt.NDArray[np.intp]
    likely: Array
    drawn: int


class LinearPolicy:
    """A policy with one weight per action and number of an observation. With zero weights it is uniform."""

    def __init__(self, actions: int, size: int) -> None:
        self.weights: Array = np.zeros((actions, size), dtype=np.float32)

    def act(self, seen: Observation, random: np.random.Generator) -> Act:
        """Select a random legal action with the probabilities of the policy."""
        possible = np.flatnonzero(seen["action_mask"])
        logits = self.weights[possible] @ seen["observation"]
        likely = np.exp(logits - logits.max())
        likely /= likely.sum()
        drawn = min(int(np.searchsorted(np.cumsum(likely), random.random())), len(possible) - 1)
        return Act(seen["observation"], possible, likely, drawn)

    def gradient(self, acts: Sequence[Act]) -> Array:
        """Return the gradient of the log probability of these actions."""
        gradient = np.zeros_like(self.weights)
        for act in acts:
            missing = -act.likely
            missing[act.drawn] += 1
            gradient[act.possible] += np.outer(missing, act.observation)
        return gradient


class Adam:
    """The optimizer Adam. ``rate`` is approximately the maximum change of a weight per step."""

    def __init__(self, weights: Array, rate: float) -> None:
        self.weights = weights
        self.rate = rate
        self.mean = np.zeros_like(weights)
        self.square = np.zeros_like(weights)
        self.steps = 0

    def step(self, gradient: Array) -> None:
        """Change the weights in place."""
        self.steps += 1
        self.mean += (1 - MOMENTUM) * (gradient - self.mean)
        self.square += (1 - SCALE_MOMENTUM) * (gradient**2 - self.square)
        mean = self.mean / (1 - MOMENTUM**self.steps)
        square = self.square / (1 - SCALE_MOMENTUM**self.steps)
        self.weights += self.rate * mean / (np.sqrt(square) + 1e-8)


def play(
    table: GameEnvironment, policies: Mapping[str, LinearPolicy], seed: int, random: np.random.Generator
) -> tuple[dict[str, float], dict[str, list[Act]]]:
    """Play one game. Return the rewards and the selected actions of every agent."""
    table.reset(seed=seed)
    acts: dict[str, list[Act]] = {agent: [] for agent in table.agents}
    while not table.terminations[agent := table.agent_selection]:
        act = policies[agent].act(table.observe(agent), random)
        acts[agent].append(act)
        table.step(int(act.possible[act.drawn]))
    return dict(table.rewards), acts


def train(game: str, seats: int | None, games: int, seed: int) -> LinearPolicy:
    """Train one policy in ``games`` games against itself, with rewards by scores. Equal seeds give equal policies."""
    table, random = raw_env(game, seats, rewards="scores"), np.random.default_rng(seed)
    policy = LinearPolicy(len(table.encoding.actions), table.encoding.size)
    adam = Adam(policy.weights, RATE)
    everybody = dict.fromkeys(table.possible_agents, policy)
    for _ in range(games // BATCH):
        played = [play(table, everybody, int(random.integers(2**31)), random) for _ in range(BATCH)]
        spread = np.std([reward for rewards, _ in played for reward in rewards.values()]) + 1e-8
        gradient = np.zeros_like(policy.weights)
        for rewards, acts in played:
            for agent, reward in rewards.items():
                gradient += np.float32(reward / spread) * policy.gradient(acts[agent])
        adam.step(gradient / np.float32(BATCH * len(everybody)))
    return policy


def evaluate(game: str, seats: int | None, policy: LinearPolicy, games: int, seed: int) -> float:
    """Return the share of games that ``policy`` wins against uniform policies, in every seat in turn.

    A win that *k* seats share counts 1/*k*.
    """
    table, random = raw_env(game, seats), np.random.default_rng(seed)
    uniform = LinearPolicy(*policy.weights.shape)
    wins = 0.0
    for number in range(games):
        agent = table.possible_agents[number % len(table.possible_agents)]
        rewards, _ = play(table, dict.fromkeys(table.possible_agents, uniform) | {agent: policy}, number, random)
        best = [winner for winner, reward in rewards.items() if reward == max(rewards.values())]
        wins += (agent in best) / len(best)
    return wins / games


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and evaluate a policy, and print the results."""
    parser = argparse.ArgumentParser(
        prog="python -m bots.environments.reinforce", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("game", nargs="?", default="edel-stein-reich-duel", choices=GAMES)
    parser.add_argument("--seats", type=int, help="number of seats (default: the minimum of the game)")
    parser.add_argument("--games", type=int, default=480, help="number of training games (default: %(default)s)")
    parser.add_argument("--trials", type=int, default=200, help="number of evaluation games (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began = perf_counter()
    policy = train(options.game, options.seats, options.games, options.seed)
    print(f"Played {options.games} self-play games in {perf_counter() - began:.1f} s")
    share = evaluate(options.game, options.seats, policy, options.trials, options.seed)
    low, high = wilson(share, options.trials)
    print(f"wins {share:.1%} ({low:.1%}-{high:.1%}) of {options.trials} games against the uniform policy")


if __name__ == "__main__":
    main()
