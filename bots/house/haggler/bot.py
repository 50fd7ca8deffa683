"""Haggler: a gem is worth what the coming scoring pays for it, and that decides every bargain.

One red gem more is worth a lot where two seats are level and nothing where one is far ahead. So the haggler
pays with gems that do not help him, and asks for those that do. What the others may be choosing at the same
time he does not consider. Settings: ``margin``, the money a bargain must bring him to be worth the trouble;
``events`` weighs how much he likes event cards.
"""

from __future__ import annotations

from strategy import Haggler
from wire import play

if __name__ == "__main__":
    play(Haggler)
