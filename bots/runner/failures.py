"""The one error of the runner and the launchers that is nobody's but ours."""

from __future__ import annotations


class PlatformFailure(Exception):
    """Something on the platform's side went wrong: the game counts for nobody and is played again."""
