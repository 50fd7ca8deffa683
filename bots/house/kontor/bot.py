"""Kontor: tracks the possessions of all players and predicts their choices.

It values a position by the expected money of *every* seat (``worth.py``), an event card by its best use
(``events.py``), and an action by its consequences for all seats (``books.py``). For a secret choice it predicts the
choices of the other players (``choices.py``). A barter is good if it improves Kontor's position relative to the others,
not just its own money (``strategy.py``).
"""

from __future__ import annotations

from strategy import Kontor
from wire import play

if __name__ == "__main__":
    play(Kontor)
