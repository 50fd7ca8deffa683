from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bots.environments import GameVectorEnv, raw_env, uniform
from games.registry import GAMES

FORMATS = [(game.slug, seats) for game in GAMES.values() for seats in game.seat_counts]
DUEL = "edel-stein-reich-duel"


def drawn(info: dict[str, Any], random: np.random.Generator) -> Any:
    """A random legal action for every game."""
    return uniform(None, info["action_mask"], random)


@pytest.mark.parametrize("rewards", ["ranks", "scores"])
@pytest.mark.parametrize(("game", "seats"), FORMATS)
def test_a_game_is_the_same_as_in_the_environment_of_pettingzoo(game: str, seats: int, rewards: str) -> None:
    many = GameVectorEnv(game, 1, seats, rewards, opponents=None)
    single = raw_env(game, seats, rewards)
    random = np.random.default_rng(7)
    observations, info = many.reset(seed=5)
    single.reset(seed=5)
    while True:
        agent = single.agent_selection
        seen = single.observe(agent)
        assert agent == f"seat_{info['seat'][0]}"
        np.testing.assert_array_equal(observations[0], seen["observation"])
        np.testing.assert_array_equal(info["action_mask"][0], seen["action_mask"])
        action = drawn(info, random)
        observations, reward, terminated, truncated, info = many.step(action)
        single.step(int(action[0]))
        assert not truncated[0]
        if terminated[0]:
            break
        assert reward[0] == 0
    assert all(single.terminations.values())
    assert info["rewards"][0].tolist() == pytest.approx(list(single.rewards.values()))
    assert reward[0] == pytest.approx(single.rewards[agent])


@pytest.mark.parametrize(("game", "seats"), FORMATS)
def test_a_learner_plays_one_seat_of_each_game_until_it_ends_and_then_another_game(game: str, seats: int) -> None:
    env, random = GameVectorEnv(game, 12, seats), np.random.default_rng(1)
    _, info = env.reset(seed=3)
    ends = np.zeros(12, dtype=int)
    over = np.zeros(12, dtype=bool)
    while ends.min() < 2:
        before = info["seat"]
        observations, rewards, terminated, _, info = env.step(drawn(info, random))
        assert env.observation_space.contains(observations)
        assert (info["action_mask"].any(axis=1) == ~terminated).all()
        assert not (over & terminated).any()
        assert not rewards[~terminated].any()
        assert (info["seat"] == before)[~over].all()
        if terminated.any():
            assert np.abs(info["rewards"][terminated].sum(axis=1)).max() < 1e-9
            np.testing.assert_array_equal(rewards[terminated], info["rewards"][terminated, info["seat"][terminated]])
        ends, over = ends + terminated, terminated


def test_opponents_are_asked_for_their_seats_alone_with_observations_and_masks() -> None:
    asked: list[int] = []

    def first(observations: Any, masks: Any, _random: Any) -> Any:
        assert observations.shape == (len(masks), env.single_observation_space.shape[0])  # type: ignore[index]
        assert masks.any(axis=1).all()
        assert observations.any(axis=1).all()
        asked.append(len(masks))
        return masks.argmax(axis=1)

    env, random = GameVectorEnv("edel-stein-reich", 8, 4, opponents=first), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(40):
        *_, info = env.step(drawn(info, random))
    assert 0 < min(asked) <= max(asked) <= 8


def test_equal_seeds_give_equal_games_and_each_game_differs() -> None:
    def played() -> Any:
        env, random = GameVectorEnv(DUEL, 4), np.random.default_rng(2)
        observations, info = env.reset(seed=9)
        for _ in range(30):
            observations, *_, info = env.step(drawn(info, random))
        return observations

    first = played()
    np.testing.assert_array_equal(first, played())
    assert len({row.tobytes() for row in first}) == 4


def test_an_illegal_action_names_its_game_and_changes_nothing() -> None:
    env = GameVectorEnv(DUEL, 3)
    observations, info = env.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    actions[1] = (~info["action_mask"][1]).argmax()
    with pytest.raises(ValueError, match="game 1"):
        env.step(actions)
    actions[1] = info["action_mask"][1].argmax()
    env.step(actions)
    again, _ = env.reset(seed=1)
    np.testing.assert_array_equal(again, observations)


@pytest.mark.parametrize(
    "wrong",
    [{"game": "chess"}, {"game": DUEL, "seats": 3}, {"game": DUEL, "rewards": "gold"}, {"game": DUEL, "num_envs": 0}],
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own message
        GameVectorEnv(**wrong)


@pytest.mark.parametrize("opponents", ["greedy", ("greedy",), 3])
def test_opponents_of_many_games_are_a_policy(opponents: Any) -> None:
    with pytest.raises(TypeError, match="policy"):
        GameVectorEnv(DUEL, 1, opponents=opponents)


def test_wrong_kinds_and_numbers_of_actions_change_nothing() -> None:
    env = GameVectorEnv(DUEL, 2)
    observations, info = env.reset(seed=1)
    legal = info["action_mask"].argmax(axis=1)
    for wrong, error in [(legal.astype(float), TypeError), (["a", "b"], TypeError), (legal[:1], ValueError)]:
        with pytest.raises(error):
            env.step(wrong)
    with pytest.raises(ValueError, match="2 games"):
        env.step(legal[0])
    np.testing.assert_array_equal(env.reset(seed=1)[0], observations)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ValueError, match="options"):
        GameVectorEnv(DUEL, 1).reset(options={"level": 1})
