"""Learning environments of all games, in the extra ``[rl]``: see ``docs/reference/python/environments.md``.

The import registers every game with Gymnasium: ``gymnasium.make("bots.environments:steinreich/Duel-v0")`` imports this
package and makes an environment of one seat.
"""

from __future__ import annotations

from typing import Final

try:
    import gymnasium
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "The learning environments need Gymnasium. Run `pip install '.[rl]'` in a checkout."
    ) from error

from bots.environments.environment import REWARDS, GameEnvironment, Observation, env, raw_env
from bots.environments.single_agent import SingleAgentEnv
from bots.environments.vector import BatchPolicy, GameVectorEnv, uniform
from games.registry import GAMES


def _short_name(slug: str) -> str:
    """Return the slug of a game, or for a variant only the part that its slug adds to that of its game."""
    games = [game for game in GAMES if slug.startswith(f"{game}-")]
    return slug.removeprefix(f"{max(games, key=len)}-" if games else "")


SHORT_NAMES: Final = {slug: _short_name(slug) for slug in GAMES}
"""The names of the games in other libraries, by slug: ``duel`` is the variant for two."""

IDS: Final = {slug: f"steinreich/{name.title().replace('-', '')}-v0" for slug, name in SHORT_NAMES.items()}
"""The id of each game in Gymnasium, by slug."""

for _slug, _id in IDS.items():
    gymnasium.register(
        _id,
        entry_point="bots.environments.single_agent:SingleAgentEnv",
        vector_entry_point="bots.environments.vector:GameVectorEnv",
        kwargs={"game": _slug},
    )

__all__ = [
    "IDS",
    "REWARDS",
    "SHORT_NAMES",
    "BatchPolicy",
    "GameEnvironment",
    "GameVectorEnv",
    "Observation",
    "SingleAgentEnv",
    "env",
    "raw_env",
    "uniform",
]
