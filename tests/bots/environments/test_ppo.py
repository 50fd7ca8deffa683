"""The training is PPO, its policies can be saved and repeated, and they soon beat random play."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bots.environments import ppo, raw_env
from bots.environments.ppo import LENGTH, MINIBATCH, TRACE, Adam, Network, Training, evaluate, main, train

DUEL = "edel-stein-reich-duel"


@pytest.fixture(scope="module")
def training() -> Training:
    """A training that has played one rollout."""
    training = Training(DUEL, None, seed=1)
    training.collect()
    return training


def network(random: np.random.Generator) -> Network:
    """A network with any weights, inputs and outputs."""
    made = Network(191, 117, random)
    made.mean, made.scale = (random.random(191).astype(np.float32) for _ in range(2))
    for weights in made.weights:
        weights += random.normal(0, 0.05, weights.shape).astype(np.float32)
    return made


def test_the_gradient_of_a_network_is_how_its_outputs_change_with_its_weights() -> None:
    random = np.random.default_rng(1)
    made, seen = network(random), random.random((5, 191)).astype(np.float32)
    slope = random.normal(size=(5, 118)).astype(np.float32)

    def height() -> float:
        _, logits, values = made.forward(seen)
        return float((np.column_stack([logits, values]) * slope).sum(dtype=np.float64))

    gradient = made.gradient(made.forward(seen)[0], slope)
    for weights, expected in zip(made.weights, gradient, strict=True):
        place = np.unravel_index(np.abs(expected).argmax(), expected.shape)
        heights = []
        for change in (1e-2, -2e-2):
            weights[place] += np.float32(change)
            heights.append(height())
        assert (heights[0] - heights[1]) / 2e-2 == pytest.approx(float(expected[place]), rel=0.05)


def test_adam_changes_every_weight_by_the_rate_at_first() -> None:
    weights = [np.zeros((2, 2), dtype=np.float32)]
    Adam(weights).step([np.array([[3.0, -0.1], [0.0, 1e-2]], dtype=np.float32)], rate=0.5)
    assert weights[0] == pytest.approx(np.array([[-0.5, 0.5], [0.0, -0.5]]), abs=1e-2)


def test_advantages_are_those_of_the_same_seat_and_of_the_same_game(training: Training) -> None:
    rollout, checked = training.rollout, 0
    for game in range(200):
        ends = np.flatnonzero(rollout.ended[:, game])
        if not len(ends):
            continue
        rewards = rollout.rewards[ends[0], game]
        assert rewards.any()
        assert rewards.sum() == pytest.approx(0, abs=0.1)
        for seat in (0, 1):
            later, trace = float(rewards[seat]), 0.0
            for step in range(ends[0], -1, -1):
                if rollout.seats[step, game] == seat:
                    value = float(rollout.values[step, game])
                    trace = later - value + TRACE * trace
                    later = value
                    assert rollout.advantages[step, game] == pytest.approx(trace, abs=1e-4)
                    checked += 1
    assert checked > LENGTH


def test_a_rollout_has_only_legal_actions_with_their_probabilities(training: Training) -> None:
    rollout = training.rollout
    steps, games = np.nonzero(rollout.seats >= 0)
    assert rollout.masks[steps, games, rollout.actions[steps, games]].all()
    _, logits, _ = training.network.forward(rollout.observations[steps[:1], games[:1]])
    mask = rollout.masks[steps[0], games[0]]
    likely = np.where(mask, np.exp(logits[0]), 0)
    action = rollout.actions[steps[0], games[0]]
    assert np.exp(rollout.likely[steps[0], games[0]]) == pytest.approx(likely[action] / likely.sum(), rel=1e-3)


def test_the_first_step_makes_actions_with_an_advantage_likelier(training: Training) -> None:
    rollout = training.rollout
    places = np.nonzero(rollout.seats >= 0)
    places = places[0][:MINIBATCH], places[1][:MINIBATCH]
    before = [weights.copy() for weights in training.network.weights]
    for weights, gradient in zip(training.network.weights, training.gradient(places), strict=True):
        weights -= np.float32(0.02) * gradient
    _, logits, values = training.network.forward(rollout.observations[places])
    for weights, old in zip(training.network.weights, before, strict=True):
        weights[:] = old
    logits = np.where(rollout.masks[places], logits, -1e4)
    likely = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    gained = likely[np.arange(len(logits)), rollout.actions[places]] - rollout.likely[places]
    advantages = rollout.advantages[places]
    assert (gained * (advantages - advantages.mean())).mean() > 0
    targets = rollout.values[places] + advantages
    assert ((values - targets) ** 2).mean() < (advantages**2).mean()


def test_saved_weights_give_the_same_moves(tmp_path: Path) -> None:
    made = network(np.random.default_rng(3))
    made.save(tmp_path / "weights.json")
    *hidden, (matrix, bias) = json.loads((tmp_path / "weights.json").read_text())
    table = raw_env(DUEL)
    table.reset(seed=1)
    seen = numbers = table.observe(table.agent_selection)["observation"]
    for rows, constants in hidden:
        numbers = np.maximum(np.array(rows) @ numbers + constants, 0)
    _, logits, _ = made.forward(seen[None])
    assert np.array(matrix) @ numbers + bias == pytest.approx(logits[0], abs=1e-2)


def test_equal_seeds_learn_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppo, "GAMES_AT_ONCE", 128)
    monkeypatch.setattr(ppo, "WARM_UP", 128)
    first, same, other = (train(DUEL, steps=1, seed=seed).weights[0] for seed in (3, 3, 4))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_blocks_are_played_in_every_seat() -> None:
    policy = Network(227, 121, np.random.default_rng(1))
    blocks = evaluate("edel-stein-reich", 3, policy, "greedy", blocks=3)
    assert blocks == evaluate("edel-stein-reich", 3, policy, "greedy", blocks=3)
    assert len(set(blocks)) == 3
    for block in blocks:
        assert block.wins == pytest.approx(0)
        assert block.lead < 0


def test_the_command_says_how_much_it_wins_and_saves_the_weights(capsys: Any, tmp_path: Path) -> None:
    main([DUEL, "--steps", "1", "--blocks", "2", "--against", "random", "greedy", "--save", str(tmp_path / "w.json")])
    learned, *won = capsys.readouterr().out.splitlines()
    assert learned.startswith("65,536 steps in ")
    assert [line.partition(":")[0] for line in won] == ["random", "greedy"]
    assert len(json.loads((tmp_path / "w.json").read_text())) == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seats", "steps", "least"),
    [(DUEL, 2, 500_000, 0.8), ("edel-stein-reich", 4, 500_000, 0.5), ("die-weinhaendler", 3, 1_000_000, 0.6)],
)
def test_a_short_training_beats_random_play(game: str, seats: int, steps: int, least: float) -> None:
    """Against Greedy, the result depends on the seed and on the processor."""
    trained = train(game, seats, steps)
    blocks = evaluate(game, seats, trained, "random", blocks=20)
    assert sum(block.wins for block in blocks) / len(blocks) > least
