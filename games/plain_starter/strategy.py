"""The strategy of the bot. Change this file.

``decision`` contains the question, and ``view`` everything that this seat can see. See examples.json for real examples.
"""

from __future__ import annotations

import random
from typing import Any

Document = dict[str, Any]


class Strategy:
    """One seat in one game. Attributes of ``self`` last until the game ends."""

    def __init__(self, hello: Document) -> None:
        self.seat = hello["seat"]
        self.random = random.Random(hello["seed"])  # the same seed gives the same game

    def choose(self, decision: Document, view: Document, log: list[Document]) -> Any:
        """Return a random move from the list of legal moves, or the default move, which is always legal."""
        return self.random.choice(decision["legal"] or [decision["default"]])
