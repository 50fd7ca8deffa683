"""Kontor: keeps the books of the whole table, and thinks about what the others want.

It judges a position by the money *every* seat may expect (``worth.py``), an event card by the best use of it
(``events.py``), an action by what it changes for everybody (``books.py``), and a secret choice by what the others
will probably choose (``choices.py``). A bargain is good when it leaves Kontor better off against the others, which
is not the same as richer (``strategy.py``).
"""

from __future__ import annotations

from strategy import Kontor
from wire import play

if __name__ == "__main__":
    play(Kontor)
