"""How a person is told that something is not done: one sentence that says what to do instead."""

from __future__ import annotations


class Refused(ValueError):
    """What was asked for is not done; the message is a sentence for whoever asked."""


class NameRefused(Refused):
    """It is the name that cannot be had, so another one mends it."""


class TooMany(Refused):
    """A limit of the person is reached; ``retry_after_s`` says when to come again, ``None`` where waiting is no use."""

    def __init__(self, sentence: str, retry_after_s: int | None = None) -> None:
        super().__init__(sentence)
        self.retry_after_s = retry_after_s
