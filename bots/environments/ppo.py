"""Train a policy by self-play on many games at once: ``python -m bots.environments.ppo [GAME]``.

It uses PPO (Schulman et al. 2017) with generalized advantage estimation (Schulman et al. 2016), Adam (Kingma and Ba
2015) and only NumPy. One network plays all seats. From the observation, it computes the logits of the actions and the
expected reward of the seat.

A rollout has ``LENGTH`` steps of each game. The arrays of a rollout have shape (steps, games, …).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from time import process_time
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bots.environments.vector import GameVectorEnv, uniform
from bots.house.catalogue import HOUSE
from bots.house.inside import load, player
from bots.intervals import wilson
from games.learning import Chosen
from games.registry import GAMES
from games.rules import Document, Move

Array = npt.NDArray[np.float32]
Weights = list[Array]

GAMES_AT_ONCE: Final = 1024
LENGTH: Final = 64
WARM_UP: Final = 512
"""Random steps before the training: they measure the inputs and rewards, and the games no longer run in parallel."""

HIDDEN: Final = (128, 128)
EPOCHS: Final = 2
MINIBATCH: Final = 4096
RATE: Final = 1e-3
"""The first learning rate of Adam. It falls linearly to a twentieth."""

TRACE: Final = 0.97
"""Lambda of the advantage estimation. Rewards are not discounted."""

CLIP: Final = 0.2
ENTROPY: Final = 0.01
VALUE: Final = 0.5
MAX_NORM: Final = 0.5
MAX_REWARD: Final = 3.0
"""Limit of a reward in standard deviations of the rewards of random games."""


class Network:
    """A network with rectified linear units. Its last output is the value, all others are the logits of the actions."""

    def __init__(self, inputs: int, actions: int, random: np.random.Generator) -> None:
        sizes = (inputs, *HIDDEN)
        self.mean, self.scale = np.zeros(inputs, np.float32), np.ones(inputs, np.float32)
        self.weights: Weights = []
        for size, units in zip(sizes, HIDDEN, strict=False):
            self.weights += [_normal(random, (2 / size) ** 0.5, size, units), np.zeros(units, np.float32)]
        self.weights += [_normal(random, 0.01, HIDDEN[-1], actions + 1), np.zeros(actions + 1, np.float32)]

    def forward(self, observations: Array) -> tuple[Weights, Array, Array]:
        """Return the inputs of each layer, the logits with shape (rows, actions), and the values with shape (rows,)."""
        inputs = [(observations - self.mean) * self.scale]
        for layer in range(0, len(self.weights) - 2, 2):
            inputs.append(np.maximum(inputs[-1] @ self.weights[layer] + self.weights[layer + 1], 0))
        outputs: Any = inputs[-1] @ self.weights[-2] + self.weights[-1]
        return inputs, outputs[:, :-1], outputs[:, -1]

    def gradient(self, inputs: Weights, outputs: Array) -> Weights:
        """Return the gradient of the weights from that of the ``outputs``, the logits and the value of each row."""
        gradient: Weights = []
        for layer in range(len(self.weights) - 2, -1, -2):
            below = inputs[layer // 2]
            gradient = [below.T @ outputs, outputs.sum(axis=0), *gradient]
            outputs = (outputs @ self.weights[layer].T) * (below > 0)
        return gradient

    def layers(self) -> list[tuple[Array, Array]]:
        """Return matrix and bias of each layer for the numbers of an observation as they are, without the value.

        A matrix has shape (outputs, inputs).
        """
        first = self.weights[0] * self.scale[:, None]
        weights = [first, self.weights[1] - self.mean @ first, *self.weights[2:]]
        weights[-2:] = [weights[-2][:, :-1], weights[-1][:-1]]
        return [(weights[layer].T, weights[layer + 1]) for layer in range(0, len(weights), 2)]

    def save(self, path: Path) -> None:
        """Write :meth:`layers` as JSON: a list of pairs ``[matrix, bias]``."""
        layers = [[_rounded(matrix), _rounded(bias)] for matrix, bias in self.layers()]
        path.write_text(json.dumps(layers, separators=(",", ":")), encoding="utf-8")

    def choose(self, view: Document, decision: Document) -> Move:
        """Return the move of the most probable actions, one after the other."""
        encoding = GAMES[view["game"]].encoding(view["seats"])
        chosen: Chosen = ()
        while options := encoding.options(decision, chosen):
            seen = np.array([encoding.observation(view, decision, chosen)], np.float32)
            chosen = (*chosen, options[int(self.forward(seen)[1][0, options].argmax())])
        return encoding.compose(decision, chosen)


class Adam:
    """The optimizer Adam with a limit of the norm of a gradient."""

    def __init__(self, weights: Weights) -> None:
        self.weights, self.steps = weights, 0
        self.moments = [(np.zeros_like(array), np.zeros_like(array)) for array in weights]

    def step(self, gradient: Weights, rate: float) -> None:
        """Change the weights in place, against the gradient."""
        self.steps += 1
        norm = sum(float((array * array).sum()) for array in gradient) ** 0.5
        limit = np.float32(min(1.0, MAX_NORM / (norm + 1e-8)))
        factor = np.float32(rate * (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps))
        for weights, (mean, square), array in zip(self.weights, self.moments, gradient, strict=True):
            array *= limit
            mean += np.float32(0.1) * (array - mean)
            square += np.float32(0.001) * (array * array - square)
            weights -= factor * mean / (np.sqrt(square) + np.float32(1e-6))


class Rollout:
    """Steps of all games. ``rewards`` has shape (steps, games, seats), in units of the training.

    ``seats`` is −1 for a step that only deals a new game. ``likely`` is the logarithm of the probability of the action.
    """

    def __init__(self, games: int, seats: int, size: int, actions: int) -> None:
        shape = (LENGTH, games)
        self.observations = np.zeros((*shape, size), np.float32)
        self.masks = np.zeros((*shape, actions), np.bool_)
        self.seats = np.zeros(shape, np.int8)
        self.actions = np.zeros(shape, np.int64)
        self.likely, self.values, self.advantages = (np.zeros(shape, np.float32) for _ in range(3))
        self.rewards = np.zeros((*shape, seats), np.float32)
        self.ended = np.zeros(shape, np.bool_)


class Training:
    """Self-play of one format. Equal seeds give equal policies on the same machine."""

    def __init__(self, game: str, seats: int | None, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.games = GameVectorEnv(game, GAMES_AT_ONCE, seats, rewards="scores", opponents=None)
        self.observations, self.info = self.games.reset(seed=seed)
        self.seats = min(GAMES[game].seat_counts) if seats is None else seats
        size, actions = self.observations.shape[1], self.info["action_mask"].shape[1]
        self.rollout = Rollout(GAMES_AT_ONCE, self.seats, size, actions)
        self.network = Network(size, actions, self.random)
        self.adam = Adam(self.network.weights)
        self._warm_up()

    def _warm_up(self) -> None:
        """Play at random. Measure the mean and the spread of each input, and the spread of the rewards."""
        inputs = np.zeros((3, self.observations.shape[1]))
        rewards: list[npt.NDArray[np.float64]] = []
        for _ in range(WARM_UP):
            seen = self.observations[self.info["seat"] >= 0]
            inputs += [np.full(seen.shape[1], len(seen)), seen.sum(axis=0), (seen * seen).sum(axis=0)]
            actions = uniform(None, self.info["action_mask"], self.random)
            self.observations, _, ended, _, self.info = self.games.step(actions)
            rewards += [self.info["rewards"][ended]] if ended.any() else []
        mean = inputs[1] / inputs[0]
        self.network.mean = mean.astype(np.float32)
        self.network.scale = (1 / (np.sqrt(np.maximum(inputs[2] / inputs[0] - mean**2, 0)) + 0.05)).astype(np.float32)
        self.spread = float(np.std(np.concatenate(rewards)))

    def collect(self) -> None:
        """Play a rollout with the present policy, and estimate the advantages."""
        rollout, rows = self.rollout, np.arange(self.games.num_envs)
        for step in range(LENGTH):
            rollout.observations[step], rollout.masks[step] = self.observations, self.info["action_mask"]
            rollout.seats[step] = self.info["seat"]
            _, logits, rollout.values[step] = self.network.forward(self.observations)
            likely = _log_softmax(logits, rollout.masks[step])
            drawn = (likely + self.random.gumbel(size=likely.shape).astype(np.float32)).argmax(axis=1)
            rollout.actions[step], rollout.likely[step] = drawn, likely[rows, drawn]
            self.observations, _, rollout.ended[step], _, self.info = self.games.step(drawn)
            rollout.rewards[step] = np.clip(self.info.get("rewards", 0.0) / self.spread, -MAX_REWARD, MAX_REWARD)
        self._estimate()

    def _estimate(self) -> None:
        """Estimate the advantage of every action from the later values of the same seat, from the last step back.

        After the last step, only the value of one seat is known. The others share what it loses.
        """
        rollout, seats = self.rollout, self.info["seat"]
        later = np.zeros((self.games.num_envs, self.seats), np.float32)
        trace = np.zeros_like(later)
        playing = np.flatnonzero(seats >= 0)
        value = self.network.forward(self.observations)[2][playing]
        later[playing] = -value[:, None] / (self.seats - 1)
        later[playing, seats[playing]] = value
        for step in range(LENGTH - 1, -1, -1):
            ended = rollout.ended[step]
            later[ended], trace[ended] = rollout.rewards[step][ended], 0
            playing = np.flatnonzero(rollout.seats[step] >= 0)
            places = playing, rollout.seats[step][playing]
            value = rollout.values[step][playing]
            trace[places] = later[places] - value + np.float32(TRACE) * trace[places]
            later[places] = value
            rollout.advantages[step][playing] = trace[places]

    def learn(self, rate: float) -> None:
        """Improve the policy and the values with the steps of the rollout."""
        places = np.argwhere(self.rollout.seats >= 0)
        for _ in range(EPOCHS):
            self.random.shuffle(places)
            for start in range(0, len(places) - MINIBATCH // 2, MINIBATCH):
                self.adam.step(self.gradient(tuple(places[start : start + MINIBATCH].T)), rate)

    def gradient(self, places: Any) -> Weights:
        """Return the gradient of the loss of PPO at these ``places``, a pair of step and game numbers."""
        rollout, rows = self.rollout, np.arange(len(places[0]))
        actions, advantages, masks = rollout.actions[places], rollout.advantages[places], rollout.masks[places]
        inputs, logits, values = self.network.forward(rollout.observations[places])
        likely = _log_softmax(logits, masks)
        probabilities = np.exp(likely)
        ratio = np.exp(likely[rows, actions] - rollout.likely[places])
        normal = (advantages - advantages.mean()) / (advantages.std() + np.float32(1e-8))
        weight = normal * ratio * np.where(normal > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        entropy = -(probabilities * likely).sum(axis=1, keepdims=True)
        outputs = np.empty((len(rows), logits.shape[1] + 1), np.float32)
        outputs[:, :-1] = probabilities * (weight[:, None] + np.float32(ENTROPY) * (likely + entropy))
        outputs[rows, actions] -= weight
        outputs[:, -1] = np.float32(VALUE) * (values - rollout.values[places] - advantages)
        outputs /= np.float32(len(rows))
        return self.network.gradient(inputs, outputs)


def train(game: str, seats: int | None = None, steps: int = 4_000_000, seed: int = 1, verbose: bool = False) -> Network:
    """Train a policy by self-play, with at least ``steps`` steps, and return its network.

    ``seats`` is by default the smallest number of the game. Raises ``ImportError`` if the accelerator is not compiled,
    and ``ValueError`` for a game or a number of seats that does not exist.
    """
    training, began = Training(game, seats, seed), process_time()
    rollouts = -(-steps // (LENGTH * GAMES_AT_ONCE))
    for number in range(1, rollouts + 1):
        training.collect()
        training.learn(RATE * max(1 - number / rollouts, 0.05))
        if verbose and (number % 20 == 0 or number == rollouts):
            played = number * LENGTH * GAMES_AT_ONCE
            print(f"{played:,} steps in {process_time() - began:.0f} s of CPU time", flush=True)
    return training.network


class Block(NamedTuple):
    """The results of a policy on one deal, which it plays in each seat in turn: means over these games.

    ``wins`` is the share of wins, where a win that *k* seats share counts 1/*k*. ``lead`` is the difference from the
    mean score of the opponents, in the unit of the game.
    """

    wins: float
    lead: float


def evaluate(game: str, seats: int | None, network: Network, opponent: str, blocks: int, seed: int = 1) -> list[Block]:
    """Play blocks against a house bot in all other seats."""
    seats = min(GAMES[game].seat_counts) if seats is None else seats
    bot = HOUSE[opponent], load(HOUSE[opponent])
    encoding, results = GAMES[game].encoding(seats), []
    for block in range(blocks):
        deal, wins, leads = sha256(f"evaluate/{seed}/{block}".encode()).digest(), 0.0, 0.0
        for own in range(seats):
            state, read = GAMES[game].new(seats, deal), [0] * seats
            others = {seat: player(game, bot, seats, seat, deal) for seat in range(seats) if seat != own}
            while state.pending:
                seat = state.pending[0]
                view, decision = state.view(seat), state.decision(seat)
                if seat == own:
                    state.play(seat, network.choose(view, decision))
                else:
                    log = state.entries(seat, read[seat])
                    read[seat] += len(log)
                    state.play(seat, others[seat].choose(decision, view, log))
            assert state.outcome is not None
            ranks, scores = state.outcome["ranks"], list(map(encoding.score, state.outcome["scores"]))
            wins += (ranks[own] == 1) / ranks.count(1)
            leads += scores[own] - (sum(scores) - scores[own]) / (seats - 1)
        results.append(Block(wins / seats, leads / seats))
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and evaluate a policy, save it, and print the results."""
    parser = argparse.ArgumentParser(prog="python -m bots.environments.ppo", description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="edel-stein-reich-duel", choices=GAMES)
    parser.add_argument("--seats", type=int, help="number of seats (default: the minimum of the game)")
    parser.add_argument("--steps", type=int, default=4_000_000, help="number of training steps (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the training (default: %(default)s)")
    parser.add_argument("--save", type=Path, metavar="FILE", help="file for the weights, as JSON")
    parser.add_argument("--against", nargs="*", default=["random"], metavar="NAME", help="house bots to play against")
    parser.add_argument("--blocks", type=int, default=100, help="number of blocks per house bot (default: %(default)s)")
    options = parser.parse_args(arguments)
    network = train(options.game, options.seats, options.steps, options.seed, verbose=True)
    if options.save:
        network.save(options.save)
    for name in options.against:
        blocks = evaluate(options.game, options.seats, network, name, options.blocks)
        wins, leads = fmean(block.wins for block in blocks), fmean(block.lead > 0 for block in blocks)
        low, high = wilson(leads, len(blocks))
        print(f"{name}: leads in {leads:.1%} ({low:.1%}-{high:.1%}) of {len(blocks)} blocks, wins {wins:.1%} of games")


def _normal(random: np.random.Generator, spread: float, *shape: int) -> Array:
    return random.normal(0, spread, shape).astype(np.float32)


def _rounded(array: Array) -> Any:
    return [[float(f"{number:.4g}") for number in row] for row in array] if array.ndim == 2 else array.tolist()


def _log_softmax(logits: Array, masks: npt.NDArray[np.bool_]) -> Array:
    """Return the logarithms of the probabilities of the legal actions, about −10,000 for all others."""
    logits = np.where(masks, logits, np.float32(-1e4))
    logits -= logits.max(axis=1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return logits


if __name__ == "__main__":
    main()
