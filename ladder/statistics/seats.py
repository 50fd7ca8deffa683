"""What a seat is worth: in blocks everybody sits everywhere, so that who is strong falls out of a seat's mean."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from bots.intervals import Mean, bounded
from ladder.statistics.blocks import PlayedBlock


def seat_effect(blocks: Sequence[PlayedBlock]) -> list[Mean]:
    """By seat, the mean share of opponents beaten there, 0 to 1; half of them is what a fair seat gives.

    The games of a block share their deal, so a block is one value a seat and the intervals are over blocks. Empty
    without blocks. Raises ``ValueError`` for blocks of different numbers of seats.
    """
    by_block = [
        [fmean(shares) for shares in zip(*(game.shares for game in block.games), strict=True)] for block in blocks
    ]
    return [bounded(values) for values in zip(*by_block, strict=True)]
