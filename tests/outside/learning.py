"""Learning libraries that play and train on the environments of this checkout."""

from __future__ import annotations

from dataclasses import dataclass

from tests.outside.programs import ROOT, Failed, Installation, Program
from tests.outside.site import Site

ENVIRONMENTS = "gymnasium==1.4.0 pettingzoo==1.27.0 numpy==2.4.6"
TORCH = f"torch==2.13.0 {ENVIRONMENTS}"
LEARNED, PLAYED = "learned", "played"
DUEL = """\
import gymnasium, numpy
ID, OPTIONS = "bots.environments:steinreich/Duel-v0", {"opponents": ("greedy",), "illegal_actions": "raise"}
env = gymnasium.make(ID, **OPTIONS)
"""


@dataclass(frozen=True)
class Library(Program):
    """A library and a program that uses it, without the last line, which prints the result."""

    code: str = ""


LIBRARIES = (
    Library("Stable-Baselines3 MaskablePPO", LEARNED, pip=f"sb3-contrib==2.9.2 {TORCH}", code=f"""{DUEL}
from sb3_contrib import MaskablePPO
from stable_baselines3.common import env_checker, env_util
env_checker.check_env(gymnasium.make(ID).unwrapped)
games = env_util.make_vec_env(ID, 4, env_kwargs={{**OPTIONS, "render_mode": None}})
model = MaskablePPO("MlpPolicy", games, n_steps=64, seed=1).learn(512)
observation, info = env.reset(seed=1)
terminated = False
while not terminated:
    action, _ = model.predict(observation, action_masks=info["action_mask"])
    observation, reward, terminated, truncated, info = env.step(action)
"""),
    Library("TorchRL", PLAYED, pip=f"torchrl==0.14.1 {TORCH}", code=f"""{DUEL}
from torchrl.envs import ActionMask, GymWrapper, PettingZooWrapper, TransformedEnv, check_env_specs
from bots.environments import env as agents
single = TransformedEnv(GymWrapper(gymnasium.make(ID, **OPTIONS, observation="dict")), ActionMask())
check_env_specs(single)
assert single.rollout(500)["next", "terminated"][-1]
several = PettingZooWrapper(agents("edel-stein-reich", seats=4), use_mask=True)
played = several.rollout(2000)["next"]
assert played["done"][-1]
assert abs(sum(played[agent, "reward"].sum() for agent in several.group_map)) < 1e-6
"""),
    Library("SuperSuit", PLAYED, pip=f"supersuit==3.11.0 stable-baselines3==2.9.2 {TORCH}", code=f"""{DUEL}
import supersuit
for games in supersuit.gym_vec_env_v0(env, 4), supersuit.stable_baselines3_vec_env_v0(env, 4):
    method, ends = getattr(games, "call", getattr(games, "env_method", None)), 0
    games.reset()
    while ends < 4:
        masks = method("action_masks")  # empty for a game that is dealt by the next step
        ends += sum(games.step(numpy.array([numpy.argmax(mask) for mask in masks]))[2])
"""),
    Library("OpenSpiel", PLAYED, pip=f"open_spiel==2.0.2 {ENVIRONMENTS}", code="""\
import numpy, pyspiel
from bots.environments.openspiel import NAMES
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
for name in NAMES.values():
    pyspiel.random_sim_test(pyspiel.load_game(name, {"deals": 50}), num_sims=1, serialize=True, verbose=False)
game, random = pyspiel.load_game("steinreich_duel(deals=50)"), numpy.random.RandomState(1)
bot = MCTSBot(game, 2, 2, RandomRolloutEvaluator(1, random), random_state=random)
state = game.new_initial_state()
while not state.is_terminal():
    searched = state.current_player() == 0 and len(state.history()) < 40
    state.apply_action(bot.step(state) if searched else random.choice(state.legal_actions()))
assert sum(state.returns()) == 0 != max(state.returns())
"""),
)  # fmt: skip


def result(installation: Installation, _site: Site, library: Library) -> str:
    """Run the program of a library, with this checkout on its path, and return what it prints last."""
    environment = installation.install(library)
    environment["PYTHONPATH"] += f":{ROOT}"
    program = f"{library.code}print({library.expected!r})"
    last = installation.run(["python", "-c", program], environment=environment).splitlines()[-1]
    if last != library.expected:
        raise Failed(f"printed {last!r}")
    return last
