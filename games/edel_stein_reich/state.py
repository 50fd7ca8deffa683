"""A game of Edel, Stein & Reich as the contract of all games has it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from games.base import Document, Move
from games.edel_stein_reich import deciding, judging, legal, viewing
from games.edel_stein_reich.procedure import Procedure
from games.edel_stein_reich.scoring import rank_keys
from games.outcomes import outcome


class EdelSteinReichState(Procedure):
    """Three to five players; the two-player variant builds on it."""

    __slots__ = ()

    @property
    def pending(self) -> tuple[int, ...]:
        if self.turn >= 0:
            return (self.turn,)
        if self.stage == "over":
            return ()
        return tuple([seat for seat in range(self.seats) if self.choices[seat] is None])

    def owes_with_others(self, seat: int) -> bool:
        """Whether ``seat`` is one of several who choose at once."""
        return self.stage != "over" and 0 <= seat < self.seats and self.choices[seat] is None

    def require(self, seat: int) -> None:
        """Raise ``LookupError`` unless ``seat`` owes a decision."""
        if not (seat == self.turn if self.turn >= 0 else self.owes_with_others(seat)):
            raise LookupError(f"seat {seat} owes no decision now; asked are {list(self.pending)}")

    def decision(self, seat: int) -> Document:
        self.require(seat)
        return deciding.decision(self, seat)

    def legal_moves(self, seat: int) -> Sequence[Move]:
        self.require(seat)
        return legal.moves(self, seat)

    def default_move(self, seat: int) -> Move:
        self.require(seat)
        return legal.default(self)

    def random_move(self, seat: int, random: Random) -> Move:
        self.require(seat)
        return legal.draw(self, seat, random)

    def check(self, seat: int, move: object) -> Move:
        self.require(seat)
        return judging.check(self, seat, move)

    def view(self, seat: int | None) -> Document:
        return viewing.view(self, seat)

    @property
    def outcome(self) -> Document | None:
        if self.stage != "over":
            return None
        scores: list[Document] = [
            {"money": money, "gems": gems[:]} for money, gems in zip(self.money, self.gems, strict=True)
        ]
        return outcome(rank_keys(self), scores, self.forfeits)
