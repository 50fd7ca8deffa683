"""Sommelier: knows what goes with what, and bids with the others in mind.

A bottle is worth its stars and the trios it may make with what is in the hand and in the cellar (``worth.py``). Before
every bid Sommelier guesses what the others hold (``guessing.py``) and plays the bidding to its end in its head
(``auction.py``), where everybody likes the display as much as he has shown so far (``habits.py``): a low bid is good
if a fat one is going to stand right above it. It lays what it must (``laying.py``), and as late as it can.
"""

from __future__ import annotations

from strategy import Sommelier
from wire import play

if __name__ == "__main__":
    play(Sommelier)
