"""The points of a cup table: of its blocks, after entrants have left, and after a ruling.

A block is a document as in a ledger: ``commitment`` and ``games``, each with ``match``, ``status`` and ``ranks``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Final

from bots.tournaments.elimination import is_decided
from bots.tournaments.rounds import Points
from bots.tournaments.seatings import seatings
from games.rules import Document

MOST_REPLACEMENTS: Final = 2
"""How many void blocks of a table are replaced; after that, the table is void unless enough blocks count."""


def block_points(block: Document, seats: int, gone: Iterable[int] = ()) -> Points | None:
    """The points of a block by place at its table, or ``None`` if a game has no result.

    Places that are ``gone`` rank last in every game.
    """
    if any(game["ranks"] is None for game in block["games"]):
        return None
    points, left = [0] * seats, frozenset(gone)
    for order, game in zip(seatings(seats), block["games"], strict=True):
        ranks = {place: (place in left, rank) for place, rank in zip(order, game["ranks"], strict=True)}
        for place, own in ranks.items():
            points[place] += sum(2 * (own < other) + (own == other) for at, other in ranks.items() if at != place)
    return tuple(points)


def is_over(blocks: Sequence[Document], seats: int, gone: Collection[int], least: int, ties: int) -> bool:
    """Whether a table plays no further block after ``blocks``, documents of a ledger.

    ``least`` blocks must count. If a tie joins the last ``ties`` places with others, the table then plays up to
    ``MOST_TIE_BLOCKS`` blocks more.
    """
    if seats - len(gone) < 2:
        return True
    void = sum(any(game["status"] == "void" for game in block["games"]) for block in blocks)
    points = settled(blocks, seats, gone, least)
    if points is None or not ties:
        return points is not None or void > MOST_REPLACEMENTS
    played = sum(block_points(block, seats, gone) is not None for block in blocks)
    per_block = 2 * (seats - 1) * len(seatings(seats))
    return void > MOST_REPLACEMENTS or is_decided(points, ties, played, least, per_block)


def settled(blocks: Sequence[Document], seats: int, gone: Collection[int], least: int) -> Points | None:
    """The points of a table of which ``least`` blocks or more must count; ``None`` if fewer do.

    If at most one entrant is left, it gets the points of one won block, whatever was played.
    """
    if len(gone) == seats:
        return None
    if len(gone) == seats - 1:
        return tuple(0 if place in gone else 2 * (seats - 1) * len(seatings(seats)) for place in range(seats))
    counted = [points for block in blocks if (points := block_points(block, seats, gone)) is not None]
    return tuple(map(sum, zip(*counted, strict=True))) if len(counted) >= least else None


# --- Rulings ----------------------------------------------------------------------------------------------------------


class Ruling(StrEnum):
    """What an organizer decides about a table: one entrant loses, the table is void, or its entrants get a bye."""

    LOSS = "loss"
    VOID = "void"
    BYE = "bye"


def ruled(seats: int, points: Points | None, ruling: Ruling, loser: int | None) -> Points | None:
    """The points after a ruling. A bye gives all entrants of the table half of the points of a block."""
    games = len(seatings(seats))
    if ruling is Ruling.VOID:
        return None
    if ruling is Ruling.BYE or points is None or loser is None:
        half = (seats - 1) * games
        return tuple(0 if place == loser else half for place in range(seats))
    return tuple(0 if place == loser else own for place, own in enumerate(points))
