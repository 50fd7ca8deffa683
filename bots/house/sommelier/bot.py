"""Sommelier: values combinations of bottles and predicts the bids of the other players.

The value of a bottle is its stars and the trios that it may form with bottles in the hand and the cellar
(``worth.py``). Before every bid, Sommelier guesses the hands of the other players (``opponents.py``) and simulates the
rest of the auction (``auction.py``). The guess includes how much each player likes the display, learned from earlier
bids (``opponents.py``). A low bid is good if a valuable bid will probably be the next higher one. Sommelier lays only
as many bottles as it must, as late as possible (``layout.py``).
"""

from __future__ import annotations

from strategy import Sommelier
from wire import play

if __name__ == "__main__":
    play(Sommelier)
