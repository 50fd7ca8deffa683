"""The numeric encoding of Edel, Stein & Reich, with two to five seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.edel_stein_reich.encoding.moves import Moves
from games.edel_stein_reich.encoding.observation import sections
from games.learning import Chosen, Encoding
from games.rules import Document, Move


class EdelSteinReichEncoding(Encoding):
    """117 to 129 actions. An offer is chosen color by color. The version for two has the same actions."""

    def __init__(self, seats: int) -> None:
        self.moves = Moves(seats)
        super().__init__(seats, self.moves.names, sections(seats))

    def options(self, decision: Document, chosen: Chosen) -> list[int]:
        return self.moves.options(decision, chosen)

    def compose(self, decision: Document, actions: Chosen) -> Move:
        return self.moves.compose(decision, actions)

    def sequence(self, decision: Document, move: Move) -> Chosen:
        return self.moves.sequence(decision, move)

    def score(self, score: Mapping[str, Any]) -> float:
        return float(score["money"])
