"""The numeric encoding of Die Weinhändler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.die_weinhaendler.encoding import moves
from games.die_weinhaendler.encoding.observation import sections
from games.learning import Chosen, Encoding
from games.rules import Document, Move


class WeinhaendlerEncoding(Encoding):
    """60 actions with any number of seats: a bid card by card; for laying a bottle, then a cell."""

    def __init__(self, seats: int) -> None:
        super().__init__(seats, moves.NAMES, sections(seats))

    def options(self, decision: Document, chosen: Chosen) -> list[int]:
        return moves.options(decision, chosen)

    def compose(self, decision: Document, actions: Chosen) -> Move:
        return moves.compose(decision, actions)

    def sequence(self, decision: Document, move: Move) -> Chosen:
        return moves.sequence(decision, move)

    def score(self, score: Mapping[str, Any]) -> float:
        return float(score["points"])
