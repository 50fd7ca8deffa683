"""Every game as a PettingZoo environment: what PettingZoo itself tests, and what is ours to keep."""

from __future__ import annotations

import copy
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_equal
from pettingzoo import AECEnv
from pettingzoo.test import api_test, collect_render_results, seed_test
from pettingzoo.test.state_test import test_state as check_state
from pettingzoo.test.state_test import test_state_space as check_state_space

from bots.environments import GameEnvironment, env, raw_env
from games.record import accelerator, verify
from games.registry import GAMES
from games.rules import IllegalMove
from tests.bots.environments.traces import alone, trace
from tests.games.play import TABLES

every_table = pytest.mark.parametrize(("slug", "seats"), TABLES)
either = pytest.mark.parametrize("make", [env, raw_env])

Zoo = AECEnv[str, Any, Any]


def possible(table: Zoo, agent: str) -> list[int]:
    mask: list[int] = np.flatnonzero(table.observe(agent)["action_mask"]).tolist()
    return mask


def turns(table: GameEnvironment, seed: int) -> Iterator[str]:
    """The agent to act, before each of its actions of a random game; then the agents that have to leave."""
    random = Random(seed)
    table.reset(seed=seed)
    for agent in table.agent_iter():
        yield agent
        table.step(None if table.terminations[agent] else random.choice(possible(table, agent)))


def observed(table: GameEnvironment) -> dict[str, Any]:
    return {agent: table.observe(agent) for agent in table.possible_agents}


# --- PettingZoo's own tests ---------------------------------------------------------------------


@either
@every_table
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("error")
def test_pettingzoo_only_warns_that_observations_are_dictionaries(make: Any, slug: str, seats: int) -> None:
    api_test(make(slug, seats), num_cycles=300)


@every_table
def test_pettingzoo_finds_equal_seeds_to_give_equal_games(slug: str, seats: int) -> None:
    seed_test(lambda: env(slug, seats), num_cycles=200)


@pytest.mark.parametrize("slug", GAMES)
def test_pettingzoo_gets_text_to_show(slug: str) -> None:
    assert all(collect_render_results(env(slug, render_mode="ansi")))


@every_table
@pytest.mark.filterwarnings("ignore:Environment's maximum and minimum state space values are equal")
@pytest.mark.filterwarnings("error")
def test_pettingzoo_finds_a_global_state(slug: str, seats: int) -> None:
    check_state_space(raw_env(slug, seats))
    check_state(env(slug, seats), num_cycles=50)


# --- the cycle ----------------------------------------------------------------------------------


