"""How the bot plays. This is the file to change.

``decision`` is what is asked, ``view`` the whole table as this seat may see it. examples.json has real ones.
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
        """Return a legal move: any of those that are listed, or the default move, which is always legal."""
        return self.random.choice(decision["legal"] or [decision["default"]])
