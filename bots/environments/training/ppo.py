"""Self-play with PPO (Schulman et al. 2017), in PyTorch.

One network plays all seats. It estimates the share of the win and the lead of every seat, so each step of any seat is
evidence for all of them. The targets are TD(λ) returns (Sutton 1988) over the steps of a game. The advantage of an
action is the difference between target and estimate for the seat that acted.

In some games, earlier versions of the network and clones of house bots play the other seats. Otherwise, a network
forgets how to beat them, and finds play that is good against itself only. Only steps of the present version are
learned from.

Arrays of a rollout have shape (steps, games, …). Seats are counted clockwise from the seat that acts ("relative") where
the network is asked, and from 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from bots.environments.training.games import Games, Seats
from bots.environments.training.network import NEVER, PolicyValue
from bots.environments.vector import Actions, Numbers, uniform

STEPS: Final = 64
"""Steps of a rollout in each game."""

WARM_UP: Final = 512
"""Random steps before the training: they measure the inputs and leads, and the games no longer run in parallel."""

MINIBATCH: Final = 8192
RATE: Final = 3e-4
"""The first learning rate of Adam. It falls linearly to 3%."""

VALUES_FIRST: Final = 10
"""Rollouts in which only the estimates of wins and leads are learned: the policy begins as a clone, without them."""

TRACE: Final = 0.98
"""Lambda of the returns. Rewards are not discounted."""

CLIP: Final = 0.2
ENTROPY: Final = (0.01, 0.003)
"""Weights of the entropy of the policy at the start and at the end."""

MAX_NORM: Final = 0.5
MAX_LEAD: Final = 4.0
"""Limit of a lead in standard deviations of the leads of random games."""

EARLIER_VERSIONS: Final = 3
"""Versions of the network that play other seats at one time: the last one stored and others at random."""

SHARE_OF_OTHERS: Final = 0.8
"""Share of the games in which earlier versions and clones play."""

SHARE_OF_CLONES: Final = 0.8
"""Share of clones among them."""

AVERAGED: Final = 40
"""The result of a training is the mean of the weights of about this number of rollouts, the last ones most."""

STORE_EVERY: Final = 10
"""Rollouts between two versions that are stored."""

MOST_STORED: Final = 100


class Rollout:
    """Steps of all games."""

    def __init__(self, games: Games) -> None:
        shape, by_seat = (STEPS, len(games)), (STEPS, len(games), games.most_seats)
        self.inputs = torch.zeros(*shape, games.size)
        self.masks = torch.zeros(*shape, games.actions, dtype=torch.bool)
        self.actions = torch.zeros(shape, dtype=torch.long)
        self.likely = torch.zeros(shape)
        """The logarithm of the probability of the action."""
        self.seats = np.zeros(shape, np.int64)
        self.learned = np.zeros(shape, np.bool_)
        """Whether the present version acted."""
        self.ended = np.zeros(shape, np.bool_)
        self.wins, self.leads = np.zeros(by_seat, np.float32), np.zeros(by_seat, np.float32)
        """The estimates before each step, and then the targets."""
        self.target_wins, self.target_leads = np.zeros(by_seat, np.float32), np.zeros(by_seat, np.float32)


@dataclass
class Progress:
    """The state of a training after some rollouts: what its curve shows. All but ``rollouts`` are of the last one.

    ``entropy`` of the policy in nats; ``surprise`` is the cross-entropy of the wins, in nats per step.
    """

    rollouts: int = 0
    steps: int = 0
    entropy: float = 0.0
    surprise: float = 0.0


class Training:
    """Self-play of one game with all its numbers of seats. Equal seeds give equal networks on the same machine."""

    def __init__(self, games: Games, hidden: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.random = np.random.default_rng(seed)
        self.games, self.rollout = games, Rollout(games)
        self.hidden = hidden
        self.network = self.new_network()
        self.average = self.new_network()
        """The mean of the weights, which is the result: it changes less from rollout to rollout."""
        self.stored: list[dict[str, Any]] = []
        self.clones: list[PolicyValue] = []
        self.others: list[PolicyValue] = []
        self.players = np.zeros((len(games), games.most_seats), np.int64)
        """Who plays each seat: 0 is the present version, *k* is ``others[k - 1]``."""
        self.progress = Progress()
        self._exists = np.arange(games.most_seats) < games.seat_counts[:, None]
        self._warm_up()
        self.average.load_state_dict(self.network.state_dict())
        self.adam = torch.optim.Adam(self.network.parameters(), lr=RATE, eps=1e-5)
        self.store()

    def new_network(self) -> PolicyValue:
        return PolicyValue(self.games.size, self.games.actions, self.games.most_seats, self.hidden)

    def _warm_up(self) -> None:
        """Play at random. Measure the mean and the spread of each input, and the spread of the leads."""
        sums, leads = np.zeros((3, self.games.size)), []
        for _ in range(WARM_UP):
            seen = self.games.seen()
            inputs = seen.inputs[seen.seats >= 0]
            sums += [np.full(self.games.size, len(inputs)), inputs.sum(axis=0), (inputs * inputs).sum(axis=0)]
            ended = self.games.step(uniform(None, seen.masks, self.random))
            leads.append(ended.leads[self._exists[ended.games]])
        self.network.set_scale(*(torch.from_numpy(each / sums[0]) for each in sums[1:]))
        self.spread = float(np.std(np.concatenate(leads)))

    # --- checkpoints ---------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return what :meth:`resume` needs. The games themselves begin again."""
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "adam": self.adam.state_dict(),
            "stored": self.stored,
            "spread": self.spread,
            "progress": self.progress.__dict__,
        }

    def resume(self, state: dict[str, Any]) -> None:
        """Continue from a checkpoint."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.adam.load_state_dict(state["adam"])
        self.stored, self.spread = state["stored"], state["spread"]
        self.progress = Progress(**state["progress"])
        self._choose_others()

    def store(self) -> None:
        """Store the present version, so that it can play as an earlier one. A random one makes room for it."""
        if len(self.stored) >= MOST_STORED:
            del self.stored[self.random.integers(MOST_STORED)]
        self.stored.append({name: array.clone() for name, array in self.network.state_dict().items()})
        self._choose_others()

    def play_against(self, clones: list[PolicyValue]) -> None:
        """Let ``clones`` play other seats, always the same number of them."""
        self.clones = clones
        self._choose_others()

    def begin_as(self, clone: PolicyValue) -> None:
        """Begin with the policy of a clone."""
        for network in (self.network, self.average):
            network.load_state_dict(clone.state_dict())
        self.stored.clear()
        self.store()

    def _choose_others(self) -> None:
        """Choose the earlier versions that play until the next call."""
        versions = (len(self.stored) - 1, *self.random.integers(len(self.stored), size=EARLIER_VERSIONS - 1))
        self.others = [*self.clones, *(self.loaded(self.stored[version]) for version in versions)]

    def loaded(self, state: dict[str, Any]) -> PolicyValue:
        """Return a network with these weights."""
        network = self.new_network()
        network.load_state_dict(state)
        return network

    # --- playing -------------------------------------------------------------------------------------

    @torch.no_grad()
    def collect(self) -> None:
        """Play a rollout with the present policy, and compute the targets."""
        rollout = self.rollout
        for step in range(STEPS):
            seen = self.games.seen()
            inputs, masks = torch.from_numpy(seen.inputs), torch.from_numpy(seen.masks)
            logits, rollout.wins[step], rollout.leads[step] = self._estimates(inputs, seen.seats)
            acting = np.where(seen.seats >= 0, self.players[np.arange(len(self.games)), seen.seats], 0)
            for player in np.unique(acting[acting > 0]):
                rows = torch.from_numpy(np.flatnonzero(acting == player))
                logits[rows] = self.others[player - 1](inputs[rows])[0]
            likely = torch.log_softmax(logits.masked_fill(~masks, NEVER), 1)
            noise = self.random.gumbel(size=tuple(likely.shape)).astype(np.float32)
            actions = (likely + torch.from_numpy(noise)).argmax(1)
            rollout.inputs[step], rollout.masks[step], rollout.actions[step] = inputs, masks, actions
            rollout.likely[step] = likely.gather(1, actions[:, None])[:, 0]
            rollout.seats[step], rollout.learned[step] = seen.seats, (seen.seats >= 0) & (acting == 0)
            self._step(step, actions.numpy())
        seen = self.games.seen()
        _, wins, leads = self._estimates(torch.from_numpy(seen.inputs), seen.seats)
        self._set_targets(wins, leads)

    def _step(self, step: int, actions: Actions) -> None:
        rollout, ended = self.rollout, self.games.step(actions)
        rollout.ended[step] = False
        rollout.ended[step][ended.games] = True
        rollout.target_wins[step][ended.games] = ended.wins
        rollout.target_leads[step][ended.games] = np.clip(ended.leads / self.spread, -MAX_LEAD, MAX_LEAD)
        for game in ended.games:
            self.players[game] = self._seated(int(self.games.seat_counts[game]))

    def _seated(self, seats: int) -> Seats:
        """Choose who plays the seats of a new game."""
        players = np.zeros(self.games.most_seats, np.int64)
        if self.random.random() < SHARE_OF_OTHERS:
            count = 1 if self.random.random() < 0.5 else len(players)
            clone = self.random.random(count) < SHARE_OF_CLONES * bool(self.clones)
            first, last = np.where(clone, 0, len(self.clones)), np.where(clone, len(self.clones), len(self.others))
            players[:] = 1 + self.random.integers(first, last)
            players[self.random.integers(seats)] = 0
        return players

    def _estimates(self, inputs: Any, seats: Seats) -> tuple[Any, Numbers, Numbers]:
        """Return the logits of the actions, and the expected wins and leads by seat."""
        logits, wins, leads = self.network(inputs)
        exists = torch.from_numpy(self._exists)
        places = (np.arange(self.games.most_seats) - seats[:, None]) % self.games.seat_counts[:, None]
        shares = torch.softmax(wins.masked_fill(~exists, NEVER), 1).numpy()
        return logits, *(np.take_along_axis(each, places, 1) * self._exists for each in (shares, leads.numpy()))

    def _set_targets(self, wins: Numbers, leads: Numbers) -> None:
        """Set the targets from the last step back. ``wins`` and ``leads`` are the estimates after the last step."""
        rollout = self.rollout
        for targets, estimates, after in (
            (rollout.target_wins, rollout.wins, wins),
            (rollout.target_leads, rollout.leads, leads),
        ):
            target: Any = after
            for step in range(STEPS - 1, -1, -1):
                ended = rollout.ended[step][:, None]
                targets[step] = np.where(ended, targets[step], (1 - TRACE) * after + TRACE * target)
                after, target = estimates[step], targets[step]

    def _worth(self, wins: Numbers, leads: Numbers) -> Any:
        """Return what the policy maximizes, by seat: half of it is the share of the win, half the lead.

        Wins are in a unit in which their spread in balanced games is similar to that of the leads.
        """
        seats = self.games.seat_counts[:, None]
        return 0.5 * ((wins - 1 / seats) * np.sqrt(2 * seats) + leads)

    # --- learning ------------------------------------------------------------------------------------

    def learn(self, done: float) -> None:
        """Improve the network with the steps of the rollout. ``done`` is the share of the training that is done."""
        rollout = self.rollout
        steps, games = np.nonzero(rollout.learned)
        seats = rollout.seats[steps, games]
        gains = self._worth(rollout.target_wins, rollout.target_leads) - self._worth(rollout.wins, rollout.leads)
        places = (np.arange(self.games.most_seats) + seats[:, None]) % self.games.seat_counts[games][:, None]
        exists = self._exists[games]
        targets = (rollout.target_wins, rollout.target_leads)
        wins, leads = (np.take_along_axis(each[steps, games], places, 1) * exists for each in targets)
        advantages = gains[steps, games, seats].astype(np.float32)
        # Per number of seats: otherwise the one with the largest leads counts most.
        for count in np.unique(self.games.seat_counts):
            same = self.games.seat_counts[games] == count
            advantages[same] = (advantages[same] - advantages[same].mean()) / (advantages[same].std() + 1e-8)
        rows = torch.from_numpy(steps * len(self.games) + games)
        batch = _Batch(rows, *map(torch.from_numpy, (advantages, wins, leads, exists)))
        for group in self.adam.param_groups:
            group["lr"] = RATE * max(1 - done, 0.03)
        entropy = ENTROPY[0] + (ENTROPY[1] - ENTROPY[0]) * done
        for layer in (self.network.first, self.network.second, self.network.policy):
            layer.requires_grad_(self.progress.rollouts >= VALUES_FIRST)
        for part in batch.shuffled(self.random):
            self.adam.zero_grad()
            self._loss(part, entropy).backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), MAX_NORM)
            self.adam.step()
        self._update_average()
        self.progress.rollouts += 1
        self.progress.steps += len(rows)
        if self.progress.rollouts % STORE_EVERY == 0:
            self.store()

    @torch.no_grad()
    def _update_average(self) -> None:
        share = 1 / min(self.progress.rollouts + 1, AVERAGED)
        for mean, weights in zip(self.average.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(weights, share)

    def _loss(self, batch: _Batch, entropy_weight: float) -> Any:
        rollout = self.rollout
        masks, actions = rollout.masks.flatten(0, 1)[batch.rows], rollout.actions.flatten()[batch.rows]
        logits, wins, leads = self.network(rollout.inputs.flatten(0, 1)[batch.rows])
        likely = torch.log_softmax(logits.masked_fill(~masks, NEVER), 1)
        ratio = (likely.gather(1, actions[:, None])[:, 0] - rollout.likely.flatten()[batch.rows]).exp()
        clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
        gain = torch.min(ratio * batch.advantages, clipped * batch.advantages).mean()
        entropy = -(likely.exp() * likely.clamp(min=-50)).sum(1).mean()
        chances = torch.log_softmax(wins.masked_fill(~batch.exists, NEVER), 1).clamp(min=-50)
        surprise = -(batch.wins * chances).sum(1).mean()
        error = ((leads - batch.leads) ** 2 * batch.exists).sum(1).mean()
        self.progress.entropy, self.progress.surprise = entropy.item(), surprise.item()
        return -gain - entropy_weight * entropy + 0.3 * surprise + 0.25 * error


@dataclass
class _Batch:
    """Tensors of the steps to learn from. ``wins``, ``leads`` and ``exists`` have relative seats."""

    rows: Any
    advantages: Any
    wins: Any
    leads: Any
    exists: Any

    def shuffled(self, random: np.random.Generator) -> Iterator[_Batch]:
        """Divide the steps at random into minibatches."""
        order: npt.NDArray[np.int64] = random.permutation(len(self.rows))
        for start in range(0, max(1, len(order) - MINIBATCH // 2), MINIBATCH):  # also of few games
            part = torch.from_numpy(order[start : start + MINIBATCH])
            yield _Batch(*(each[part] for each in self.__dict__.values()))