@every_table
def test_only_the_selected_agent_has_legal_actions(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    for agent in turns(table, 1):
        assert agent == table.agent_selection
        others = [other for other in table.possible_agents if other != agent]
        assert not any(possible(table, other) for other in others)
        assert len(possible(table, agent)) > 1 or table.terminations[agent]


@every_table
def test_a_game_ends_once_with_rewards_that_follow_the_ranks_and_is_never_cut_off(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    rewards: dict[str, float] = {}
    for agent in turns(table, 2):
        _, reward, terminated, truncated, info = table.last()
        assert not truncated
        assert info == {}
        assert terminated or reward == 0
        if terminated:
            rewards[agent] = reward
    assert table.agents == []
    assert table.table.outcome is not None
    ranks = table.table.outcome["ranks"]
    assert sum(rewards.values()) == pytest.approx(0)
    by_seat = [rewards[agent] for agent in table.possible_agents]
    assert sorted(by_seat, reverse=True) == [by_seat[seat] for seat in sorted(range(seats), key=ranks.__getitem__)]
    assert max(map(abs, by_seat)) <= 1


@every_table
def test_scores_can_be_rewarded_instead(slug: str, seats: int) -> None:
    table = raw_env(slug, seats, rewards="scores")
    for _ in turns(table, 3):
        if any(table.rewards.values()):
            rewards = [table.rewards[agent] for agent in table.possible_agents]
            break
    assert table.table.outcome is not None
    scores = [table.encoding.score(score) for score in table.table.outcome["scores"]]
    assert sum(rewards) == pytest.approx(0)
    assert np.diff(rewards) == pytest.approx(np.diff(scores))


@every_table
def test_the_record_of_a_played_game_verifies(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    for _ in turns(table, 4):
        pass
    assert verify(table.table.record).record == table.table.record


@every_table
def test_a_seed_settles_the_games_that_follow_too(slug: str, seats: int) -> None:
    raw, other = raw_env(slug, seats), env(slug, seats)
    for table in (raw, other):
        table.reset(seed=5)
    deals = []
    for _ in range(3):
        assert_equal(raw.observe("seat_1"), other.observe("seat_1"))
        deals.append(raw.table.record["seed"])
        raw.reset()
        other.reset()
    assert len(set(deals)) == 3


@every_table
def test_a_table_can_be_copied_and_pickled_in_the_middle_of_a_move(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    for count, _ in enumerate(turns(table, 6)):
        if count == 25:
            break
    for twin in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        random = Random(7)
        assert_equal(observed(twin), observed(table))
        original = copy.deepcopy(table)
        for _ in range(20):
            action = random.choice(possible(twin, twin.agent_selection))
            twin.step(action)
            original.step(action)
        assert_equal(observed(twin), observed(original))


@every_table
def test_an_action_that_is_masked_out_is_refused_and_changes_nothing(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    for count, agent in enumerate(turns(table, 8)):
        if count > 40:
            break
        before, record = observed(table), table.table.record
        for action in [*set(range(len(table.encoding.actions))) - set(possible(table, agent)), -1, 10**6]:
            with pytest.raises(ValueError, match=re.escape(repr(action))):
                table.step(action)
        assert_equal(observed(table), before)
        assert table.table.record == record


def test_with_the_usual_wrappers_a_masked_action_ends_the_game() -> None:
    table = env("edel-stein-reich", 4)
    table.reset(seed=9)
    agent = table.agent_selection
    masked = int(np.flatnonzero(table.observe(agent)["action_mask"] == 0)[0])
    table.step(masked)
    assert all(table.terminations.values())
    assert table.rewards == {other: -1.0 if other == agent else 0 for other in table.agents}
    table.reset()
    with pytest.raises(AssertionError, match="action space"):
        table.step(10**6)


def test_unknown_games_and_seats_are_named_in_the_error() -> None:
    with pytest.raises(ValueError, match=r"'chess'.*edel-stein-reich"):
        env("chess")
    with pytest.raises(ValueError, match="2"):
        env("edel-stein-reich", 2)
    with pytest.raises(ValueError, match=r"'money'.*ranks, scores"):
        env("edel-stein-reich", rewards="money")
    with pytest.raises(ValueError, match="render_mode 'human'"):
        env("edel-stein-reich", render_mode="human")


def test_names_and_numbers_are_those_of_the_game() -> None:
    table = env("edel-stein-reich-duel")
    assert table.possible_agents == ["seat_0", "seat_1"]
    assert table.metadata["name"] == str(table.unwrapped) == "edel_stein_reich_duel_v1"
    table.reset()
    assert table.render() is None


# --- with and without the accelerator -----------------------------------------------------------


@pytest.fixture(scope="module")
def plain() -> dict[tuple[str, int], Any]:
    """What the reference engine shows of two games of each format, with rewards by ranks and by scores."""
    command, root = [sys.executable, "-m", "tests.bots.environments.traces"], Path(__file__).parents[3]
    done = subprocess.run(command, env={**os.environ, "ESR_ACCELERATOR": "0"}, cwd=root, stdout=-1, check=True)
    accelerated, *traces = map(json.loads, done.stdout.splitlines())
    assert not accelerated
    return dict(zip(TABLES, traces, strict=True))


def looked_at(table: GameEnvironment, step: int) -> GameEnvironment:
    if step % 3 == 0:
        assert table.render()
    if step % 5 == 0 and not table.terminations[table.agent_selection]:
        assert f"seat_{table.table.pending[0]}" == table.agent_selection
    return table


def copied(table: GameEnvironment, step: int) -> GameEnvironment:
    return copy.deepcopy(table) if step == 30 else table


def pickled(table: GameEnvironment, step: int) -> GameEnvironment:
    return pickle.loads(pickle.dumps(table)) if step == 31 else table


@every_table
def test_the_accelerator_changes_nothing_that_can_be_seen(slug: str, seats: int, plain: dict[Any, Any]) -> None:
    assert accelerator()
    by_ranks, by_scores = plain[slug, seats]
    for rewards, between, expected in (
        ("scores", alone, by_scores),
        ("ranks", looked_at, by_ranks),
        ("scores", copied, by_scores),
        ("ranks", pickled, by_ranks),
    ):
        assert json.loads(json.dumps(trace(slug, seats, rewards, between))) == expected, between


# --- who sees what ------------------------------------------------------------------------------


@every_table
def test_an_observation_is_made_of_the_view_and_the_decision_alone(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    for count, agent in enumerate(turns(table, 10)):
        if table.terminations[agent] or count > 100:
            break
        for seat, other in enumerate(table.possible_agents):
            numbers = table.observe(other)["observation"]
            view, decision = table.table.view(seat), None
            if other == agent:
                decision = table.table.decision(seat)
                chosen = choosing(table, seat)
                assert_equal(numbers, np.array(table.encoding.observation(view, decision, chosen), dtype=np.float32))
            else:
                assert_equal(numbers, np.array(table.encoding.observation(view, None), dtype=np.float32))


def choosing(table: GameEnvironment, seat: int) -> tuple[int, ...]:
    """What ``seat`` has chosen of its move, found by following the one way that gives its mask and observation."""
    decision, view = table.table.decision(seat), table.table.view(seat)
    now = table.observe(f"seat_{seat}")
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        chosen = waiting.pop()
        options = table.encoding.options(decision, chosen)
        seen = np.array(table.encoding.observation(view, decision, chosen), dtype=np.float32)
        if options == np.flatnonzero(now["action_mask"]).tolist() and np.array_equal(seen, now["observation"]):
            return chosen
        waiting += [(*chosen, action) for action in options]
    raise AssertionError("an observation belongs to something that can be chosen")


@every_table
def test_nobody_sees_how_far_another_has_come_with_a_move(slug: str, seats: int) -> None:
    table = raw_env(slug, seats)
    begun = 0
    for agent in turns(table, 11):
        if table.terminations[agent] or begun > 20:
            break
        before = observed(table)
        for action in possible(table, agent):
            twin = copy.deepcopy(table)
            twin.step(action)
            if twin.table.record["steps"] == table.table.record["steps"] and twin.agent_selection == agent:
                begun += 1
                after = observed(twin)
                assert not np.array_equal(after[agent]["observation"], before[agent]["observation"])
                for other in set(table.possible_agents) - {agent}:
                    assert_equal(after[other], before[other])
    assert begun


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_simultaneous_choices_are_asked_in_turn_and_stay_hidden(seats: int) -> None:
    tables = []
    for action in ("money", "event", "gems"):
        table = raw_env("edel-stein-reich", seats)
        table.reset(seed=12)
        assert table.agent_selection == "seat_0"
        before = observed(table)
        table.step(table.encoding.actions.index(action))
        assert table.agent_selection == "seat_1"
        for other in table.possible_agents[2:]:
            assert_equal(table.observe(other), before[other])
        tables.append(table)
    for table in tables[1:]:
        assert not np.array_equal(table.observe("seat_0")["observation"], tables[0].observe("seat_0")["observation"])
        for other in table.possible_agents[1:]:
            assert_equal(table.observe(other), tables[0].observe(other))


@every_table
def test_the_rendering_contains_no_secret(slug: str, seats: int) -> None:
    table = raw_env(slug, seats, render_mode="ansi")
    for count, agent in enumerate(turns(table, 13)):
        if count == 60 or table.terminations[agent]:
            break
        chapter = GAMES[slug].presentation.story(table.table.log(None), table.possible_agents)[-1]
        assert table.render() == "\n".join([chapter.title, *(f"  {sentence}" for sentence in chapter.sentences)])


@every_table
def test_the_state_is_what_all_agents_observe(slug: str, seats: int) -> None:
    table = env(slug, seats)
    table.reset(seed=14)
    seen = [table.observe(agent)["observation"] for agent in table.possible_agents]
    assert_equal(table.state(), np.concatenate(seen))
    assert table.state_space.contains(table.state())


# --- actions and moves --------------------------------------------------------------------------


@either
@every_table
def test_legal_actions_are_those_of_the_mask(make: Any, slug: str, seats: int) -> None:
    table = make(slug, seats)
    random = Random(15)
    table.reset(seed=15)
    while table.agents:
        assert table.legal_actions() == possible(table, table.agent_selection)
        table.step(random.choice(table.legal_actions()) if table.legal_actions() else None)
    assert table.legal_actions() == []


def test_a_masked_action_leaves_nothing_to_choose() -> None:
    table = env("edel-stein-reich-duel")
    table.reset(seed=16)
    table.step(table.action_space("seat_0").n - 1)  # type: ignore[attr-defined]
    assert table.legal_actions() == []


@pytest.mark.parametrize("wrong", [1.0, "1", None, (1,), np.array([1, 2])])
def test_an_action_is_an_integer(wrong: Any) -> None:
    table = raw_env("edel-stein-reich-duel")
    table.reset(seed=17)
    before = observed(table)
    with pytest.raises(TypeError, match="legal_actions"):
        table.step(wrong)
    assert_equal(observed(table), before)
    table.step(np.int8(table.legal_actions()[0]))


@every_table
def test_a_whole_move_is_as_good_as_its_actions(slug: str, seats: int) -> None:
    table, twin, random = raw_env(slug, seats), raw_env(slug, seats), Random(18)
    table.reset(seed=18)
    twin.reset(seed=18)
    while table.table.pending:
        seat = table.possible_agents.index(table.agent_selection)
        decision, move = table.table.decision(seat), table.table.random_move(seat, random)
        twin.play(move)
        actions = iter(table.encoding.sequence(decision, move))
        before = table.table.record["steps"]
        while table.table.record["steps"] == before and table.agent_selection == f"seat_{seat}":
            action = next(actions)
            if action in table.legal_actions():  # not forced
                table.step(action)
        assert twin.table.record == table.table.record
        assert_equal(observed(twin), observed(table))
        assert twin.legal_actions() == table.legal_actions()
        assert twin.rewards == table.rewards


@every_table
def test_a_whole_move_replaces_the_actions_chosen_so_far(slug: str, seats: int) -> None:
    table, random, replaced = raw_env(slug, seats), Random(20), 0
    table.reset(seed=20)
    while actions := table.legal_actions():
        before, agent = table.table.record["steps"], table.agent_selection
        table.step(random.choice(actions))
        if table.table.record["steps"] == before and table.agent_selection == agent:
            seat, expected = table.possible_agents.index(agent), table.table.copy()
            move = table.table.random_move(seat, random)
            expected.play(seat, move)
            table.play(move)
            assert table.table.record == expected.record
            assert table.table.pending == expected.pending
            replaced += 1
    assert replaced
    assert all(table.terminations.values())


def test_an_illegal_move_changes_nothing() -> None:
    table = raw_env("edel-stein-reich-duel")
    table.reset(seed=19)
    before = observed(table)
    with pytest.raises(IllegalMove):
        table.play("castle")
    assert_equal(observed(table), before)
