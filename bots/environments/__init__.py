"""Learning environments of all games, in the extra ``[rl]``: see ``docs/reference/python/environments.md``."""

from __future__ import annotations

from bots.environments.environment import REWARDS, GameEnvironment, Observation, env, raw_env
from bots.environments.vector import BatchPolicy, GameVectorEnv, uniform

__all__ = [
    "REWARDS",
    "BatchPolicy",
    "GameEnvironment",
    "GameVectorEnv",
    "Observation",
    "env",
    "raw_env",
    "uniform",
]
