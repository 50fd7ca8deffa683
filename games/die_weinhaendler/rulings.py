"""Rulings on questions that the printed rules leave open, all in one place.

The constants below are read by the rules. The other rulings are implemented in the functions in parentheses:

- The base row of a cellar grows at either end (``Cellar.vacant``).
- With one card left in the stack, a player who passes without a bid keeps it; with none the player gets nothing. The
  rules take the card without a question (``Procedure.draw_for_pass``).
- Without any bid nothing is exchanged. The start player lays first and stays start player (``Procedure.exchange``).
- The next round is the last if the stack is empty after the refill, even if a pass took the last card
  (``Procedure.end_round``).
- In the last round laying is optional, and bottles left in hand are worth nothing (``moves.must_lay``).
- Points are unlimited, and players with equal points share their rank (``WeinhaendlerState.outcome``).
"""

from __future__ import annotations

from typing import Final

IDLE_LIMIT: Final = 20
"""After this number of consecutive rounds in which the stack does not shrink, the next round is the last."""

INVERTED_TRIANGLES: Final = True
"""Whether three bottles of a triangle on its tip also form a trio."""
