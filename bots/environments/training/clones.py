"""Networks that imitate house bots, so that thousands of games can be played against them at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from bots.environments.training.network import NEVER, PolicyValue
from bots.environments.vector import Numbers
from bots.house.catalogue import HOUSE
from bots.house.inside import load, player
from games.learning import Chosen
from games.network import inputs, largest_encoding
from games.registry import GAMES

HOUSE_BOTS: Final = {
    "edel-stein-reich": {"greedy": 150_000, "haggler": 300_000, "kontor": 250_000},
    "edel-stein-reich-duel": {"greedy": 150_000, "haggler": 150_000, "kontor": 150_000},
    "die-weinhaendler": {"vintner": 150_000, "sommelier": 30_000},
}
"""House bots that are imitated, by game, each with the number of its choices to learn from. The strongest is last."""

RANDOM_MOVES: Final = 0.1
"""Share of random moves, so that a clone also sees positions that house bots avoid."""

EPOCHS: Final = 12
MINIBATCH: Final = 1024


class Examples(NamedTuple):
    """Choices of a house bot."""

    inputs: Any
    """Shape (rows, inputs)."""
    masks: Any
    """Shape (rows, actions), booleans."""
    actions: Any
    """Shape (rows,)."""


def examples(game: str, name: str) -> Examples:
    """Let a house bot play against all house bots of ``HOUSE_BOTS``."""
    largest = largest_encoding(game)
    rows: list[Numbers] = []
    options: list[list[int]] = []
    actions: list[int] = []
    for seed, seats in enumerate(cycle(GAMES[game].seat_counts)):
        if len(actions) >= HOUSE_BOTS[game][name]:
            break
        places = inputs(game, seats)
        for observation, possible, action in _played(game, name, seats, seed):
            row = np.zeros(largest.size, np.float32)
            row[places] = observation
            rows.append(row)
            options.append(possible)
            actions.append(action)
    masks = torch.zeros(len(rows), len(largest.actions), dtype=torch.bool)
    for row_mask, possible in zip(masks, options, strict=True):
        row_mask[possible] = True
    return Examples(torch.from_numpy(np.array(rows)), masks, torch.tensor(actions))


def _played(game: str, name: str, seats: int, seed: int) -> Iterator[tuple[list[float], list[int], int]]:
    """Play a game. Yield the observation, the options and the action of each choice of the house bot ``name``."""
    random, encoding = Random(seed), GAMES[game].encoding(seats)
    others = random.choices(list(HOUSE_BOTS[game]), k=seats - 1)
    names = random.sample([name, *others], seats) if random.random() < 0.5 else [name] * seats
    deal = random.randbytes(32)
    players = [player(game, (HOUSE[each], load(HOUSE[each])), seats, seat, deal) for seat, each in enumerate(names)]
    state, read = GAMES[game].new(seats, deal), [0] * seats
    while state.pending:
        seat = state.pending[0]
        decision, view, log = state.decision(seat), state.view(seat), state.entries(seat, read[seat])
        read[seat] += len(log)
        move = players[seat].choose(decision, view, log)
        if names[seat] == name:
            chosen: Chosen = ()
            for action in encoding.sequence(decision, move):
                yield encoding.observation(view, decision, chosen), encoding.options(decision, chosen), action
                chosen = (*chosen, action)
        state.play(seat, state.random_move(seat, random) if random.random() < RANDOM_MOVES else move)


def clone(network: PolicyValue, learned: Examples, random: np.random.Generator) -> float:
    """Train the policy of ``network`` to imitate. Return the share of equal choices in a tenth that it did not see."""
    order = random.permutation(len(learned.actions))
    test, train = np.split(order, [len(order) // 10])
    network.measure_inputs(learned.inputs)
    adam = torch.optim.Adam(network.parameters(), lr=1e-3)
    steps = EPOCHS * (len(train) // MINIBATCH)
    for number, rows in enumerate(islice(_minibatches(train, random), steps)):
        for group in adam.param_groups:
            group["lr"] = 1e-3 * (1 - number / steps)
        logits = network(learned.inputs[rows])[0].masked_fill(~learned.masks[rows], NEVER)
        loss = functional.cross_entropy(logits, learned.actions[rows])
        adam.zero_grad()
        loss.backward()
        adam.step()
    with torch.no_grad():
        logits = network(learned.inputs[test])[0].masked_fill(~learned.masks[test], NEVER)
    return float((logits.argmax(1) == learned.actions[test]).float().mean())


def _minibatches(rows: Any, random: np.random.Generator) -> Iterator[Any]:
    while True:
        order = random.permutation(rows)
        yield from np.split(order, range(MINIBATCH, len(order), MINIBATCH))[:-1]


def clones(game: str, new: Any, random: np.random.Generator, names: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield a description and a clone of each house bot. ``new()`` creates a network."""
    for name in names or HOUSE_BOTS[game]:
        learned, network = examples(game, name), new()
        share = clone(network, learned, random)
        yield f"{name}: {len(learned.actions):,} choices, {share:.1%} of new ones imitated", network
