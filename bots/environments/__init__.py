"""Every game as a PettingZoo environment, for learning: the extra ``[rl]``, ``docs/environments.md``."""

from __future__ import annotations

from bots.environments.environment import REWARDS, GameEnvironment, Observation, env, raw_env

__all__ = ["REWARDS", "GameEnvironment", "Observation", "env", "raw_env"]
