"""The errors of the runner and the launchers that are nobody's but ours."""

from __future__ import annotations


class PlatformFailure(Exception):
    """Something on the platform's side went wrong: the game counts for nobody and is played again."""


class NoCoreFree(PlatformFailure):
    """A game has waited for a processor core as long as it may. Nothing is wrong with it: it is played again later."""


class NeverBegun(PlatformFailure):
    """A process that ended before a bot's code ran in it. Its stderr contains messages of the sandbox.

    ``program`` is the bot's own file that was to be executed; empty for the platform's interpreter.
    """

    def __init__(self, message: str, program: str = "") -> None:
        super().__init__(message)
        self.program = program
