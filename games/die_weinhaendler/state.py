"""The state of Die Weinhändler, which implements the contract of ``games.rules``."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from games.die_weinhaendler import decisions, moves, views
from games.die_weinhaendler.moves import Bids, Lays
from games.die_weinhaendler.procedure import Procedure
from games.outcomes import outcome
from games.rules import Document, Move, NumberedMoves


class WeinhaendlerState(Procedure):
    """One game of Die Weinhändler with three to five seats."""

    __slots__ = ()

    def forced_move(self) -> Move | None:
        return moves.forced(self, self.turn)

    def decision(self, seat: int) -> Document:
        self.require(seat)
        return decisions.decision(self, seat)

    def legal_moves(self, seat: int) -> Sequence[Move]:
        self.require(seat)
        return moves.every_move(self, seat)

    def numbered_moves(self, seat: int) -> NumberedMoves:
        self.require(seat)
        return Bids(self, seat) if self.stage == "bid" else Lays(self, seat)

    def default_move(self, seat: int) -> Move:
        self.require(seat)
        return moves.default(self, seat)

    def random_move(self, seat: int, random: Random) -> Move:
        self.require(seat)
        return moves.draw(self, seat, random)

    def check(self, seat: int, move: object) -> Move:
        self.require(seat)
        return moves.check(self, seat, move)

    def view(self, seat: int | None) -> Document:
        return views.view(self, seat)

    @property
    def rounds_begun(self) -> int:
        return self.round

    @property
    def outcome(self) -> Document | None:
        if self.stage != "over":
            return None
        return outcome(self.points, [{"points": points} for points in self.points], self.forfeits)
