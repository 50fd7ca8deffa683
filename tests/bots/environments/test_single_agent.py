"""One seat of every game in Gymnasium, against house bots."""

from __future__ import annotations

import copy
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from numpy.testing import assert_equal

from bots.environments import IDS, SingleAgentEnv
from bots.house.catalogue import HOUSE
from bots.house.inside import load, play_inside
from games.record import verify
from games.registry import GAMES
from tests.games.play import TABLES

DUEL = "edel-stein-reich-duel"

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)


def play(env: Any, seed: int | None = None) -> tuple[float, int]:
    """Play a random game. Return the reward and the number of steps."""
    if seed is not None:
        env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    steps, reward, terminated = 0, 0.0, False
    while not terminated:
        assert reward == 0
        assert env.observation_space.contains(observation)
        assert np.flatnonzero(info["action_mask"]).tolist() == env.unwrapped.legal_actions()
        action = env.action_space.sample(info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        steps += 1
    return reward, steps


@pytest.mark.parametrize("observation", ["flat", "dict"])
@every_table
@pytest.mark.filterwarnings("error")
def test_gymnasium_finds_no_fault(slug: str, seats: int, observation: str) -> None:
    env = gymnasium.make(IDS[slug], seats=seats, observation=observation, render_mode="ansi")
    check_env(env.unwrapped)


def test_an_id_with_the_name_of_the_package_needs_no_import() -> None:
    code = (
        "import gymnasium; env = gymnasium.make('bots.environments:steinreich/Duel-v0', opponents=('greedy',)); "
        "print(env.reset(seed=1)[0].shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "(199,)\n"


@every_table
def test_a_game_ends_with_the_reward_of_the_learner_and_a_record_that_verifies(slug: str, seats: int) -> None:
    env = SingleAgentEnv(slug, seats=seats)
    for seed in range(2):
        reward, _ = play(env, seed)
        ranks = env.table.outcome["ranks"]
        own = ranks[env.seat]
        assert reward == (sum(rank > own for rank in ranks) - sum(rank < own for rank in ranks)) / (seats - 1)
        assert verify(env.table.record).record == env.table.record


def test_opponents_play_as_house_bots_do() -> None:
    """Greedy's own moves for the learner: the same game as without an environment."""
    bots = [(HOUSE[name], load(HOUSE[name])) for name in ("random", "haggler")]
    env = SingleAgentEnv(DUEL, "haggler", seat=0)
    env.reset(seed=1)
    seed = bytes.fromhex(env.table.record["seed"])
    outcome = play_inside(DUEL, bots, seed)
    from bots.house.inside import player

    env._players = {1: player(DUEL, bots[1], 2, 1, seed)}
    own, read = player(DUEL, bots[0], 2, 0, seed), 0
    while not env._over:
        decision = env.table.decision(0)
        log = env.table.entries(0, read)
        read += len(log)
        for action in env.encoding.sequence(decision, own.choose(decision, env.table.view(0), log)):
            if action in env.legal_actions() and env.table.pending and env.table.decision(0) == decision:
                env.step(action)
    assert env.table.outcome == outcome


def test_one_name_fills_all_seats_and_a_tuple_names_them_clockwise() -> None:
    assert SingleAgentEnv("edel-stein-reich", "greedy", seats=4).opponents == ("greedy",) * 3
    mixed = SingleAgentEnv("edel-stein-reich", ("kontor", "random", "greedy"), seat=2)
    assert mixed.encoding.seats == 4
    mixed.reset(seed=1)
    kinds = {seat: type(bot).__name__ for seat, bot in mixed._players.items()}
    assert kinds == {3: "Kontor", 0: "Random", 1: "Greedy"}


def test_the_seat_is_random_or_given() -> None:
    env = SingleAgentEnv(DUEL)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {0, 1}
    given = SingleAgentEnv(DUEL, seat=1)
    assert {given.reset(seed=seed)[1]["seat"] for seed in range(20)} == {1}


def test_equal_seeds_give_equal_games_and_later_games_differ() -> None:
    def games() -> list[Any]:
        env = SingleAgentEnv(DUEL, "kontor")
        first = play(env, 3)
        return [first, env.table.record, play(env), env.table.record]

    one, two = games(), games()
    assert one == two
    assert one[1]["seed"] != one[3]["seed"]


@pytest.mark.parametrize("name", [name for name, bot in HOUSE.items() if name in ("kontor", "sommelier")])
def test_a_copy_continues_on_its_own(name: str) -> None:
    slug = next(slug for slug, seats in TABLES if HOUSE[name].plays(slug, seats))
    env = SingleAgentEnv(slug, name)
    env.reset(seed=4)
    for _ in range(5):
        env.step(env.legal_actions()[0])
    twin = copy.deepcopy(env)
    action = twin.legal_actions()[-1]
    first = twin.step(action)
    assert_equal(env.step(action), first)


def test_an_illegal_action_ends_the_game_with_a_loss() -> None:
    env = SingleAgentEnv(DUEL)
    env.reset(seed=5)
    legal = env.legal_actions()
    _, reward, terminated, _, info = env.step(116)
    assert (reward, terminated, info["legal_actions"]) == (-1.0, True, legal)
    assert not info["action_mask"].any()
    assert env.legal_actions() == []
    assert not env.action_masks().any()
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(legal[0])


def test_an_illegal_action_can_be_an_error_that_changes_nothing() -> None:
    env = SingleAgentEnv(DUEL, illegal_actions="raise")
    _, info = env.reset(seed=5)
    for wrong in (116, 500, -1):
        with pytest.raises(ValueError, match="legal actions: 0 'money'"):
            env.step(wrong)
    assert_equal(env._observed()[1], info)


@pytest.mark.parametrize("illegal", ["end", "raise"])
@pytest.mark.parametrize("wrong", [1.0, "1", None, np.array([0.5])])
def test_an_action_is_an_integer(wrong: Any, illegal: Any) -> None:
    env = SingleAgentEnv(DUEL, illegal_actions=illegal)
    env.reset(seed=5)
    with pytest.raises(TypeError):
        env.step(wrong)
    env.step(np.int64(env.legal_actions()[0]))


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"game": "chess"}, DUEL),
        ({"game": DUEL, "opponents": ("gredy",)}, "greedy"),
        ({"game": DUEL, "opponents": "sommelier"}, "haggler"),
        ({"game": DUEL, "opponents": ("greedy", "greedy")}, "opponents has 2 names"),
        ({"game": "edel-stein-reich", "opponents": ("greedy",)}, "3 seats need 2"),
        ({"game": "edel-stein-reich", "opponents": ("greedy",) * 2, "seats": 4}, "4 seats need 3"),
        ({"game": "edel-stein-reich", "seats": 9}, "3, 4, 5"),
        ({"game": DUEL, "seat": 2}, "0 to 1"),
        ({"game": DUEL, "rewards": "gold"}, "ranks"),
        ({"game": DUEL, "observation": "image"}, "flat"),
        ({"game": DUEL, "illegal_actions": "skip"}, "raise"),
        ({"game": DUEL, "render_mode": "human"}, "ansi"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_possible(arguments: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        SingleAgentEnv(**arguments)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        SingleAgentEnv(DUEL).reset(options={"level": 1})


def test_it_renders_what_a_spectator_sees() -> None:
    env = SingleAgentEnv(DUEL, render_mode="ansi")
    env.reset(seed=6)
    chapter = GAMES[DUEL].presentation.story(env.table.log(None), ["seat_0", "seat_1"])[-1]
    assert env.render() == "\n".join([chapter.title, *(f"  {sentence}" for sentence in chapter.sentences)])
    assert SingleAgentEnv(DUEL).render() is None


def test_gymnasium_makes_vectors_of_it() -> None:
    for mode, kind in (("sync", "SyncVectorEnv"), (None, "GameVectorEnv")):
        several = gymnasium.make_vec(IDS[DUEL], num_envs=3, vectorization_mode=mode)
        observations, info = several.reset(seed=1)
        assert type(several).__name__ == kind
        assert observations.shape == (3, 199)
        assert info["action_mask"].shape == (3, 117)
