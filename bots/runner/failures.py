"""The one error of the runner and the launchers that is nobody's but ours."""

from __future__ import annotations


class PlatformFailure(Exception):
    """Something on the platform's side went wrong: the game counts for nobody and is played again."""


class NeverBegun(PlatformFailure):
    """A process that ended before a bot's code ran in it: what stands on its stderr is the sandbox's word."""
