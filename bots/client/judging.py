"""Whether a move is legal, by nothing but the decision that it answers. The site judges by the same rules."""

from __future__ import annotations

from functools import cache
from typing import Any

from bots.client.documents import Document
from games.encoding import Encoding
from games.registry import GAMES


def is_legal(game: str, seats: int, decision: Document, move: Any) -> bool:
    """Whether ``move`` answers ``decision`` at a table of ``seats``.

    A game that this installation does not know is judged by the list of legal moves, where the decision has one.
    """
    if game in GAMES and seats in GAMES[game].seat_counts:
        return _encoding(game, seats).allows(decision, move)
    return decision.get("legal") is None or move in decision["legal"]


@cache
def _encoding(game: str, seats: int) -> Encoding:
    return GAMES[game].encoding(seats)
