"""The example learns, its gradient is one, and its figures can be repeated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from bots.environments import raw_env
from bots.environments.reinforce import Act, Adam, LinearPolicy, evaluate, main, play, train

DUEL = "edel-stein-reich-duel"


def log_likelihood(policy: LinearPolicy, acts: Sequence[Act]) -> float:
    total = 0.0
    for act in acts:
        logits = policy.weights[act.possible].astype(np.float64) @ act.observation
        total += logits[act.drawn] - np.log(np.exp(logits).sum())
    return total


def test_the_gradient_points_to_where_the_acts_become_likelier() -> None:
    table, random = raw_env(DUEL), np.random.default_rng(1)
    policy = LinearPolicy(len(table.encoding.actions), table.encoding.size)
    policy.weights += random.normal(0, 0.1, policy.weights.shape).astype(np.float32)
    _, acts = play(table, dict.fromkeys(table.possible_agents, policy), 1, random)
    gradient = policy.gradient(acts["seat_0"])
    before = log_likelihood(policy, acts["seat_0"])
    step = np.float32(1e-4) * gradient
    policy.weights += step
    gained = log_likelihood(policy, acts["seat_0"]) - before
    assert gained == pytest.approx(float((gradient * step).sum()), rel=0.05)


def test_a_step_follows_the_gradient_up_to_the_rate() -> None:
    weights = np.zeros((2, 2), dtype=np.float32)
    Adam(weights, rate=0.5).step(np.array([[3.0, -0.1], [0.0, 1e-3]], dtype=np.float32))
    assert weights == pytest.approx(np.array([[0.5, -0.5], [0.0, 0.5]]), abs=1e-3)


def test_untrained_players_win_equal_shares() -> None:
    table = raw_env(DUEL)
    uniform = LinearPolicy(len(table.encoding.actions), table.encoding.size)
    assert 0.3 < evaluate(DUEL, None, uniform, games=60, seed=2) < 0.7


def test_equal_seeds_learn_the_same() -> None:
    first, same, other = (train(DUEL, None, games=16, seed=seed).weights for seed in (3, 3, 4))
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_the_command_says_how_much_it_wins(capsys: pytest.CaptureFixture[str]) -> None:
    main([DUEL, "--games", "16", "--trials", "10", "--seed", "5"])
    learned, won = capsys.readouterr().out.splitlines()
    assert learned.startswith("Played 16 self-play games in ")
    assert won.startswith("wins ")
    assert won.endswith("of 10 games against the uniform policy")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seats", "least"), [(DUEL, 2, 0.9), ("edel-stein-reich", 3, 0.8), ("die-weinhaendler", 3, 0.5)]
)
def test_a_few_hundred_games_against_itself_clearly_beat_chance(game: str, seats: int, least: float) -> None:
    policy = train(game, seats, games=480, seed=1)
    assert evaluate(game, seats, policy, games=200, seed=1) > least
