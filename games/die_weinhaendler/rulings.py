"""House rulings: what no rule sheet decides, all in one place.

Numbers stand below as constants that the rules read. Rulings that are a way of doing things are these, each with
the function that does it:

- The base row of a cellar grows at either end (``Cellar.vacant``).
- With one card left in the stack, a player who passes without a bid keeps it; with none he gets nothing. The card
  is taken by the rules, nobody is asked (``Procedure.draw_for_pass``).
- With no bid at all nothing is exchanged; the start player lays first and stays start player
  (``Procedure.exchange``).
- The last round is announced once the stack is empty after the display has been refilled, whoever took the last
  card (``Procedure.end_round``).
- In the last round laying is optional, and bottles left in hand are worth nothing (``moves.must_lay``).
- The number of points is unlimited, and players level in points share their rank (``WeinhaendlerState.outcome``).
"""

from __future__ import annotations

from typing import Final

IDLE_LIMIT: Final = 20
"""After so many rounds in a row in which the stack has not shrunk, the next round is the last."""

INVERTED_TRIANGLES: Final = True
"""Whether three bottles of a triangle that stands on its tip make a trio too."""
