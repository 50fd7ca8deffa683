"""Haggler: values gems by the next scoring and barters with these values.

One more red gem is worth a lot if two seats are tied, and nothing if one is far ahead. So Haggler pays with gems that
it does not need and asks for gems that it needs. It ignores what the other players may choose at the same time.
Settings: ``margin`` is the minimum gain of a barter, ``events`` a weight for event cards.
"""

from __future__ import annotations

from strategy import Haggler
from wire import play

if __name__ == "__main__":
    play(Haggler)
