"""Networks that imitate house bots, so that thousands of games can be played against them at once.

A network learns to exploit mistakes of a clone that its house bot does not make. So the house bots also play against
the network during the training, in a separate process, and the clones learn from their choices in these games
(DAgger, Ross et al. 2011). The same games tell how strong the network is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch.nn import functional

from bots.environments.training.evaluation import MIXTURES, BatchNetwork, evaluate
from bots.environments.training.examples import HOUSE_BOTS, Examples, Watched, first_examples, joined
from bots.environments.training.network import NEVER, PolicyValue
from bots.environments.vector import Numbers
from bots.house.inside import HousePlayer
from games.network import largest_encoding

FIRST_EXAMPLES: Final = 60_000
"""Choices of each house bot from games between house bots, before the training."""

MOST_EXAMPLES: Final = 400_000
"""Choices of each house bot that are kept. Later ones replace others at random."""

SHARPNESS: Final = (2.0, 3.0)
"""Factors of the logits with which clones play. Each house bot has one clone for each of them.

A clone that draws from its estimates often makes mistakes that the house bot does not make.
"""

FIRST_ROWS: Final = 600_000
"""Examples that a clone learns from before the training, each several times."""

ROWS: Final = 300_000
"""Examples that a clone learns from after each round of games against the network."""

MINIBATCH: Final = 1024
RATE: Final = 1e-3
"""The first learning rate of Adam, which falls to 0. It is half of this after the first time."""


def imitate(network: PolicyValue, learned: Examples, rows: int, rate: float, random: np.random.Generator) -> None:
    """Train the policy of ``network`` on ``rows`` random examples, with a learning rate that falls to 0."""
    adam = torch.optim.Adam(network.parameters(), lr=rate)
    steps = max(1, rows // MINIBATCH)
    for number in range(steps):
        part = learned.rows(random.integers(len(learned.actions), size=MINIBATCH))
        for group in adam.param_groups:
            group["lr"] = rate * (1 - number / steps)
        loss = functional.cross_entropy(_logits(network, part), torch.from_numpy(part.actions))
        adam.zero_grad()
        loss.backward()
        adam.step()


def imitated(network: PolicyValue, shown: Examples) -> float:
    """Return the share of the examples whose action is the most probable one for ``network``."""
    with torch.no_grad():
        return float((_logits(network, shown).argmax(1).numpy() == shown.actions).mean())


def _logits(network: PolicyValue, shown: Examples) -> Any:
    logits = network(torch.from_numpy(shown.inputs.astype(np.float32)))[0]
    masks = np.unpackbits(shown.masks, axis=1, count=logits.shape[1]).astype(np.bool_)
    return logits.masked_fill(~torch.from_numpy(masks), NEVER)


@dataclass
class Round:
    """What games of house bots against the network have brought."""

    clones: list[dict[str, Any]]
    """The weights of the clones after they learned from the games: of one house bot after the other."""
    shares: dict[str, float]
    """Wins of the network in fair shares, by mixture of house bots (``MIXTURES``)."""
    imitated: dict[str, float]
    """Share of the choices in these games that the clones would have made before, by house bot."""


class Sparring:
    """House bots that play against a network in rounds, and their clones.

    ``folder`` has a file with the examples of each round, and the weights of the clones after the last one. A training
    that is ``continued`` uses them; a new one removes them.
    """

    def __init__(self, game: str, seats: Sequence[int], hidden: int, seed: int, folder: Path, continued: bool) -> None:
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        self.game, self.seats, self.folder, self.continued = game, seats, folder, continued
        self.random = np.random.default_rng(seed)
        largest = largest_encoding(game)
        self.clones = [
            (name, PolicyValue(largest.size, len(largest.actions), largest.seats, hidden))
            for name in HOUSE_BOTS[game]
            for _ in SHARPNESS
        ]
        self.examples: dict[str, Examples] = {}

    def begin(self) -> Round:
        """Let clones learn from games between house bots, or continue after the last round."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.continued:
            for path in sorted(self.folder.glob("*.npz")):
                with np.load(path) as arrays:
                    for name in HOUSE_BOTS[self.game]:
                        self._add(name, Examples(*(arrays[f"{name}.{part}"] for part in Examples._fields)))
            stored = torch.load(self.folder / "clones.pt", weights_only=True)
            for (_, clone), state in zip(self.clones, stored, strict=True):
                clone.load_state_dict(state)
            return Round(stored, {}, {})
        for path in self.folder.glob("*.npz"):
            path.unlink()
        new = {name: first_examples(self.game, name, FIRST_EXAMPLES) for name in HOUSE_BOTS[self.game]}
        for name, clone in self.clones:
            clone.measure_inputs(torch.from_numpy(new[name].inputs.astype(np.float32)))
        return Round(self._learned(0, new, FIRST_ROWS, RATE), {}, {})

    def play(self, number: int, tensors: dict[str, Numbers], blocks: int) -> Round:
        """Play round ``number`` (from 1) against a network, ``blocks`` against each mixture. Let the clones learn."""
        watched: dict[str, list[Watched]] = {name: [] for name in HOUSE_BOTS[self.game]}

        def watch(name: str, seats: int, inner: HousePlayer) -> HousePlayer:
            if name not in watched:
                return inner
            watched[name].append(Watched(self.game, seats, inner))
            return watched[name][-1]

        network, shares = BatchNetwork(self.game, tensors), {}
        for names in MIXTURES[self.game]:
            if (seats := len(names) + 1) in self.seats:
                wins = evaluate(network, seats, names, blocks, seed=number, watch=watch).wins
                shares[", ".join(names)] = seats * wins.value
        new = {name: joined(players) for name, players in watched.items()}
        shown = {name: imitated(clone, new[name]) for name, clone in dict(self.clones).items()}
        return Round(self._learned(number, new, ROWS, RATE / 2), shares, shown)

    def _learned(self, number: int, new: dict[str, Examples], rows: int, rate: float) -> list[dict[str, Any]]:
        arrays: dict[str, Any] = {
            f"{name}.{part}": array for name, each in new.items() for part, array in each._asdict().items()
        }
        np.savez_compressed(self.folder / f"{number:02}.npz", **arrays)
        for name, each in new.items():
            self._add(name, each)
        for name, clone in self.clones:
            imitate(clone, self.examples[name], rows, rate, self.random)
        weights = [clone.state_dict() for _, clone in self.clones]
        torch.save(weights, self.folder / "clones.pt")
        return weights

    def _add(self, name: str, new: Examples) -> None:
        if known := self.examples.get(name):
            room = max(0, MOST_EXAMPLES - len(new.actions))
            kept = known.rows(self.random.permutation(len(known.actions))[:room])
            arrays: Any = zip(kept, new, strict=True)
            new = Examples(*(np.concatenate(pair) for pair in arrays))
        self.examples[name] = new


def work(connection: Connection[Any, Any], *arguments: Any) -> None:
    """Be the process of a :class:`Sparring`: send the first round, and the round of each request for one.

    A request has the arguments of :meth:`Sparring.play`. The process ends with the one at the other end.
    """
    sparring = Sparring(*arguments)
    connection.send(sparring.begin())
    while True:
        try:
            request = connection.recv()
        except (EOFError, ConnectionError):
            return
        connection.send(sparring.play(*request))
