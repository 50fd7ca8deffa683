"""The three pipes between the platform and one bot, as a launcher opens them."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Pipes:
    """The platform's ends of a bot's three pipes, and the bot's."""

    stdin: int
    stdout: int
    stderr: int
    theirs: tuple[int, int, int]

    @classmethod
    def open(cls) -> Pipes:
        """Three new pipes, none of which any child inherits by itself."""
        ends: list[int] = []
        try:
            for _ in range(3):
                ends += os.pipe()
        except OSError:
            for descriptor in ends:
                os.close(descriptor)
            raise
        inbox, stdin, stdout, outbox, stderr, errors = ends
        return cls(stdin, stdout, stderr, (inbox, outbox, errors))

    def close_theirs(self) -> None:
        """Let go of the bot's ends: it has its own by now."""
        for descriptor in self.theirs:
            os.close(descriptor)

    def close_ours(self) -> None:
        """Let go of the platform's ends, when the start has failed."""
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.close(descriptor)
