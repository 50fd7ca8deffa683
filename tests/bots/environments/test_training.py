"""The parts of the training that need no PyTorch: games of all numbers of seats, evaluation, and levels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bots.environments.training import levels
from bots.environments.training.evaluation import BatchNetwork, evaluate
from bots.environments.training.examples import Watched, first_examples, joined
from bots.environments.training.games import Games
from bots.environments.vector import uniform
from bots.house.inside import HousePlayer
from games.network import Network, save
from games.registry import GAMES
from tests.games.test_network import DUEL, tensors

GEMS = "edel-stein-reich"


def network(game: str = DUEL, temperature: float = 1.0) -> BatchNetwork:
    return BatchNetwork(game, tensors(game), temperature)


def test_all_numbers_of_seats_share_inputs_and_actions() -> None:
    games, random = Games(GEMS, 30, (3, 4, 5), seed=1), np.random.default_rng(1)
    assert games.seat_counts.tolist() == [3] * 10 + [4] * 10 + [5] * 10
    for _ in range(40):
        seen = games.seen()
        assert seen.inputs.shape == (30, GAMES[GEMS].encoding(5).size)
        assert seen.masks.shape == (30, len(GAMES[GEMS].encoding(5).actions))
        assert (seen.seats < games.seat_counts).all()
        games.step(uniform(None, seen.masks, random))


def test_the_results_of_ended_games_are_shares_and_differences() -> None:
    games, random, ended = Games(GEMS, 30, (3, 4, 5), seed=1), np.random.default_rng(1), 0
    for _ in range(600):
        result = games.step(uniform(None, games.seen().masks, random))
        ended += len(result.games)
        assert np.allclose(result.wins.sum(axis=1), 1)
        assert np.allclose(result.leads.sum(axis=1), 0, atol=1e-3)
        lacking = np.arange(5) >= games.seat_counts[result.games][:, None]
        assert not result.wins[lacking].any()
        assert not result.leads[lacking].any()
    assert ended > 30


def test_many_decisions_at_once_have_the_policy_of_a_network(tmp_path: Path) -> None:
    save(tmp_path / "network", GEMS, tensors(GEMS))
    single, batch = Network.load(tmp_path / "network", GEMS), BatchNetwork.load(tmp_path / "network", GEMS)
    state, encoding = GAMES[GEMS].new(4, bytes(32)), GAMES[GEMS].encoding(4)
    views = [(state.view(seat), state.decision(seat)) for seat in state.pending]
    rows = batch.logits(4, [encoding.observation(*each) for each in views])
    for (view, decision), logits in zip(views, rows, strict=True):
        found = single.evaluate(view, decision)
        chances = np.exp(logits[list(found.options)])
        assert np.allclose(found.policy, chances / chances.sum(), atol=1e-4)


@pytest.mark.parametrize(("game", "seats", "opponents"), [(DUEL, 2, ["random"]), (GEMS, 3, ["random", "greedy"])])
def test_an_evaluation_is_the_same_again(game: str, seats: int, opponents: list[str]) -> None:
    first, second = (evaluate(network(game), seats, opponents, blocks=3) for _ in range(2))
    assert first == second
    assert 0 <= first.wins.value <= 1
    assert first.wins.count == 3


def test_watched_house_bots_play_the_same_and_give_examples_of_legal_choices() -> None:
    watched: dict[str, list[Watched]] = {"random": [], "greedy": []}

    def watch(name: str, seats: int, inner: HousePlayer) -> HousePlayer:
        watched[name].append(Watched(GEMS, seats, inner))
        return watched[name][-1]

    names = list(watched)
    assert evaluate(network(GEMS), 3, names, blocks=2, watch=watch) == evaluate(network(GEMS), 3, names, blocks=2)
    encoding = GAMES[GEMS].encoding(5)
    for players in watched.values():
        assert len(players) == 6
        found = joined(players)
        assert len(found.inputs) > 6
        assert found.inputs.shape[1] == encoding.size
        masks = np.unpackbits(found.masks, axis=1, count=len(encoding.actions))
        assert masks[np.arange(len(found.actions)), found.actions].all()


@pytest.mark.parametrize("game", [DUEL, GEMS])
def test_games_between_house_bots_give_examples_of_one_of_them(game: str) -> None:
    found = first_examples(game, "greedy", 100)
    assert 100 <= len(found.actions) < 1_000
    assert len(set(found.actions.tolist())) > 5


def test_equal_temperatures_give_the_fair_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "GAMES_AT_ONCE", 100)
    found = levels.share(network(), 2, 1.0, 1.0)
    assert found.count == 100 * levels.ROUNDS
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0.5 < found.high
