"""PettingZoo environments of all games, in the extra ``[rl]``: see ``docs/reference/python/environments.md``."""

from __future__ import annotations

from bots.environments.environment import REWARDS, GameEnvironment, Observation, env, raw_env

__all__ = ["REWARDS", "GameEnvironment", "Observation", "env", "raw_env"]
